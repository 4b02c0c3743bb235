package system

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
)

// codeExamples has a request for each code that one request can cause. A request starts with its method and its
// path. Header fields and an empty line can follow, and then the body. Bodies are JSON without a Content-Type.
var codeExamples = map[string]string{
	"ALL_REJECTED":                  "POST /api/v1/study/ohms-law\n\n" + `{"kind": "sweep", "inputs": {"V": 12}, "vary": {"R": [-1, -2]}}`,
	"AMBIGUOUS_FRAMING":             "POST /api/v1/calc/ohms-law\nContent-Length: 2\nTransfer-Encoding: chunked\n\n{}",
	"AS_OF_UNKNOWN":                 "GET /api/v1/calc/ohms-law?as_of=2026-03-01",
	"BAD_REQUEST":                   "GET /api/v1/calc/%zz",
	"CAPABILITY_NOT_FOUND":          "POST /mcp\n\n" + `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "execute_calculation", "arguments": {"capability_id": "ohm-law", "inputs": {}}}}`,
	"CONFLICTING_INPUTS":            "POST /api/v1/calc/ohms-law\n\n" + `{"V": 12, "volts": 24, "R": 8}`,
	"ENGINE_NOT_FOUND":              "POST /api/v1/calc/ohm-law\n\n" + `{"V": 12, "R": 8}`,
	"EXPECTATION_FAILED":            "POST /api/v1/calc/ohms-law\nExpect: 200-ok\n\n" + `{"V": 12, "R": 8}`,
	"INCOMPATIBLE_UNIT":             "POST /api/v1/calc/ohms-law\n\n" + `{"V": {"value": 12, "unit": "A"}, "R": 8}`,
	"INVALID_ARGUMENT":              "POST /mcp\n\n" + `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search_capabilities", "arguments": {"query": 7}}}`,
	"INVALID_AS_OF":                 "GET /api/v1/calc/ohms-law?as_of=yesterday",
	"INVALID_COLUMNS":               "POST /api/v1/batch?id=ohms-law\nContent-Type: application/vnd.apache.parquet\n\nV,R",
	"INVALID_CORRELATION":           "POST /api/v1/study/ohms-law\n\n" + `{"kind": "gum", "inputs": {"V": 12, "R": 8}, "output": "current", "uncertain": {"V": {"standard_uncertainty": 1}, "R": {"standard_uncertainty": 1}}, "correlation": [{"of": ["V", "R"], "r": 1.5}]}`,
	"INVALID_CSV":                   "POST /api/v1/batch?id=ohms-law\nContent-Type: text/csv\n\nV,R,V\n12,8,24",
	"INVALID_DISTRIBUTION":          "POST /api/v1/study/ohms-law\n\n" + `{"kind": "gum", "inputs": {"V": 12, "R": 8}, "output": "current", "uncertain": {"R": {"distribution": "rectangular", "half_width": 0}}}`,
	"INVALID_JSON":                  "POST /api/v1/calc/ohms-law\n\n" + `{"V": 12, "R": 8`,
	"INVALID_MODE":                  "POST /api/v1/calc/amps-to-volts\n\n" + `{"mode": "watt", "W": 100, "I": 2}`,
	"INVALID_NUMBER":                "POST /api/v1/calc/ohms-law\n\n" + `{"V": "12", "R": 8}`,
	"INVALID_PLAN":                  "POST /api/v1/study/ohms-law\n\n" + `{"inputs": {"V": 12, "R": 8}}`,
	"INVALID_QUERY":                 "POST /api/v1/calc/ohms-law?calculation_versoin=1.0.1\n\n" + `{"V": 12, "R": 8}`,
	"INVALID_VERSION_PIN":           "POST /api/v1/calc/ohms-law\n\n" + `{"inputs": {"V": 12, "R": 8}, "calculation_version": 1}`,
	"METHOD_NOT_ALLOWED":            "PUT /api/v1/calc/ohms-law\n\n{}",
	"MISSING_REQUIRED_INPUT":        "POST /api/v1/calc/amps-to-volts\n\n" + `{"mode": "watts", "I": 2}`,
	"NON_FINITE_RESULT":             "POST /api/v1/calc/ohms-law\n\n" + `{"V": 1e200, "R": 1e-200}`,
	"NOT_FOUND":                     "GET /api/v2/calc",
	"NO_BRACKET":                    "POST /api/v1/study/ohms-law\n\n" + `{"kind": "goal_seek", "inputs": {"V": 12}, "output": "current", "unknown": "R", "bracket": [1, 2], "goal": 100}`,
	"NUMERIC_UNDERFLOW":             "POST /api/v1/calc/ohms-law\n\n" + `{"V": 1e-400, "R": 8}`,
	"RATE_LIMITED":                  "POST /api/v1/share\n\n" + `{"tool_id": "ohms-law", "inputs": {"V": 12, "R": 8}}`,
	"SNAPSHOT_NOT_FOUND":            "GET /s/cx_aaaaaaaaaaaaaaaaaaaaaaaaaa",
	"UNDEFINED":                     "POST /api/v1/calc/ohms-law\n\n" + `{"V": 0, "I": 0}`,
	"UNKNOWN_INPUT":                 "POST /api/v1/calc/ohms-law\n\n" + `{"V": 12, "resistence": 8}`,
	"UNKNOWN_OUTPUT":                "POST /api/v1/study/ohms-law\n\n" + `{"kind": "sweep", "inputs": {"V": 12}, "vary": {"R": [1, 2]}, "output": "amperage"}`,
	"UNKNOWN_UNIT":                  "POST /api/v1/calc/ohms-law\n\n" + `{"V": {"value": 12, "unit": "volt-ish"}, "R": 8}`,
	"UNSUPPORTED_HTTP_VERSION":      "GET /api/v1/calc HTTP/3.0",
	"UNSUPPORTED_MEDIA_TYPE":        "POST /api/v1/calc/ohms-law\nContent-Type: text/plain\n\n" + `{"V": 12, "R": 8}`,
	"UNSUPPORTED_TRANSFER_ENCODING": "POST /api/v1/calc/ohms-law\nTransfer-Encoding: gzip\n\n{}",
	"VERSION_MISMATCH":              "POST /api/v1/calc/ohms-law?calculation_version=9.9.9\n\n" + `{"V": 12, "R": 8}`,
	"VERSION_PIN_CONFLICT":          "POST /api/v1/calc/ohms-law?calculation_version=1.0.1\nService-Spec-Version: 1.0.0\n\n" + `{"V": 12, "R": 8}`,

	"CURRENT_MUST_BE_NONZERO":    "POST /api/v1/calc/amps-to-volts\n\n" + `{"mode": "watts", "W": 100, "I": 0}`,
	"POWER_FACTOR_OUT_OF_RANGE":  "POST /api/v1/calc/watts-to-amps\n\n" + `{"circuit": "ac1", "primary": 60, "volts": 12, "pf": 1.5}`,
	"RESISTANCE_MUST_BE_NONZERO": "POST /api/v1/calc/amps-to-volts\n\n" + `{"mode": "ohms", "dir": "volts_to_amps", "V": 12, "R": 0}`,
	"VOLTAGE_MUST_BE_POSITIVE":   "POST /api/v1/calc/watts-to-amps\n\n" + `{"primary": 60, "volts": 0}`,

	"POWER_FACTOR_IGNORED": "POST /api/v1/calc/watts-to-amps\n\n" + `{"circuit": "dc", "primary": 60, "volts": 12, "pf": 0.9}`,
}

