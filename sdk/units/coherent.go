package units

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	factorForm  = regexp.MustCompile(`([A-Za-z_]+)(-?[1-9][0-9]?|\(-?[1-9][0-9]?/[1-9][0-9]?\))?`)
	product     = factorForm.String() + `([ .·]` + factorForm.String() + `)*`
	productForm = regexp.MustCompile(`^(1|` + product + `)(/(` + factorForm.String() + `|\(` + product + `\)))?$`)
)

// others are the units of SI that the table has no quantity for.
var others = []string{"cd", "C", "S", "Wb", "T", "sr"}

// Coherent returns the coherent unit of SI for what the unit measures: N m for kN m, and
// kg/(m s K(1/2)) for itself. A unit that is not in the table is a product such as W/(m2 K): of
// units, with blanks between them and exponents behind them, divided by at most one other. An
// error says which part is no unit.
func Coherent(id string) (string, error) {
	if u, ok := Lookup(id); ok {
		return Of(u.Quantity)[0].ID, nil
	}
	if !productForm.MatchString(id) {
		return "", fmt.Errorf("unit %q is not a product of units such as W/(m2 K) or kg/(m s K(1/2))", id)
	}
	var err error
	coherent := factorForm.ReplaceAllStringFunc(dots.Replace(id), func(factor string) string {
		parts := factorForm.FindStringSubmatch(factor)
		si, ok := siOf(parts[1])
		of := factorForm.FindStringSubmatch(si)
		switch {
		case err != nil:
		case !ok:
			err = fmt.Errorf("unit %q: there is no unit %s; the nearest are %s", id, parts[1], strings.Join(Nearest(parts[1], 3), ", "))
		case of == nil || of[0] != si || of[2] != "" && parts[2] != "":
			err = fmt.Errorf("unit %q: write %s with units of SI, as %s", id, parts[1], si)
		}
		return si + parts[2]
	})
	if err != nil {
		return "", err
	}
	return coherent, nil
}

// siOf returns the SI unit for what one unit measures.
func siOf(name string) (string, bool) {
	if u, ok := byID[name]; ok {
		return Of(u.Quantity)[0].ID, true
	}
	return name, slices.Contains(others, name)
}
