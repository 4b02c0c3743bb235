package system

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
)

// checkParity makes sure that a vector has one byte-identical result over all interfaces. It compares REST, the
// structured content of MCP, a new snapshot, and the page.
func (h *server) checkParity(t *testing.T, c *reference) {
	t.Helper()
	arguments := fmt.Sprintf(`{"capability_id":%q,"inputs":%s}`, c.Capability, c.Inputs)
	status, rest := h.post(t, "/api/v1/calc/"+c.Capability, string(c.Inputs))
	executed, _ := h.tool(t, "execute_calculation", arguments)
	created, _ := h.tool(t, "create_snapshot", arguments)
	var record struct {
		ID     string
		Result json.RawMessage
	}
	if err := json.Unmarshal([]byte(created), &record); err != nil {
		t.Fatal(err)
	}
	if status != http.StatusOK || rest != executed+"\n" || rest != string(record.Result)+"\n" {
		t.Errorf("%s: REST\n%s\nMCP\n%s\nfrozen\n%s", c.ID, rest, executed, record.Result)
	}
	if _, shared := h.get(t, "/api/v1/share/"+record.ID); shared != created {
		t.Errorf("%s: frozen\n%s\nread over REST\n%s", c.ID, created, shared)
	}
	var by struct{ Page string }
	if err := json.Unmarshal([]byte(rest), &by); err != nil {
		t.Fatal(err)
	}
	tool := path.Base(by.Page)
	_, asTool := h.post(t, "/api/v1/calc/"+tool, h.asTyped(t, tool, c.Inputs)) // the id depends on how the call was made
	if shown := h.shown(t, by.Page, c.Inputs); legible(shown) != legible(asTool) {
		t.Errorf("%s: REST\n%s\npage\n%s", c.ID, asTool, shown)
	}
}

// legible returns JSON text without the escapes of <, > and &, which a page needs.
func legible(text string) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(text)
}

// asTyped returns the inputs as a page takes them: decimal strings for numbers, if the calculation takes decimals.
func (h *server) asTyped(t *testing.T, tool string, inputs json.RawMessage) string {
	t.Helper()
	var described struct{ Spec sdk.Spec }
	h.getJSON(t, "/api/v1/calc/"+tool, &described)
	var members map[string]json.RawMessage
	if err := json.Unmarshal(inputs, &members); err != nil {
		t.Fatal(err)
	}
	quote := func(number json.RawMessage) json.RawMessage {
		return json.RawMessage(`"` + strings.Trim(string(number), `"`) + `"`)
	}
	for name, value := range members {
		at := described.Spec.Input(name)
		if at < 0 || !takesDecimals(described.Spec.Inputs[at]) {
			continue
		}
		if items := []json.RawMessage{}; json.Unmarshal(value, &items) == nil {
			for i := range items {
				items[i] = quote(items[i])
			}
			value, _ = json.Marshal(items)
			members[name] = value
		} else {
			members[name] = quote(value)
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var resultBlock = regexp.MustCompile(`<script type="application/json" id="calculatorx-result">([^<]*)</script>`)

// shown returns the result on the page for the inputs.
func (h *server) shown(t *testing.T, page string, inputs json.RawMessage) string {
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
	if len(text) > 4<<10 { // the URL would be too long, so the form is posted
		_, html = h.post(t, address, text, "Content-Type", "application/x-www-form-urlencoded")
	}
	checkGlyphs(t, address, html)
	block := resultBlock.FindStringSubmatch(html)
	if block == nil {
		return html
	}
	var plain bytes.Buffer // HTML escapes some characters
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	if err := e.Encode(json.RawMessage(block[1])); err != nil {
		t.Error(err)
	}
	return plain.String()
}

// inQuery writes an input as people type it in a form. The items of a list follow each other. So do the rows of
// a table, each with the fields of an object in their order.
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
		isName = !isName && value[0] == '{'
		if !isName {
			words = append(words, fmt.Sprint(token))
		}
	}
}

// checkSameError makes sure that REST and MCP refuse the same inputs, with the same code.
func (h *server) checkSameError(t *testing.T, c *reference) {
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
