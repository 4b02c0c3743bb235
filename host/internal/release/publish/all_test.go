package publish_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/slipstick/slipstick/host/internal/release/publish"
)

// Versions of one document are published one after the other, in the order of their paths. Others do not wait.
func TestStagesOfVersions(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "..", "plugins")
	surface := filepath.Join(dir, "thermo", "radiation", "grey_surface")
	paths := []string{
		filepath.Join(surface, "1.0.0.calc.md"), filepath.Join(surface, "2.0.0.calc.md"), filepath.Join(surface, "3.0.0.calc.md"), surface + ".calc.md",
		filepath.Join(dir, "electrical", "basic", "ohms_law.calc.md"), filepath.Join(dir, "tables"),
	}
	var order [][]int
	for _, stage := range publish.Stages(paths) {
		if len(stage) > 0 {
			order = append(order, stage)
		}
	}
	if want := [][]int{{0, 4, 5}, {1}, {2}, {3}}; !slices.EqualFunc(order, want, slices.Equal[[]int]) {
		t.Errorf("stages %v, want %v", order, want)
	}
}
