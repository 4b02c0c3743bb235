package system

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/tools/system/uswalk"
	"github.com/slipstick/slipstick/sdk"
)

// isConverter reports whether the reader asks for the unit of a result. The units on such pages are the choice of the reader.
func isConverter(spec *sdk.Spec) bool {
	return strings.HasPrefix(spec.Capability, "units.convert.") || slices.ContainsFunc(spec.Outputs, func(f sdk.Field) bool { return f.UnitBy != nil })
}

// checkUS checks that pages in US units have no unit of SI whose quantity has a US unit.
func (h *server) checkUS(t *testing.T) {
	t.Helper()
	specs, paths, err := uswalk.Pages(h.url)
	if err != nil || len(specs) == 0 {
		t.Fatal(len(specs), err)
	}
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
			t.Error(f)
		}
	}
	if pages < 2*len(specs) {
		t.Errorf("%d pages of %d calculators", pages, len(specs))
	}
	t.Logf("%d pages", pages)
}
