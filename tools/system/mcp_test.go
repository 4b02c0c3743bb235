package system

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// unlimited turns every limit off.
const unlimited = "calc=0,share=0,page=0,mcp=0,mcp-exec=0"

// toolAnswer is the response to a tool call.
type toolAnswer struct {
	Result struct {
		StructuredContent json.RawMessage
		IsError           bool
	}
	Error *struct {
		Code int
		Data json.RawMessage
	}
}

func toolCall(tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
}

// tool calls a tool over HTTP, and returns its structured content.
func (h *server) tool(t *testing.T, tool, arguments string, headers ...string) (string, toolAnswer) {
	t.Helper()
	status, text := h.post(t, "/mcp", toolCall(tool, arguments), headers...)
	var a toolAnswer
	if err := json.Unmarshal([]byte(text), &a); err != nil || status != 200 || a.Error != nil {
		t.Fatalf("%s %s: %d %s (%v)", tool, arguments, status, text, err)
	}
	return string(a.Result.StructuredContent), a
}

// Questions find the capabilities that this repository publishes.
func TestMCPSearch(t *testing.T) {
	h := startAll(t, "--limit", unlimited)
	for question, want := range map[string]string{
		"how much does a shelf bracket bend":                      "cantilever-deflection",
		"tip deflection of a clamped beam with a triangular load": "cantilever-deflection",
		"amps for a 3 kW heater":                                  "watts-to-amps",
		"three phase motor current":                               "watts-to-amps",
		"what current flows through an 8 ohm resistor at 12 V":    "ohms-law",
		"convert amps to volts":                                   "amps-to-volts",
		"stefan boltzmann":                                        "grey-surface-radiation",
		"how much heat does a hot plate radiate":                  "grey-surface-radiation",
	} {
		text, _ := h.tool(t, "search_capabilities", fmt.Sprintf(`{"query":%q}`, question))
		var found struct{ Capabilities []struct{ Tool string } }
		if err := json.Unmarshal([]byte(text), &found); err != nil || len(found.Capabilities) == 0 || found.Capabilities[0].Tool != want {
			t.Errorf("%q finds %s, want %s first", question, text, want)
		}
	}
}

// Bad input of row E21, and the default limits, against the built program.
func TestMCPBadInput(t *testing.T) {
	h := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", built.registry, "--data", t.TempDir()})
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	current := strings.Replace(toolCall("get_snapshot", `{"id":"x"}`), `"params":{`,
		`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},`, 1)
	for _, tt := range []struct {
		body    string
		headers []string
		status  int
		want    string
	}{
		{current, []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "get_snapshot"}, 200, "SNAPSHOT_NOT_FOUND"},
		{current, []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "=?base64?Z2V0X3NuYXBzaG90?="}, 200, "SNAPSHOT_NOT_FOUND"},
		{current, []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "list_versions"}, 400, "-32020"},
		{"[" + ping + "]", nil, 400, "-32600"},
		{`{"jsonrpc":`, nil, 400, "-32700"},
		{ping, []string{"Origin", "https://evil.example"}, 403, "-32600"},
		{ping, []string{"Origin", "null"}, 403, "-32600"},
		{toolCall("no_such_tool", "{}"), nil, 200, "-32602"},
		{toolCall("get_snapshot", `{"id":"`+strings.Repeat("x", 70000)+`"}`), nil, 413, "PAYLOAD_TOO_LARGE"},
	} {
		if status, text := h.post(t, "/mcp", tt.body, tt.headers...); status != tt.status || !strings.Contains(text, tt.want) {
			t.Errorf("%.80s: %d %s, want %d %s", tt.body, status, text, tt.status, tt.want)
		}
	}
	for i := range 30 {
		if status, text := h.post(t, "/mcp", toolCall("execute_calculation", `{"capability_id":"ohms-law","inputs":{"V":12,"R":8}}`)); status != 200 {
			t.Fatalf("calculation %d: %d %s", i+1, status, text)
		}
	}
	if status, text := h.post(t, "/mcp", toolCall("execute_calculation", `{}`), "Mcp-Name", "list_versions"); status != 429 || !strings.Contains(text, `"code":429`) || !strings.Contains(text, `"limit":30`) {
		t.Errorf("calculation 31: %d %s", status, text)
	}
	if status, text := h.get(t, "/mcp"); status != 405 || !strings.Contains(text, "METHOD_NOT_ALLOWED") {
		t.Errorf("GET: %d %s", status, text)
	}
	h.stop(t)
}

