package system

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const plateArea = `# Area of a plate

Area of a rectangular plate.

- id: test.plate.area
- version: 1.0.0
- keywords: plate

## Inputs

| symbol | name   | unit | range | doc         |
| ------ | ------ | ---- | ----- | ----------- |
| a      | width  | m    | [0,)  | The width.  |
| b      | height | m    | [0,)  | The height. |

## Formula

` + "```formula" + `
A = a*b
` + "```" + `

## Outputs

| symbol | name | unit | doc       |
| ------ | ---- | ---- | --------- |
| A      | area | m2   | The area. |

## References

- Euclid: I.35

## Vectors

` + "```vectors" + `
V1: hand: 2*3
  a = 2 m, b = 3 m
  => A == 6 m2
V2: hand: 0*3
  a = 0 m, b = 3 m
  => A == 0 m2
V3: hand: 0.5*3
  a = 0.5 m, b = 3 m
  => A == 1.5 m2
` + "```" + `
`

const platePaint = `# Paint of a plate

Volume of paint on both sides of a rectangular plate.

- id: test.plate.paint
- version: 1.0.0
- keywords: paint
- use area: test.plate.area@1.0.0

## Inputs

| symbol | name      | unit | range | doc                      |
| ------ | --------- | ---- | ----- | ------------------------ |
| a      | width     | m    | [0,)  | The width.               |
| b      | height    | m    | [0,)  | The height.              |
| t      | thickness | mm   | [0,)  | The thickness of a coat. |

## Formula

` + "```formula" + `
plate = area(width=a, height=b)
V = 2*t*plate.area
` + "```" + `

## Outputs

| symbol | name   | unit | doc                  |
| ------ | ------ | ---- | -------------------- |
| V      | volume | m3   | The volume of paint. |

## References

- Euclid: XI.25

## Vectors

` + "```vectors" + `
V1: hand: 2*0.001*6
  a = 2 m, b = 3 m, t = 1 mm
  => V == 0.012 m3
V2: hand: 2*0.001*0
  a = 0 m, b = 3 m, t = 1 mm
  => V == 0 m3
V3: hand: 2*0.002*1.5
  a = 0.5 m, b = 3 m, t = 2 mm
  => V == 0.006 m3
` + "```" + `
`

// plateEffect is the JSON form of an impact, and of a dependent.
type plateEffect struct {
	Capability string `json:"capability_id"`
	Version    string `json:"calculation_version"`
	Step       struct {
		Version string `json:"calculation_version"`
	}
	Reason      string
	Read        uint64
	Same        uint64
	Different   uint64
	NotComputed uint64 `json:"not_computed"`
	Dependents  []plateEffect
}

// A new version of a step changes stored results of the documents that call it. Impact counts them before the version is
// published, and after.
func TestImpactOnDependents(t *testing.T) {
	busy(t)
	dir := t.TempDir()
	registry := filepath.Join(dir, "registry")
	area, paint, stored := filepath.Join(dir, "area.calc.md"), filepath.Join(dir, "paint.calc.md"), filepath.Join(dir, "answers.ndjson")
	writeDocument(t, area, plateArea)
	writeDocument(t, paint, platePaint)
	does(t, "publish", "--to", registry, area)
	does(t, "fmt", "--registry", registry, paint)
	does(t, "publish", "--to", registry, paint)
	h := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", registry, "--data", t.TempDir()})
	_, answers := h.post(t, "/api/v1/batch?output=attributed", `{"id":"area","inputs":{"width":2,"height":3}}
{"id":"area","inputs":{"width":0,"height":3}}
{"id":"paint","inputs":{"width":2,"height":3,"thickness":0.001}}
{"id":"paint","inputs":{"width":0,"height":3,"thickness":0.001}}
{"id":"paint","inputs":{"width":3,"height":3,"thickness":0.001}}
`, "Content-Type", "application/x-ndjson")
	h.stop(t)
	writeDocument(t, stored, answers)

	next := filepath.Join(dir, "next.calc.md")
	larger := strings.NewReplacer("version: 1.0.0", "version: 2.0.0", "A = a*b\n", "A = a*b + {1 m2} if a > {0 m}\nA = {0 m2} otherwise\n",
		"hand: 2*3", "hand: 2*3 + 1", "== 6 m2", "== 7 m2", "hand: 0.5*3", "hand: 0.5*3 + 1", "== 1.5 m2", "== 2.5 m2",
		"## Vectors", "## Changes\n\nThe handle has an area too.\n\n## Vectors").Replace(plateArea)
	writeDocument(t, next, larger)
	impact := func(of string, code int, args ...string) result {
		t.Helper()
		r := slipstick(t.Context(), append([]string{"impact", of, "--registry", registry, "--over", stored}, args...)...)
		if r.code != code {
			t.Errorf("impact %s %v: exit %d, want %d: %s%s", of, args, r.code, code, r.out, r.err)
		}
		return r
	}
	html, junit := filepath.Join(dir, "impact.html"), filepath.Join(dir, "impact.xml")
	counts := func(of string) {
		t.Helper()
		var e plateEffect
		if err := json.Unmarshal([]byte(impact(of, exitOK, "--json", "--html", html, "--junit", junit).out), &e); err != nil || len(e.Dependents) != 1 {
			t.Fatalf("%+v, %v", e, err)
		}
		if e.Version != "2.0.0" || e.Read != 5 || e.Same != 1 || e.Different != 1 {
			t.Errorf("the step: %+v", e)
		}
		d := e.Dependents[0]
		if d.Capability != "test.plate.paint" || d.Version != "1.0.0" || d.Step.Version != "2.0.0" || d.Read != 3 || d.Same != 1 || d.Different != 2 || d.NotComputed != 0 {
			t.Errorf("the document: %+v", d)
		}
	}
	counts(next)
	for file, want := range map[string]string{html: "<code>test.plate.paint</code> 1.0.0", junit: `classname="test.plate.paint"`} {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s, %v", want, text, err)
		}
	}
	for _, want := range []string{"test.plate.area with 2.0.0\n", "test.plate.paint 1.0.0 with test.plate.area 2.0.0\n", "volume is 0.014, and was 0.012"} {
		if out := impact(next, exitOK).out; !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	if r := impact(next, exitFailed, "--fail-on", "changed"); !strings.Contains(r.err, "3 results differ") {
		t.Errorf("--fail-on changed: %s", r.err)
	}
	impact(next, exitOK, "--fail-on", "rel=0.17", "--fail-on", "refused")

	// A step that lacks the output does not fail the command. The results of the document are not computed.
	renamed := strings.NewReplacer("| A      | area | m2 ", "| A      | size | m2 ").Replace(larger)
	lacking := filepath.Join(dir, "lacking.calc.md")
	writeDocument(t, lacking, renamed)
	var e plateEffect
	err := json.Unmarshal([]byte(impact(lacking, exitOK, "--json").out), &e)
	if err != nil || len(e.Dependents) != 1 || e.Dependents[0].NotComputed != 3 || !strings.Contains(e.Dependents[0].Reason, "the record has no field area") {
		t.Errorf("without the output: %+v, %v", e, err)
	}
	if out := impact(lacking, exitOK).out; !strings.Contains(out, "not computed: 3, cannot be made with the step") {
		t.Errorf("without the output: %s", out)
	}

	does(t, "publish", "--to", registry, next)
	counts("test.plate.area@2.0.0")
}
