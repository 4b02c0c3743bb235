package page_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page"
	"github.com/slipstick/slipstick/sdk/formula"
)

// stepsOf returns the steps of a page as text: for screen readers, and for copies.
func stepsOf(t *testing.T, a answer) (heard, copied []string) {
	t.Helper()
	section := a.all(func(n *html.Node) bool { return strings.Contains(attr(n, "class"), "part steps") })
	if len(section) != 1 {
		t.Fatalf("%d sections of steps", len(section))
	}
	for n := range section[0].Descendants() {
		switch {
		case attr(n, "role") == "img":
			heard = append(heard, attr(n, "aria-label"))
		case n.Type == html.ElementNode && n.Data == "pre":
			copied = strings.Split(strings.TrimSpace(n.FirstChild.Data), "\n")
		}
	}
	return heard, copied
}

// The steps of the API end with the engine's number. A page has the same steps in the units of its reader: as entered, or
// of a system. Its part for scripts and a snapshot have them too.
func TestSteps(t *testing.T) {
	s := newSite(t)
	const inputs = `{"mode":"hard","L":{"value":2,"unit":"ft"},"P":3e5}`
	r := s.ask(t, http.MethodPost, "/api/v1/calc/shelf?steps=true", inputs, "Content-Type", "application/json", "Accept", "application/json")
	var body struct {
		Result map[string]json.RawMessage
		Steps  []formula.Step
	}
	if err := json.Unmarshal([]byte(r.text), &body); err != nil || len(body.Steps) < 6 {
		t.Fatalf("%s (%v)", r.text, err)
	}
	for _, step := range body.Steps {
		if step.Kind == formula.ResultStep && step.Value != string(body.Result[step.Field]) {
			t.Errorf("%s ends with %s, and the result is %s", step.Field, step.Value, body.Result[step.Field])
		}
	}
	want := []string{
		"L = 2 ft", "P = 67.4427 kip", "grade = c24, by default", "c = 5.7396293e-9 1/(lbf in2) (rule of <thumb>)",
		"delta = c*P*L^3 = {5.7396293e-9 1/(lbf in2)}*{67.442683 kip}*{2 ft}^3 = 5.3512151 in, because grade is c24 and L = 2 ft < 295.27559 ft",
		"length = L = 2 ft", "engine: delta = 5.35122 in", "engine: length = 2 ft",
	}
	metric, _ := stepsOf(t, s.get(t, shelf+"?mode=hard&L=2&length.unit=ft&P=3e5&units=metric"))
	if got := metric[4]; got != "delta = c*P*L^3 = {2e-6 1/(N m2)}*{300 kN}*{609.6 mm}^3 = 135.92086 mm, because grade is c24 and L = 609.6 mm < 90 m" {
		t.Errorf("in metric units: %s", got)
	}
	snap := newSnapshot(t, s, inputs, "2.0.0")
	whole, err := s.pages.Snapshot(t.Context(), snap, "")
	for name, a := range map[string]answer{
		"page": s.get(t, shelf+"?mode=hard&L=2&length.unit=ft&P=3e5"),
		"part": s.ask(t, http.MethodPost, "/api/v1/calc/shelf", inputs, "Content-Type", "application/json", "Accept", "text/html"),
	} {
		heard, copied := stepsOf(t, a)
		if !slices.Equal(heard, want) || !slices.Equal(copied, want) {
			t.Errorf("%s: heard\n%s\ncopied\n%s\nwant\n%s", name, strings.Join(heard, "\n"), strings.Join(copied, "\n"), strings.Join(want, "\n"))
		}
	}
	heard, _ := stepsOf(t, shown(t, s, whole, err))
	if n := len(want); !slices.Equal(heard[len(heard)-2:], want[n-2:]) {
		t.Errorf("a snapshot ends with %q, want %q", heard[len(heard)-2:], want[n-2:])
	}
}

