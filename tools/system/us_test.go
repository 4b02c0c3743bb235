package system

import (
	"slices"
	"testing"

	"github.com/slipstick/slipstick/host/tools/system/uswalk"
	"github.com/slipstick/slipstick/sdk"
)

// openUS are the parts of pages that can still have units of SI for a reader of US units. Their texts are written by authors:
// constants of formulas, prose with numbers, names of table rows, and warnings of studies.
var openUS = map[string]bool{
	"steps": true, "sheet": true, "plot": true, "study": true, "snapshot": true,
	"document": true, "page": true, "help": true, "preset": true,
}

// isConverter reports whether the reader asks for the unit of a result.
func isConverter(spec *sdk.Spec) bool {
	return slices.ContainsFunc(spec.Outputs, func(f sdk.Field) bool { return f.UnitBy != nil })
}

// checkUS checks that forms in US units have no unit of SI whose quantity has a US unit.
func (h *server) checkUS(t *testing.T) {
	t.Helper()
	specs, paths, err := uswalk.Pages(h.url)
	if err != nil || len(specs) == 0 {
		t.Fatal(len(specs), err)
	}
	kinds := map[string]int{}
	pages := 0
	for i := range specs {
		if isConverter(&specs[i]) {
			continue
		}
		list, n, err := uswalk.Walk(h.url, &specs[i], paths[i])
		if err != nil {
			t.Errorf("%s: %v", paths[i], err)
		}
		pages += n
		for _, f := range list {
			kinds[f.Kind]++
			if !openUS[f.Kind] {
				t.Error(f)
			}
		}
	}
	if pages < 2*len(specs) {
		t.Errorf("%d pages of %d calculators", pages, len(specs))
	}
	t.Logf("%d pages; findings in open parts: %v", pages, kinds)
}
