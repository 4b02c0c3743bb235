package plot_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/host/internal/page/plot"
)

// The script sets attributes and text, and nothing that a strict policy forbids.
func TestScript(t *testing.T) {
	if n := strings.Count(plot.Script, "\n"); n > 150 {
		t.Errorf("the script has %d lines", n)
	}
	if found := regexp.MustCompile(`\.style\b|innerHTML|insertAdjacent|"style"|eval\(|new Function|fetch\(|import`).FindString(plot.Script); found != "" {
		t.Errorf("the script has %s", found)
	}
}

// steps are the inputs for the pictures of the page below, each with the text that the page then reads out.
const steps = `
const said = [];
const [response, mohr, log] = document.querySelectorAll("svg");
const say = (svg) => said.push(svg.getAttribute("aria-valuetext"));
const key = (svg, key) => { svg.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })); say(svg); };
const point = (svg, x, y) => {
  const box = svg.getBoundingClientRect();
  const at = { clientX: box.left + x * box.width, clientY: box.top + y * box.height, bubbles: true };
  svg.querySelector(".grid").dispatchEvent(new PointerEvent("pointermove", at));
  say(svg);
};
said.push(document.activeElement === response ? "" : (response.focus(), document.activeElement === response ? "focused" : "no focus"));
key(response, "ArrowRight"); key(response, "ArrowRight"); key(response, "End"); key(response, "Home"); key(response, "ArrowLeft"); key(response, "x");
point(response, 0.3, 0.5);
key(mohr, "Home");
point(mohr, 0.5, 0);
point(log, 0.5, 0.5);
said.push(response.querySelector(".hair").getAttribute("visibility"), document.querySelector(".plot-value").textContent);
const late = response.cloneNode(true);
late.querySelector(".hair").remove();
document.body.append(late);
setTimeout(() => {
  said.push(late.querySelector(".hair") ? "a picture that came later works" : "a picture that came later does not work");
  const out = document.createElement("pre");
  out.id = "said";
  out.textContent = said.join("\n");
  document.body.append(out);
}, 50);
`

// A browser reads the numbers out. Without a browser the test is skipped.
func TestScriptInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs a browser")
	}
	chromium, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		chromium, err = exec.LookPath("chromium")
	}
	if err != nil {
		t.Skip("there is no chromium")
	}
	html := page + plot.CSS + "</style>\n"
	for _, name := range []string{"response", "mohr", "transmissibility"} {
		s := named(t, name)
		html += string(plot.SVG(&s.plot, &s.figure, &plot.Options{ID: name})) + "\n"
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(html+"<script>"+plot.Script+"</script><script>"+steps+"</script>"), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
		"--window-size=1000,1200", "--virtual-time-budget=2000", "--dump-dom", "file://"+file)
	cmd.WaitDelay = 5 * time.Second // its child processes can keep the pipe open
	dom, err := cmd.Output()
	if err != nil {
		t.Skipf("chromium does not run here: %v", err)
	}
	m := regexp.MustCompile(`(?s)<pre id="said">(.*)</pre>`).FindStringSubmatch(string(dom))
	if m == nil {
		t.Fatalf("nothing was said: %.2000s", dom)
	}
	want := `focused
time: 0 s; capacitor: 0 V; resistor: 12 V; supply: 12 V
time: 0.005 s; capacitor: 0.58525 V; resistor: 11.415 V
time: 0.5 s; capacitor: 11.919 V; resistor: 0.080855 V; supply: 12 V
time: 0 s; capacitor: 0 V; resistor: 12 V; supply: 12 V
time: 0 s; capacitor: 0 V; resistor: 12 V; supply: 12 V
time: 0 s; capacitor: 0 V; resistor: 12 V; supply: 12 V
time: 0.14 s; capacitor: 9.0408 V; resistor: 2.9592 V
normal stress: 94.03 MPa; all faces: 0 MPa
normal stress: 26.649 MPa; all faces: −63.942 MPa
frequency: 26.607 Hz; damping 0.05: 1.3932; damping 0.3: 1.3377
visible
time: 0.14 s; capacitor: 9.0408 V; resistor: 2.9592 V
a picture that came later works`
	if diff := cmp.Diff(want, strings.ReplaceAll(strings.ReplaceAll(m[1], "&nbsp;", " "), "\u00a0", " ")); diff != "" {
		t.Error(diff)
	}
}
