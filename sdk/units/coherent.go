package units

import (
	"fmt"
	"slices"
	"strings"
)

// others are the units of SI for which the table has no quantity.
var others = []string{"cd", "C", "S", "Wb", "T", "sr"}

// Coherent returns the coherent SI unit of the quantity of a unit: N m for kN m, and kg/(m s
// K(1/2)) for itself. A unit that is not in the table is a product such as W/(m2 K), as
// [Factors] reads it. The error names the part that is not a unit.
func Coherent(id string) (string, error) {
	if u, ok := Lookup(id); ok {
		return Of(u.Quantity)[0].ID, nil
	}
	text := dots.Replace(id)
	factors, ok := Factors(text)
	if !ok {
		return "", fmt.Errorf("unit %q is not a product of units such as W/(m2 K) or kg/(m s K(1/2))", id)
	}
	var b strings.Builder
	at := 0
	for _, f := range factors {
		si, ok := siOf(f.Unit)
		if !ok {
			return "", fmt.Errorf("unit %q: there is no unit %s; the nearest are %s", id, f.Unit, strings.Join(Nearest(f.Unit, 3), ", "))
		}
		if parts, _ := Factors(si); len(parts) != 1 || parts[0].Divides || parts[0].exponent != "" && f.exponent != "" {
			return "", fmt.Errorf("unit %q: write %s with units of SI, as %s", id, f.Unit, si)
		}
		b.WriteString(text[at:f.from] + si)
		at = f.to
	}
	return b.String() + text[at:], nil
}

// siOf returns the SI unit of the quantity of one unit.
func siOf(name string) (string, bool) {
	if u, ok := unit(name); ok {
		return Of(u.Quantity)[0].ID, true
	}
	return name, slices.Contains(others, name)
}
