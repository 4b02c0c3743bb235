package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// reference is a case of the catalogue: a vector, or an error.
type reference struct {
	ID         string          `json:"id"`
	Capability string          `json:"capability"`
	Inputs     json.RawMessage `json:"inputs"`
	Raw        string          `json:"inputs_raw"`
	Status     int             `json:"http_status"` // 0: a vector, which expects results
	Expected   map[string]any  `json:"expected"`
	RTol       float64         `json:"rtol"`
	ATol       float64         `json:"atol"`
	Tags       []string        `json:"tags"`
}

// text are the inputs as they are sent.
func (c *reference) text() string {
	if c.Raw != "" {
		return c.Raw
	}
	return string(c.Inputs)
}

// allReferences are the cases of a file of testdata.
func allReferences(t *testing.T, file string) (cases []reference) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err == nil {
		err = json.Unmarshal(data, &cases)
	}
	if err != nil || len(cases) == 0 {
		t.Fatal(file, err)
	}
	return cases
}

// references are those of the capabilities in built.registry.
func references(t *testing.T, file string) []reference {
	t.Helper()
	published := map[string]bool{}
	r := slipstick(t.Context(), "list", "--json", "--registry", built.registry)
	for line := range strings.Lines(r.out) {
		var row listRow
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		published[row.Capability] = true
	}
	return slices.DeleteFunc(allReferences(t, file), func(c reference) bool { return !published[c.Capability] })
}

// The whole library: every engine of this repository builds, conforms and is published;
// every reference case is answered as it expects, and alike in all the ways in which it
// can be asked; the index in docs is that of what is published; nothing claims more
// checking than there was; and outsiders find nothing wrong with its pages.
func TestLibrary(t *testing.T) {
	registry := library(t)
	compareIndex(t, registry)
	h := startHostWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", registry, "--data", t.TempDir(), "--limit", unlimited})
	if len(h.said) != 1 {
		t.Errorf("serve said:\n%s", strings.Join(h.said, "\n"))
	}
	if n := len(children(h.cmd.Process.Pid)); n != 0 {
		t.Errorf("%d engine processes before anybody asked", n)
	}
	h.drain()
	t.Run("cases", func(t *testing.T) {
		for _, c := range allReferences(t, "vectors.json") {
			h.checkVector(t, &c)
		}
		for _, c := range allReferences(t, "errors.json") {
			h.checkError(t, &c)
		}
	})
	t.Run("parity", func(t *testing.T) {
		for _, c := range allReferences(t, "vectors.json") {
			h.checkParity(t, &c)
		}
		for _, c := range allReferences(t, "errors.json") {
			h.checkSameError(t, &c)
		}
	})
	t.Run("claims", h.checkClaims)
	t.Run("readme", func(t *testing.T) {
		_, document := readme(t)
		_, serves, _ := strings.Cut(h.said[0], " with ")
		if !strings.Contains(document, "slipstick: serving http://127.0.0.1:8080 with "+serves+"\n") {
			t.Errorf("the README does not say that it serves %s", serves)
		}
		if !*update { // what it says is printed from few engines, and must hold with all
			readmeCommands(t, document, registry)
		}
	})
	t.Run("pages", func(t *testing.T) {
		judge(t, "pages", "browse", h.url)
		judge(t, "pages", "lighthouse", h.url)
	})
}

// library builds every engine of this repository and publishes it in a new registry.
func library(t *testing.T, env ...string) (registry string) {
	t.Helper()
	dir, plugins := t.TempDir(), filepath.Join(root, "plugins")
	engines, registry := filepath.Join(dir, "engines"), filepath.Join(dir, "registry")
	if err := os.Mkdir(engines, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := goBuildAs(env, plugins, engines+"/", mains(plugins)...); err != nil {
		t.Fatal(err)
	}
	programs, _ := filepath.Glob(filepath.Join(engines, "*"))
	if r := slipstick(t.Context(), append([]string{"publish", "--to", registry}, programs...)...); r.code != exitOK {
		t.Fatalf("publish: %s%s", r.out, r.err)
	}
	return registry
}

// Engines compute the same, to the bit, whichever instructions they are compiled to. In
// scripts/soak: everything is compiled twice for it.
func TestInstructions(t *testing.T) {
	if !soaking {
		t.Skip("in scripts/soak instructions")
	}
	var hosts []*host
	for _, level := range []string{"v1", "v3"} {
		h := startHostWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", library(t, "GOAMD64="+level), "--data", t.TempDir(), "--limit", unlimited})
		h.drain()
		hosts = append(hosts, h)
	}
	asked, answered := 0, 0
	for _, c := range allReferences(t, "vectors.json") {
		var inputs any
		if err := json.Unmarshal(c.Inputs, &inputs); err != nil {
			t.Fatal(err)
		}
		for range 40 {
			text, err := json.Marshal(inputs)
			if err != nil {
				t.Fatal(err)
			}
			var status [2]int
			var got [2]struct{ Result, Code json.RawMessage }
			for i, h := range hosts {
				var body string
				status[i], body = h.post(t, "/api/v1/calc/"+c.Capability, string(text))
				if err := json.Unmarshal([]byte(body), &got[i]); err != nil {
					t.Fatal(err)
				}
			}
			if asked++; status[0] == http.StatusOK {
				answered++
			}
			if status[0] != status[1] || !reflect.DeepEqual(got[0], got[1]) {
				t.Errorf("%s %s: %s with v1, %s with v3", c.ID, text, got[0], got[1])
			}
			inputs = near(inputs)
		}
	}
	t.Logf("%d questions, %d with a result", asked, answered)
	if answered < asked/2 {
		t.Error("hardly any question has a result")
	}
}

// near are inputs whose numbers are a little different.
func near(v any) any {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 20 { // it may have to be whole
			return v
		}
		return v * (1 + 0.02*(rand.Float64()-0.5))
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = near(v[i])
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for name := range v {
			object[name] = near(v[name])
		}
		return object
	}
	return v
}

