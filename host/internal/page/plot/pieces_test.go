package plot_test

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/page/plot"
	"github.com/slipstick/slipstick/sdk"
)

// A curve with a gap is several curves with one label. They share a class, and the picture names them once.
func TestPieces(t *testing.T) {
	f := &sdk.Figure{Curves: []sdk.Curve{
		{Label: "short", X: []float64{0, 1}, Y: []float64{0, 1}},
		{Label: "short", X: []float64{3, 4}, Y: []float64{3, 4}},
		{Label: "long", X: []float64{0, 4}, Y: []float64{1, 9}},
	}}
	svg := string(plot.SVG(&sdk.Plot{ID: "p", X: sdk.Axis{Label: "x"}, Y: sdk.Axis{Label: "y"}}, f, nil))
	for text, want := range map[string]int{`class="curve s1" d="M`: 2, `class="curve s2" d="M`: 1, `class="curve s3"`: 0, `>Short</text>`: 1, `>Long</text>`: 1} {
		if got := strings.Count(svg, text); got != want {
			t.Errorf("%s stands there %d times, want %d", text, got, want)
		}
	}
}