const (
	errorsPage  = "../../docs/reference/errors.md"
	errorsIntro = `# Errors

Every code of errors and warnings: what happened, what to do, and a request that causes it. The command line ends with an
[exit code](#exit-codes). ` + "`slipstick explain CODE`" + ` prints a section of this page, without a server. A test makes this page from
the code, and sends each example to a server:
` + "`cd tools && go test -vet=off ./system -run TestErrorsPage -update`" + `.

Programs read ` + "`code`" + `, which never changes its meaning. ` + "`error`, `title`, `detail` and `suggestion`" + ` are texts for people.
[HTTP API](http-api.md#errors) describes the members of an error body. A server explains each code at ` + "`/problems/<slug>`" + `,
where the slug is the code in kebab case. That page also lists the capabilities that declare the code.

An error is recoverable if a corrected or repeated request can succeed. In the examples the body is JSON unless a Content-Type is shown.
The last lines are the status and the member ` + "`error`" + `.
`
	enginesIntro = `
## Codes of engines

An engine declares its own codes, and no response has another one. Names follow the rule that is broken:
` + "`<QUANTITY>_MUST_BE_POSITIVE`, `<QUANTITY>_MUST_BE_NONNEGATIVE`, `<QUANTITY>_MUST_BE_NONZERO` or `<FIELD>_OUT_OF_RANGE`" + `.
The status is 400. ` + "`STEP_REJECTED` and `UNDECIDED`" + ` have the same meaning in every engine, and the other codes are examples.
`
	warningsIntro = `
## Warnings

A warning is in ` + "`warnings`" + ` of a success with status 200. An engine also declares the codes of its own warnings.
`
	exitIntro = `
## Exit codes

A command of ` + "`slipstick`" + ` that ends with an error of the service prints the code and the text of the error on stderr. Statuses below
500 give exit code 1, and other statuses give 3. A batch, or a command for several engines, ends with the highest code that applies.
A batch continues after a row without a result, unless the command has ` + "`--no-keep-going`" + `. A shard is complete even if it has rejected
rows, and gives 0. ` + "[`slipstick batch verify`](../guides/batches.md)" + ` checks whether all shards are complete.

| exit code | meaning | examples |
| --- | --- | --- |
`
)