// Steps that take much work are shown on request. A page has a button for it, a snapshot has a link, and the URL keeps the
// key.
func TestStepsOnRequest(t *testing.T) {
	const offered = "Show the steps"
	s := newSite(t)
	query := "?mode=hard&L=2&P=3e5&grade=gl_28"
	a := s.get(t, shelf+query)
	buttons := a.all(func(n *html.Node) bool { return attr(n, "data-action") == "steps" })
	if len(buttons) != 1 || attr(buttons[0], "name")+"="+attr(buttons[0], "value") != "steps=1" || attr(buttons[0], "form") != "calculator" {
		t.Fatalf("%d buttons, and %q", len(buttons), text(a.root))
	}
	if strings.Contains(text(a.root), "Steps as text") {
		t.Error("there are steps unasked")
	}
	asked := s.get(t, shelf+query+"&steps=1")
	heard, _ := stepsOf(t, asked)
	if last := heard[len(heard)-1]; !strings.HasPrefix(last, "engine: ") || strings.Contains(text(asked.root), offered) {
		t.Errorf("the last step is %q", last)
	}
	if shared := text(asked.all(func(n *html.Node) bool { return attr(n, "class") == "address" })[0]); !strings.HasSuffix(shared, "&steps=1") {
		t.Errorf("the address to share is %s", shared)
	}
	if got := text(s.get(t, shelf+query+"&steps=all").root); !strings.Contains(got, "Use 1.") {
		t.Errorf("steps=all: %.500s", got)
	}
	if repeated := s.get(t, shelf+"?mode=hard&L=2&P=3e5&steps=1"); strings.Contains(text(repeated.root), offered) {
		t.Error("what takes little work is offered although it was asked for")
	}

	snap := newSnapshot(t, s, `{"mode":"hard","L":2,"P":3e5,"grade":"gl_28"}`, "2.0.0")
	whole, err := s.pages.Snapshot(t.Context(), snap, "")
	links := shown(t, s, whole, err).all(func(n *html.Node) bool { return n.Data == "a" && text(n) == offered })
	if len(links) != 1 || attr(links[0], "href") != "?steps=1" {
		t.Fatalf("%d links on a snapshot", len(links))
	}
	whole, err = s.pages.Snapshot(t.Context(), snap, "steps=1")
	if recorded, _ := stepsOf(t, shown(t, s, whole, err)); recorded[len(recorded)-1] != heard[len(heard)-1] {
		t.Errorf("a snapshot ends with %q", recorded[len(recorded)-1])
	}
}

// A version without the text of its formula shows the expression that its engine sends.
func TestOlderVersion(t *testing.T) {
	s := newSite(t)
	a := s.post(t, shelf, "mode=hard&L=2&P=3e5&calculation_version=1.0.0")
	if got := text(a.root); !strings.Contains(got, "delta = P L^3") || strings.Contains(got, "Worked steps") {
		t.Errorf("%.2000s", got)
	}
	r := s.ask(t, http.MethodPost, "/api/v1/calc/shelf?steps=true", `{"mode":"hard","L":2,"P":3e5,"calculation_version":"1.0.0"}`, "Content-Type", "application/json", "Accept", "application/json")
	if !strings.Contains(r.text, `"code":"STEPS_UNAVAILABLE"`) || strings.Contains(r.text, `"steps"`) {
		t.Error(r.text)
	}
}

// A snapshot with steps shows them also without its engine.
func TestSnapshotSteps(t *testing.T) {
	s := newSite(t)
	r := s.ask(t, http.MethodPost, "/api/v1/share?steps=true", `{"tool_id":"shelf","inputs":{"mode":"hard","L":2,"P":3e5}}`, "Content-Type", "application/json")
	var record struct{ ID string }
	if err := json.Unmarshal([]byte(r.text), &record); err != nil || !strings.Contains(r.text, `"steps":[{"kind":"given"`) {
		t.Fatalf("%s (%v)", r.text, err)
	}
	snap, err := s.store.Get(t.Context(), record.ID)
	if err != nil {
		t.Fatal(err)
	}
	empty := page.New(calc.New(catalog.New(nil), inProcess{}, &calc.Options{BaseURL: base}), &page.Options{Snapshots: s.store})
	whole, err := empty.Snapshot(t.Context(), snap, "")
	if got := text(shown(t, s, whole, err).root); !strings.Contains(got, "delta = c*P*L^3 = 2e-6*300000*2^3 = 4.8 m") {
		t.Errorf("%.2000s", got)
	}
}

// A number that differs from the published formula has a warning next to all steps.
func TestFormulaDiffers(t *testing.T) {
	for name, tt := range map[string]struct {
		factor float64
		warned bool
	}{"as published": {2, false}, "one and a half times": {3, true}, "beyond the tolerance": {2 * (1 + 3e-12), true}, "within the tolerance": {2 * (1 + 5e-13), false}} {
		t.Run(name, func(t *testing.T) {
			s := siteOf(t, calc.New(newService(t).Catalog(), inProcess{"shelf@2.0.0": engine("2.0.0", tt.factor)}, &calc.Options{BaseURL: base}))
			const inputs = `{"mode":"hard","L":2,"P":3e5}`
			const code, detail = "FORMULA_DIFFERS", "but the published formula gives 4.8 at these inputs"
			snap := newSnapshot(t, s, inputs, "2.0.0")
			whole, err := s.pages.Snapshot(t.Context(), snap, "")
			for where, a := range map[string]answer{
				"API":      s.ask(t, http.MethodPost, "/api/v1/calc/shelf?steps=true", inputs, "Content-Type", "application/json", "Accept", "application/json"),
				"share":    s.ask(t, http.MethodPost, "/api/v1/share?steps=true", `{"tool_id":"shelf","inputs":`+inputs+`}`, "Content-Type", "application/json"),
				"page":     s.get(t, shelf+"?mode=hard&L=2&P=3e5"),
				"snapshot": shown(t, s, whole, err),
			} {
				if is := strings.Contains(a.text, code) && strings.Contains(a.text, detail); is != tt.warned {
					t.Errorf("%s: warned %v: %.3000s", where, is, a.text)
				}
			}
		})
	}
}