// slipstick mcp answers over a pipe, to the last line, and leaves no files or processes.
func TestMCPStdio(t *testing.T) {
	temp, err := os.MkdirTemp("", "t") // the path must be short, because socket paths have a length limit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temp) })
	cmd := exec.CommandContext(t.Context(), built.slipstick, "mcp", "--registry", built.registry, "--data", t.TempDir())
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	initialize := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
	cmd.Stdin = strings.NewReader(initialize + toolCall("execute_calculation", `{"capability_id":"ohms-law","inputs":{"V":12,"R":8}}`) + "\nnot JSON\n" +
		strings.Replace(toolCall("execute_calculation", `{"capability_id":"ohms-law","inputs":{},"calculation_version":"7.0.0"}`), `"id":1`, `"id":2`, 1))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	for _, want := range []string{`"id":1,"result"`, `"current":1.5`, `"code":-32700`, `"id":2,"result"`, `"code":"VERSION_MISMATCH"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
	if r := slipstick(t.Context(), "mcp", "--registry", filepath.Join(temp, "typo")); r.code != exitMisuse || !strings.Contains(r.err, "typo") || r.out != "" {
		t.Errorf("no registry: %d\n%s%s", r.code, r.out, r.err)
	}
}

// The lines for clients in the guide start the program as an agent does.
func TestAgentGuide(t *testing.T) {
	guide := string(mustRead(t, filepath.Join(root, "docs", "start", "agent.md")))
	type program struct {
		Name, Command string
		Args          []string
	}
	var cursor struct{ MCPServers map[string]program }
	var code program
	for _, b := range blocks(guide) {
		if b.language == "json" {
			if err := json.Unmarshal([]byte(strings.Join(b.lines, "\n")), &cursor); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, text, _ := strings.Cut(guide, "code --add-mcp '")
	text, _, _ = strings.Cut(text, "'")
	if err := json.Unmarshal([]byte(text), &code); err != nil || code.Name != "slipstick" {
		t.Fatalf("%v in %s", err, text)
	}
	_, line, _ := strings.Cut(guide, "`claude mcp add slipstick -- ")
	line, _, _ = strings.Cut(line, "`")
	words := strings.Fields(line)
	here := strings.NewReplacer("/opt/slipstick/slipstick", built.slipstick, "/opt/slipstick/data", t.TempDir())
	for client, of := range map[string]program{"Cursor": cursor.MCPServers["slipstick"], "VS Code": code, "Claude Code": {"", words[0], words[1:]}} {
		for i := range of.Args {
			of.Args[i] = here.Replace(of.Args[i])
		}
		cmd := exec.CommandContext(t.Context(), here.Replace(of.Command), of.Args...)
		cmd.Env = append(os.Environ(), "SLIPSTICK_REGISTRY="+built.registry) // for the library of an archive
		cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n" {
			t.Errorf("%s: %v: %v\n%s", client, cmd.Args, err, out)
		}
	}
}

// The skill has the front matter that clients read, and names only tools that exist.
func TestSkill(t *testing.T) {
	text := string(mustRead(t, filepath.Join(root, "host", "deploy", "skill", "slipstick", "SKILL.md")))
	front, body, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
	name, description, described := strings.Cut(front, "\n")
	if !ok || !described || name != "name: slipstick" || !strings.HasPrefix(description, "description: ") || len(description) > 1024 || strings.Contains(description, "\n") {
		t.Errorf("front matter %q", front)
	}
	h := startAll(t)
	_, list := h.post(t, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	for _, tool := range regexp.MustCompile("`([a-z]+_(?:capabilities|capability|calculation|study|snapshot|versions))`").FindAllStringSubmatch(body, -1) {
		if !strings.Contains(list, `"name":"`+tool[1]+`"`) {
			t.Errorf("there is no tool %s", tool[1])
		}
	}
	for _, named := range []string{"search_capabilities", "execute_calculation", "describe_capability", "run_study", "create_snapshot"} {
		if !strings.Contains(body, "`"+named+"`") {
			t.Errorf("the skill does not name %s", named)
		}
	}
	h.stop(t)
}

// The official client and the Inspector use the built program. It also passes the checks of the official
// conformance suite that apply to every server. TestConformanceSuite of host/internal/http/mcp has the checks that
// need fixtures.
func TestMCPJudges(t *testing.T) {
	busy(t)
	h := startAll(t, "--limit", unlimited)
	judge(t, "mcp", "client", h.url+"/mcp")
	judge(t, "mcp", "client", "--", built.slipstick, "mcp", "--registry", built.registry, "--data", t.TempDir())
	judge(t, "mcp", "inspector", h.url+"/mcp")
	judge(t, "mcp", "conformance", h.url+"/mcp", "2026-07-28", "own")
	judge(t, "mcp", "conformance", h.url+"/mcp", "2025-11-25", "own")
	h.stop(t)
}
