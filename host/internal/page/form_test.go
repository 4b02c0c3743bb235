package page_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func options(n *html.Node) []string {
	var list []string
	for d := range n.Descendants() {
		if d.Data == "option" {
			one := attr(d, "value") + "=" + text(d)
			if has(d, "selected") {
				one += "*"
			}
			list = append(list, one)
		}
	}
	return list
}

func (a answer) checked(name string) string {
	for _, n := range a.all(func(n *html.Node) bool { return attr(n, "name") == name && has(n, "checked") }) {
		return attr(n, "value")
	}
	return ""
}

// The form has a control of the right kind for every input, with its label and help.
func TestForm(t *testing.T) {
	a := newSite(t).get(t, shelf)
	if a.status != 200 {
		t.Fatalf("status %d", a.status)
	}
	for _, tt := range []struct{ name, element, label, help string }{
		{"mode", "input", "Mode required", "Kind of wood."},
		{"phase", "input", "Phase", "Age."},
		{"length", "input", "Length L required", "Length; see “Point load”. Must be greater than 0 and at most 100000 mm."},
		{"point_load", "input", "Point load P", "Load at the tip."},
		{"position", "input", "Where to look", "From the wall. Must be between 0 and “Length”."},
		{"grade", "select", "Grade", "Strength class."},
		{"wet", "select", "Wet", "In the rain."},
		{"count", "input", "Count n b", "How many beams. Must be at least 1."},
		{"note", "input", "Note", "Anything."},
		{"factor", "input", "Factor k", "Exact factor. The number is used exactly as typed."},
		{"data", "textarea", "Data", "Measured stresses. Separate values with semicolons or line breaks."},
		{"layers", "textarea", "Layers", "From top to bottom."},
		{"corners", "textarea", "Corners", "Of the section."},
	} {
		control := a.named(tt.name)
		label := a.all(func(n *html.Node) bool { return attr(n, "for") == "f-"+tt.name })
		if len(label) == 0 {
			label = a.all(func(n *html.Node) bool { return n.Data == "legend" && attr(n.Parent, "id") == "f-"+tt.name })
		}
		switch {
		case control == nil || control.Data != tt.element:
			t.Errorf("%s has the control %v", tt.name, control)
		case len(label) != 1 || text(label[0]) != tt.label:
			t.Errorf("%s has the labels %v, want %q", tt.name, label, tt.label)
		case text(a.id("h-"+tt.name)) != tt.help:
			t.Errorf("%s has the help %q, want %q", tt.name, text(a.id("h-"+tt.name)), tt.help)
		}
	}
}

func TestControls(t *testing.T) {
	a := newSite(t).get(t, shelf)
	if got := attr(a.named("point_load"), "placeholder"); got != "default 0" {
		t.Errorf("placeholder %q", got)
	}
	if got := attr(a.named("count"), "inputmode") + " " + attr(a.named("length"), "inputmode"); got != "numeric " {
		t.Errorf("input modes %q", got)
	}
	if got := options(a.named("point_load.unit")); !slices.Equal(got[:3], []string{"N=N", "mN=mN", "kN=kN*"}) {
		t.Errorf("units %v", got)
	}
	if got := options(a.named("temperature_rise.unit")); slices.Contains(got, "degC=°C") {
		t.Errorf("a difference can be entered in %v", got)
	}
	if a.named("count.unit") != nil {
		t.Error("a number without unit has a unit")
	}
	if got := options(a.named("grade")); !slices.Equal(got, []string{"c24=C24*", "gl_28=Gl 28"}) {
		t.Errorf("choices %v", got)
	}
	if got := options(a.named("wet")); !slices.Equal(got, []string{"true=Yes", "false=No*"}) {
		t.Errorf("choices %v", got)
	}
	if a.checked("mode") != "hard" || a.checked("phase") != "" {
		t.Errorf("mode %q and phase %q are preselected", a.checked("mode"), a.checked("phase"))
	}
	for name, folded := range map[string]bool{"note": true, "factor": true, "length": false} {
		inside := false
		for n := a.named(name); n != nil; n = n.Parent {
			inside = inside || attr(n, "class") == "advanced"
		}
		if inside != folded {
			t.Errorf("%s folded away: %v", name, inside)
		}
	}
}

// A form shows the entered values again, also if they came under an alias.
func TestFormKeepsEntries(t *testing.T) {
	a := newSite(t).get(t, shelf+"?span=2&P=3&P.unit=kN&mode=softwood&phase=old&wet=true&grade=gl_28&data=1,2&layers=0.1&note=hi")
	for name, want := range map[string]string{"length": "2", "point_load": "3", "note": "hi"} {
		if got := attr(a.named(name), "value"); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if a.checked("mode") != "soft_wood" || a.checked("phase") != "old" {
		t.Errorf("mode %q, phase %q", a.checked("mode"), a.checked("phase"))
	}
	for name, want := range map[string]string{"point_load.unit": "kN=kN*", "grade": "gl_28=Gl 28*", "wet": "true=Yes*"} {
		if got := options(a.named(name)); !slices.Contains(got, want) {
			t.Errorf("%s has %v, not %s", name, got, want)
		}
	}
	if text(a.named("data")) != "1,2" || attr(a.named("layers.thickness"), "value") != "0.1" || text(a.named("layers")) != "" {
		t.Errorf("data %q, layers %q", text(a.named("data")), attr(a.named("layers.thickness"), "value"))
	}
	open := a.all(func(n *html.Node) bool { return attr(n, "class") == "advanced" && has(n, "open") })
	if len(open) != 1 {
		t.Error("an advanced input with a value stays folded away")
	}
}

// Choices alone are not a calculation, because a click on a tab sends them.
func TestChoicesAlone(t *testing.T) {
	a := newSite(t).get(t, shelf+"?mode=soft_wood&phase=new&wet=true&length.unit=ft&length=+&calculation_version=1.0.0&v=2")
	if a.status != 200 || a.id("calculatorx-result") != nil || strings.Contains(a.text, "aria-invalid") {
		t.Errorf("status %d, result %v", a.status, a.id("calculatorx-result"))
	}
	if a.checked("mode") != "soft_wood" || a.checked("phase") != "new" {
		t.Errorf("mode %q, phase %q", a.checked("mode"), a.checked("phase"))
	}
}

// The list of versions has every version with its status.
func TestVersions(t *testing.T) {
	a := newSite(t).get(t, shelf)
	got := text(a.all(func(n *html.Node) bool { return attr(n, "class") == "versions" })[0])
	const want = "Version 2.0.0 3.0.0 temporarily unavailable 2.0.0 current shown Shelves <bend> twice as much as stated. 1.0.0 deprecated Calculate with 1.0.0 Compare it was too stiff Feed of versions"
	if got != want {
		t.Errorf("versions:\n%s\nwant:\n%s", got, want)
	}
	buttons := a.all(func(n *html.Node) bool { return attr(n, "name") == "calculation_version" })
	if len(buttons) != 1 || attr(buttons[0], "formmethod") != "post" || attr(buttons[0], "value") != "1.0.0" {
		t.Errorf("buttons %v", buttons)
	}
}