// checkParity makes sure that a vector gives one and the same answer, to the byte: over
// REST, as the structured content of MCP, as the frozen result of a fresh snapshot, and
// in the page.
func (h *host) checkParity(t *testing.T, c *reference) {
	t.Helper()
	arguments := fmt.Sprintf(`{"capability_id":%q,"inputs":%s}`, c.Capability, c.Inputs)
	status, rest := h.post(t, "/api/v1/calc/"+c.Capability, string(c.Inputs))
	executed, _ := h.tool(t, "execute_calculation", arguments)
	frozen, _ := h.tool(t, "create_snapshot", arguments)
	var record struct {
		ID     string
		Result json.RawMessage
	}
	if err := json.Unmarshal([]byte(frozen), &record); err != nil {
		t.Fatal(err)
	}
	if status != http.StatusOK || rest != executed+"\n" || rest != string(record.Result)+"\n" {
		t.Errorf("%s: REST\n%s\nMCP\n%s\nfrozen\n%s", c.ID, rest, executed, record.Result)
	}
	if _, shared := h.get(t, "/api/v1/share/"+record.ID); shared != frozen {
		t.Errorf("%s: frozen\n%s\nread over REST\n%s", c.ID, frozen, shared)
	}
	var by struct{ Page string }
	if err := json.Unmarshal([]byte(rest), &by); err != nil {
		t.Fatal(err)
	}
	_, asTool := h.post(t, "/api/v1/calc/"+path.Base(by.Page), string(c.Inputs)) // id says how it was asked for
	if shown := h.shown(t, by.Page, c.Inputs); shown != asTool {
		t.Errorf("%s: REST\n%s\npage\n%s", c.ID, asTool, shown)
	}
}

var resultBlock = regexp.MustCompile(`<script type="application/json" id="calculatorx-result">([^<]*)</script>`)

// shown is the result in a page that is asked for inputs.
func (h *host) shown(t *testing.T, page string, inputs json.RawMessage) string {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(inputs, &members); err != nil {
		t.Fatal(err)
	}
	query := url.Values{}
	for name, value := range members {
		query.Set(name, inQuery(value))
	}
	address, text := strings.TrimPrefix(page, h.url), query.Encode()
	_, html := h.get(t, address+"?"+text)
	if len(text) > 4<<10 { // too long for an address: the form is sent
		_, html = h.post(t, address, text, "Content-Type", "application/x-www-form-urlencoded")
	}
	block := resultBlock.FindStringSubmatch(html)
	if block == nil {
		return html
	}
	var plain bytes.Buffer // in HTML some characters are escaped
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	if err := e.Encode(json.RawMessage(block[1])); err != nil {
		t.Error(err)
	}
	return plain.String()
}

// inQuery writes an input as people write it in a form: the items of a list after each
// other, and so the rows of a table, each with the fields of an object in its order.
func inQuery(value json.RawMessage) string {
	var word string
	var items []json.RawMessage
	switch {
	case json.Unmarshal(value, &word) == nil:
		return word
	case json.Unmarshal(value, &items) != nil:
		return string(value)
	}
	list := make([]string, len(items))
	for i := range items {
		list[i] = inRow(items[i])
	}
	return strings.Join(list, "; ")
}

func inRow(value json.RawMessage) string {
	if value[0] != '{' && value[0] != '[' {
		return inQuery(value)
	}
	var words []string
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	for isName := false; ; {
		token, err := d.Token()
		if err != nil {
			return strings.Join(words, " ")
		}
		if _, isDelim := token.(json.Delim); isDelim {
			continue
		}
		if isName = !isName && value[0] == '{'; !isName {
			words = append(words, fmt.Sprint(token))
		}
	}
}

