package uswalk

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/slipstick/slipstick/sdk"
)

// Findings are numbers, headers and chosen units in SI. Exact values, other options of menus, US units, and quantities without a
// US unit are none.
func TestFindings(t *testing.T) {
	wrong := forbidden(&sdk.Spec{Capability: "mechanical.statics.beam", Tool: "beam", Group: "statics"})
	for _, tt := range []struct {
		page string
		want []string
	}{
		{`<p>Load 3 kN and 2.5&nbsp;m.</p>`, []string{"page: 3 kN", "page: 2.5\u00a0m"}},
		{`<p>From 0 degC, 16 mm2, at /s/x6m and /s/4g, M20.</p>`, []string{"page: 0 degC", "page: 16 mm2"}},
		{`<datalist><option value="S355, t up to 16 mm">S355, t up to 16 mm</option></datalist>`, nil},
		{`<p class="range">Must be at least 0 K.</p>`, []string{"range: 0 K"}},
		{`<textarea>length [m],name</textarea>`, []string{"page: [m"}},
		{`<p><span>2.1 × 10<sup>11</sup></span> Pa</p>`, []string{"page: 2.1 × 1011 Pa"}},
		{`<select class="unit"><option>m</option><option selected>mm</option></select>`, []string{"page: unit mm"}},
		{`<select class="unit"><option>m</option><option selected>in</option></select>`, nil},
		{`<input type="text" value="20" placeholder="default 3 m">`, []string{"placeholder: default 3 m"}},
		{`<p>3 kip, 2 ft, 29000 ksi, 12 V, 4 A, 3 s, 5 mi, 7 metres, 3 m/sm</p>`, nil},
		{`<details data-exact><p>3 m</p></details><table><tr><td data-exact>5 m</td></tr></table><script>3 m</script><section class="source"><pre>4 m</pre></section>`, nil},
	} {
		root, err := html.Parse(strings.NewReader(tt.page))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range Findings("/calc/x", root, wrong) {
			got = append(got, f.Kind+": "+f.Text)
		}
		if tt.want != nil && strings.HasPrefix(tt.want[0], "placeholder") {
			if len(got) != 1 || !strings.HasPrefix(got[0], "placeholder: ") {
				t.Errorf("%s: %q", tt.page, got)
			}
			continue
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.page, got, tt.want)
		}
	}
}