// The page about errors has every code of the service, and the server answers each example with its code. The
// examples include every code of section 7.3 of the interface.
func TestErrorsPage(t *testing.T) {
	h := startServer(t, "--limit", "calc=0,share=1")
	h.createSnapshot(t) // the limit allows one snapshot
	engineCodes := map[string][]string{"UNDECIDED": nil, "STEP_REJECTED": nil}
	for code := range codeExamples {
		if strings.Contains(code, "_MUST_BE_") || strings.HasSuffix(code, "_OUT_OF_RANGE") {
			engineCodes[code] = nil
		}
	}
	var service, engines []problem.Doc
	for _, doc := range problem.ExplainErrors(engineCodes) {
		if _, ok := engineCodes[doc.Code]; ok {
			engines = append(engines, doc)
		} else {
			service = append(service, doc)
		}
	}
	var b strings.Builder
	b.WriteString(errorsIntro)
	writeStatuses(&b, service)
	used := 0
	write := func(intro string, docs []problem.Doc) {
		b.WriteString(intro)
		for _, doc := range docs {
			used += writeCode(t, &b, h, doc)
		}
	}
	write("\n## Codes of the service\n", service)
	write("\n## Codes of MCP\n\nOnly calls of MCP tools can give these codes. The status is `http_status` in the body, and the status of the response is 200.\n", problem.ExplainMCP())
	write(enginesIntro, engines)
	write(warningsIntro, problem.ExplainWarnings(nil))
	if used != len(codeExamples) {
		t.Errorf("%d examples are on the page, want all %d", used, len(codeExamples))
	}
	b.WriteString(exitIntro)
	writeExitCodes(t, &b)
	if *update {
		if err := os.WriteFile(errorsPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(errorsPage); err != nil || string(got) != b.String() {
		t.Errorf("%s is not what the code gives (%v): run go test -vet=off ./system -run TestErrorsPage -update in tools", errorsPage, err)
	}
}

// writeStatuses lists the codes of each status.
func writeStatuses(b *strings.Builder, docs []problem.Doc) {
	codes := map[int][]string{}
	var statuses []int
	for _, doc := range docs {
		if codes[doc.HTTPStatus] == nil {
			statuses = append(statuses, doc.HTTPStatus)
		}
		codes[doc.HTTPStatus] = append(codes[doc.HTTPStatus], fmt.Sprintf("[`%s`](#%s)", doc.Code, strings.ToLower(doc.Code)))
	}
	slices.Sort(statuses)
	b.WriteString("\n## HTTP statuses\n\n| status | codes |\n| --- | --- |\n")
	for _, status := range statuses {
		fmt.Fprintf(b, "| %d %s | %s |\n", status, http.StatusText(status), strings.Join(codes[status], ", "))
	}
}

// writeCode describes one code, and returns the number of its examples.
func writeCode(t *testing.T, b *strings.Builder, h *server, doc problem.Doc) int {
	t.Helper()
	fmt.Fprintf(b, "\n### %s\n\n", doc.Code)
	if doc.Kind == problem.KindError {
		recoverable := "not recoverable"
		if doc.Recoverable {
			recoverable = "recoverable"
		}
		fmt.Fprintf(b, "**%s**, status %d, %s.\n\n", doc.Title, doc.HTTPStatus, recoverable)
	} else {
		fmt.Fprintf(b, "**%s**.\n\n", doc.Title)
	}
	fmt.Fprintf(b, "- **Cause:** %s\n- **Remedy:** %s\n", markMembers(doc.Cause), markMembers(doc.Remedy))
	request, ok := codeExamples[doc.Code]
	if !ok {
		return 0
	}
	status, text := sendExample(t, h, doc, request)
	fmt.Fprintf(b, "\n```\n%s\n\n%d\n%s\n```\n", strings.Replace(request, "\n\n", "\n", 1), status, text)
	return 1
}

var member = regexp.MustCompile(`[a-z]+(?:_[a-z]+)+|\bdetail\b|\bfield\b|\bHost\b`)

// markMembers marks the names of members in a text as code.
func markMembers(text string) string { return member.ReplaceAllString(text, "`$0`") }

var waiting = regexp.MustCompile(`Wait \d+ s`)

// sendExample sends a request to the server, and returns the status and the text of the answer. The answer must
// have the code.
func sendExample(t *testing.T, h *server, doc problem.Doc, request string) (status int, text string) {
	t.Helper()
	head, body, _ := strings.Cut(request, "\n\n")
	line, fields, _ := strings.Cut(head, "\n")
	if !strings.Contains(line, " HTTP/") {
		line += " HTTP/1.1"
	}
	address := strings.TrimPrefix(h.url, "http://")
	raw := line + "\r\nHost: " + address + "\r\nConnection: close\r\n"
	if fields != "" {
		raw += strings.ReplaceAll(fields, "\n", "\r\n") + "\r\n"
	}
	if body != "" && !strings.Contains(fields, "Content-Type") {
		raw += "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
	}
	if body != "" && !strings.Contains(fields, "Transfer-Encoding") {
		raw += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, raw+"\r\n"+body); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Errorf("%s: %v", doc.Code, err)
		return 0, ""
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	text, ok := textOfCode(answer, doc.Code)
	mcp := strings.HasPrefix(line, "POST /mcp")
	if !ok || resp.StatusCode != doc.HTTPStatus && !mcp {
		t.Errorf("%s: %s\n%d %s", doc.Code, request, resp.StatusCode, answer)
	}
	return resp.StatusCode, waiting.ReplaceAllString(text, "Wait 60 s")
}

// textOfCode returns the text of the error or warning with the code, wherever it is in a JSON answer. An answer of one
// line of text starts with the code.
func textOfCode(answer []byte, code string) (string, bool) {
	var decoded any
	if err := json.Unmarshal(answer, &decoded); err != nil {
		return string(bytes.TrimSpace(answer)), bytes.HasPrefix(answer, []byte(code+": "))
	}
	var find func(any) (string, bool)
	find = func(v any) (string, bool) {
		switch v := v.(type) {
		case map[string]any:
			if v["code"] == code {
				detail, _ := v["detail"].(string)
				whole, _ := v["error"].(string)
				return cmp.Or(whole, detail), true
			}
			for _, member := range v {
				if text, ok := find(member); ok {
					return text, true
				}
			}
		case []any:
			for _, item := range v {
				if text, ok := find(item); ok {
					return text, true
				}
			}
		}
		return "", false
	}
	return find(decoded)
}

// exitExamples has causes of each exit code.
var exitExamples = map[string]string{
	"0": "A result. A registry that still matches its lock file. A server that is ready.",
	"1": "A rejected input or version pin. An engine that does not conform. A refused release. A difference that `lock --check` or `client --check` finds. " +
		"A result that `replay` does not repeat. A condition of `impact --fail-on`. A server that is not ready.",
	"2": "An unknown flag. A file that does not exist. A trust file with a mistake. A missing registry.",
	"3": "A registry that cannot be reached. An address in use. A full disk. An engine that crashes or cannot be judged. A stored result that cannot be computed again.",
}

var exitLine = regexp.MustCompile(`(?m)^ +(\d)  (.+)$`)

// writeExitCodes copies the exit codes from the help of the command.
func writeExitCodes(t *testing.T, b *strings.Builder) {
	t.Helper()
	help, err := exec.Command(built.slipstick, "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, list, ok := strings.Cut(string(help), "Exit codes")
	lines := exitLine.FindAllStringSubmatch(list, -1)
	if !ok || len(lines) != 4 {
		t.Fatalf("exit codes in the help: %q", lines)
	}
	for _, line := range lines {
		fmt.Fprintf(b, "| %s | %s | %s |\n", line[1], line[2], exitExamples[line[1]])
	}
}
