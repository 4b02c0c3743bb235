package documents

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
)

// notNouns are words that cannot end the name of a quantity: adjectives, participles, positions and directions.
var notNouns = []string{
	"across", "along", "allowed", "available", "bottom", "cold", "final", "given", "hot", "initial", "inner", "inside", "instantaneous",
	"left", "lower", "max", "maximum", "min", "minimum", "outer", "outside", "permanent", "required", "right", "standard", "top", "upper",
}

// short are words of at most two letters that names contain as sentences do.
var short = []string{"of", "in", "at", "to", "by"}

// needsLabel reports whether a name is not the natural name of a quantity, so that pages need a label for it. The criterion
// is in docs/reference/engine-document.md.
func needsLabel(name string) bool {
	words := strings.Split(name, "_")
	last := words[len(words)-1]
	if len(words) > 1 && (slices.Contains(notNouns, last) || slices.Contains(short, last)) {
		return true
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return strings.ContainsAny(w, "0123456789") || len(w) <= 2 && !slices.Contains(short, w)
	})
}

// Each field of a current document has a natural name or a label, and a label names one field of the form.
func TestLabels(t *testing.T) {
	for _, file := range current(t) {
		_, e := read(t, file)
		spec := e.Spec()
		for _, fields := range [][]sdk.Field{spec.Inputs, spec.Outputs} {
			checkLabels(t, spec.Capability, fields)
		}
	}
}

func checkLabels(t *testing.T, place string, fields []sdk.Field) {
	t.Helper()
	seen := map[string]bool{}
	for i := range fields {
		f := &fields[i]
		switch {
		case f.Label == "" && needsLabel(f.Name):
			t.Errorf("%s: %s needs a label", place, f.Name)
		case f.Label != "" && seen[f.Label]:
			t.Errorf("%s: two fields have the label %q", place, f.Label)
		}
		seen[f.Label] = true
		if f.Items != nil {
			checkLabels(t, place+", "+f.Name, f.Items.Fields)
		}
		checkLabels(t, place+", "+f.Name, f.Fields)
	}
}

func TestNeedsLabel(t *testing.T) {
	for name, want := range map[string]bool{
		"length": false, "elastic_modulus": false, "second_moment_of_area": false, "minimum": false, "inner_diameter": false, "temperature_change": false,
		"temperature_hot": true, "film_inner": true, "centroid_x": true, "pressure_1": true, "x": true, "partial_factor_m0": true, "u_value": true,
		"elastic_modulus_05": true, "spacing_along": true, "hot_in": true, "pf": true, "steel_area_required": true,
	} {
		if needsLabel(name) != want {
			t.Errorf("%s needs a label: %t, want %t", name, !want, want)
		}
	}
}
