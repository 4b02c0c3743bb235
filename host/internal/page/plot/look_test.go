package plot_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/slipstick/slipstick/host/internal/page/plot"
)

var look = flag.String("samples", "", "directory for a page with all samples, to look at")

// page has the colours of a page of the server.
const page = `<!doctype html><meta charset="utf-8"><title>Samples</title><style>
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1e23; --muted: #565c66; --rule: #d9dad4; --accent: #0b5572;
  --series-1: #0b5572; --series-2: #a3400f; --series-3: #45661a; --series-4: #6a3d8f; }
@media (prefers-color-scheme: dark) { :root { --paper: #1b1e23; --ink: #e7e8ea; --muted: #a4abb6; --rule: #343941; --accent: #7fc6e0;
  --series-1: #7fc6e0; --series-2: #f2a679; --series-3: #b4d67e; --series-4: #cdaaf0; } }
body { background: var(--paper); color: var(--ink); font: 13px sans-serif; display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: 0; }
`

// TestSamples writes a page with -samples; it has the pictures of the golden files.
func TestSamples(t *testing.T) {
	if *look == "" {
		t.Skip("-samples DIRECTORY writes a page to look at")
	}
	html := page + plot.CSS + "</style>\n"
	for _, s := range samples() {
		svg := plot.SVG(&s.plot, &s.figure, &plot.Options{ID: "chart-" + s.name})
		html += "<figure><figcaption>" + s.name + "</figcaption>" + string(svg) + "</figure>\n"
	}
	if err := os.WriteFile(filepath.Join(*look, "samples.html"), []byte(html+"<script>"+plot.Script+"</script>"), 0o666); err != nil {
		t.Fatal(err)
	}
}
