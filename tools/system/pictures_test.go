package system

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/slipstick/slipstick/host/internal/page/plot/plottest"
	"github.com/slipstick/slipstick/host/tools/system/uswalk"
)

// drawnPlot is a plot on a page.
var drawnPlot = regexp.MustCompile(`(?s)<svg class="plot".*?</svg>`)

// checkPictures makes sure that no text of a plot meets a line or another text. It reads the plots of every calculator, in
// metric and in US units: of its example, and of the reference cases.
func (h *server) checkPictures(t *testing.T) {
	t.Helper()
	specs, pages, err := uswalk.Pages(h.url)
	if err != nil {
		t.Fatal(err)
	}
	tools, seen := map[string]string{}, map[string]bool{}
	look := func(where string, status int, body string) {
		if status != http.StatusOK {
			t.Errorf("%s: %d", where, status)
		}
		for _, svg := range drawnPlot.FindAllString(body, -1) {
			if seen[svg] {
				continue
			}
			seen[svg] = true
			found, err := plottest.Collisions(svg)
			if err != nil {
				t.Errorf("%s: %v", where, err)
			}
			for _, c := range found {
				t.Errorf("%s: %s", where, c)
			}
		}
	}
	for _, query := range []string{"?units=metric", "?units=us"} {
		for i := range specs {
			tools[specs[i].Capability] = specs[i].Tool
			status, body := h.get(t, pages[i]+query)
			look(pages[i]+query, status, body)
		}
		for _, c := range allReferences(t, "vectors.json") {
			status, body := h.post(t, "/api/v1/calc/"+tools[c.Capability]+query, string(c.Inputs), "Accept", "text/html")
			look(c.ID+query, status, body)
		}
	}
	if len(seen) < 3*len(specs) {
		t.Errorf("%d plots of %d calculators", len(seen), len(specs))
	}
	t.Logf("%d plots", len(seen))
}
