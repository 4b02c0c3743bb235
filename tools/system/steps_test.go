package system

import (
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"testing"
)

// steps is the calculation that the test sends to every interface.
var steps = struct{ tool, inputs, query string }{
	"cantilever-deflection",
	`{"L":4,"E":{"value":210,"unit":"GPa"},"I":8.356e-5,"w0":12000,"b":3,"x":2.5}`,
	"L=4&E=210&E.unit=GPa&I=8.356e-5&w0=12000&b=3&x=2.5",
}

var copiedSteps = regexp.MustCompile(`(?s)<summary>Steps as text</summary>\s*<pre>(.*?)</pre>`)

// Every interface shows the same steps. They end with the number of the result, digit for digit.
func TestSteps(t *testing.T) {
	t.Parallel()
	h := startServer(t, "--registry", built.registry)
	_, rest := h.post(t, "/api/v1/calc/"+steps.tool+"?steps=true", steps.inputs)
	var body struct {
		Result map[string]json.RawMessage
		Steps  []struct{ Kind, Field, Value, Text string }
	}
	if err := json.Unmarshal([]byte(rest), &body); err != nil || len(body.Steps) == 0 {
		t.Fatalf("%v in %s", err, rest)
	}
	last := body.Steps[len(body.Steps)-1]
	if last.Kind != "result" || last.Value != string(body.Result[last.Field]) || last.Value == "" {
		t.Errorf("the last step is %+v, and the result %s", last, body.Result[last.Field])
	}
	if plain := outcome(rest); plain != outcome(second(h.post(t, "/api/v1/calc/"+steps.tool, steps.inputs))) {
		t.Errorf("with steps the result is another one: %s", plain)
	}
	var want strings.Builder
	for _, s := range body.Steps {
		want.WriteString(s.Text + "\n")
	}
	inUnits := func(where, got, last string) { // the same steps, with the units of the reader
		t.Helper()
		if formulas(got) != formulas(want.String()) || !strings.HasSuffix(got, last+"\n") {
			t.Errorf("%s\n%s\nwant the formulas of\n%s\nand %s", where, got, want.String(), last)
		}
	}

	over, _ := h.tool(t, "execute_calculation", `{"capability_id":"`+steps.tool+`","steps":true,"inputs":`+steps.inputs+`}`)
	if !strings.Contains(over, strings.TrimSpace(rest[strings.Index(rest, `"steps":`):])) {
		t.Errorf("over MCP\n%s\nwant\n%s", over, rest)
	}
	page := h.page(t, "/calc/statics/"+steps.tool+"?"+steps.query)
	inUnits("on the page", html.UnescapeString(found(copiedSteps, page)), "engine: delta = 1.4618 mm")
	_, out := command(t, "", "calc", "--registry", built.registry, "--steps", steps.tool, "L=4", "E=210GPa", "I=8.356e-5", "w0=12000", "b=3", "x=2.5")
	for _, s := range body.Steps {
		if s.Kind != "computed" && !strings.Contains(out, "  "+s.Text+"\n") {
			t.Errorf("the command line does not say %q:\n%s", s.Text, out)
		}
	}
	_, created := h.post(t, "/api/v1/share", `{"tool_id":"`+steps.tool+`","inputs":`+steps.inputs+`}`)
	var record struct{ Links struct{ Snapshot string } }
	if err := json.Unmarshal([]byte(created), &record); err != nil {
		t.Fatal(err)
	}
	shown := html.UnescapeString(found(copiedSteps, h.page(t, record.Links.Snapshot)))
	if !strings.HasSuffix(shown, "engine: delta = 1.4618 mm\n") {
		t.Errorf("a snapshot ends with\n%s", shown)
	}
}

// formulas returns the names and formulas of steps, without their numbers.
func formulas(steps string) string {
	var b strings.Builder
	for line := range strings.Lines(steps) {
		parts := strings.Split(line, " = ")
		b.WriteString(parts[0])
		if len(parts) > 2 && strings.ContainsAny(parts[1], "*/_") {
			b.WriteString(" = " + parts[1])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func second(_ int, body string) string { return body }