// checkSameError makes sure that REST and MCP refuse the same things, with the same code.
func (h *host) checkSameError(t *testing.T, c *reference) {
	t.Helper()
	_, rest := h.post(t, "/api/v1/calc", fmt.Sprintf(`{"id":%q,"inputs":%s}`, c.Capability, c.text()))
	executed, a := h.tool(t, "execute_calculation", fmt.Sprintf(`{"capability_id":%q,"inputs":%s}`, c.Capability, c.text()))
	if refused := strings.Contains(rest, `"status":"error"`); refused != a.Result.IsError {
		t.Errorf("%s: REST\n%s\nMCP\n%s", c.ID, rest, executed)
	} else if refused && codeOf(t, rest) != codeOf(t, executed) {
		t.Errorf("%s: REST %s, MCP %s", c.ID, codeOf(t, rest), codeOf(t, executed))
	}
}

func codeOf(t *testing.T, body string) string {
	t.Helper()
	var b struct{ Code, Field string }
	if err := json.Unmarshal([]byte(body), &b); err != nil {
		t.Fatal(err)
	}
	return b.Code + " of " + b.Field
}

func compareIndex(t *testing.T, registry string) {
	t.Helper()
	r := slipstick(t.Context(), "list", "--markdown", "--registry", registry)
	path := filepath.Join(root, "docs", "engines.md")
	if *update {
		if err := os.WriteFile(path, []byte(r.out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || r.out != string(want) {
		t.Errorf("docs/engines.md is not the index of the library (%v): go test ./cmd/slipstick -run Library -update writes it", err)
	}
}

func (h *host) checkVector(t *testing.T, c *reference) {
	t.Helper()
	status, body := h.post(t, "/api/v1/calc/"+c.Capability, string(c.Inputs))
	var got struct{ Result map[string]any }
	if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK {
		t.Errorf("%s: %d %s", c.ID, status, body)
		return
	}
	exact := slices.ContainsFunc(c.Tags, func(tag string) bool { return strings.Contains(tag, "exact") })
	for name, want := range c.Expected {
		if err := agrees(got.Result[name], want, c.RTol, c.ATol, exact); err != nil {
			t.Errorf("%s: %s: %v", c.ID, name, err)
		}
	}
}

// agrees compares numbers within the tolerance, and everything else to the letter.
func agrees(got, want any, rtol, atol float64, exact bool) error {
	g, number := got.(float64)
	w, wanted := want.(float64)
	if !number || !wanted {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("%v, want %v", got, want)
		}
		return nil
	}
	if off := math.Abs(g - w); off > max(rtol*math.Abs(w), atol) || exact && off != 0 {
		return fmt.Errorf("%v, want %v: off by %v", g, w, off)
	}
	return nil
}

func (h *host) checkError(t *testing.T, c *reference) {
	t.Helper()
	status, body := h.post(t, "/api/v1/calc/"+c.Capability, c.text())
	var got struct {
		Status, Code, Field string
		Result              map[string]any
		Warnings            []struct{ Code string }
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil || status != c.Status || got.Status != c.Expected["status"] {
		t.Errorf("%s: %d %s", c.ID, status, body)
		return
	}
	for _, member := range []struct {
		name string
		got  string
	}{{"code", got.Code}, {"field", got.Field}} {
		if want, ok := c.Expected[member.name]; ok && want != member.got {
			t.Errorf("%s: %s %q, want %v", c.ID, member.name, member.got, want)
		}
	}
	if warnings, ok := c.Expected["warnings"].([]any); ok {
		for _, want := range warnings {
			if !slices.ContainsFunc(got.Warnings, func(w struct{ Code string }) bool { return w.Code == want }) {
				t.Errorf("%s: no warning %v in %s", c.ID, want, body)
			}
		}
	}
	if results, ok := c.Expected["result"].(map[string]any); ok {
		for name, want := range results {
			if err := agrees(got.Result[name], want, 1e-12, 0, false); err != nil {
				t.Errorf("%s: %s: %v", c.ID, name, err)
			}
		}
	}
}

// checkClaims makes sure that the catalog says of every release that its vectors passed,
// and of none that a person has looked at it.
func (h *host) checkClaims(t *testing.T) {
	t.Helper()
	_, body := h.get(t, "/api/v1/calc")
	var catalog struct {
		Capabilities []struct {
			ID       string `json:"capability_id"`
			Versions []struct{ Tier string }
		}
	}
	if err := json.Unmarshal([]byte(body), &catalog); err != nil {
		t.Fatal(err)
	}
	for _, c := range catalog.Capabilities {
		for _, v := range c.Versions {
			if v.Tier != "engine_tested" {
				t.Errorf("%s is %q", c.ID, v.Tier)
			}
		}
	}
	if n := len(catalog.Capabilities); n != 66 {
		t.Errorf("%d capabilities, want the 66 of the catalogue", n)
	}
}
