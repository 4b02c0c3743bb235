package system

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const monitoring = "../../host/deploy/monitoring"

// dashboard is the part of a Grafana dashboard that contains queries.
type dashboard struct {
	Panels []struct {
		ID      int
		Title   string
		Targets []struct{ Expr string }
	}
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(monitoring, "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Panels) == 0 {
		t.Fatal("the dashboard has no panels")
	}
	return d
}

// The alert rules and the dashboard use only metrics that a server exports.
func TestMonitoringNames(t *testing.T) {
	counted := map[string]bool{}
	literal := regexp.MustCompile(`"(slipstick_[a-z_]+)"`)
	err := filepath.WalkDir("../../host/internal", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range literal.FindAllSubmatch(text, -1) {
			counted[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	asked := regexp.MustCompile(`slipstick_[a-z_]+`)
	for _, name := range []string{"alerts.yaml", "dashboard.json"} {
		text, err := os.ReadFile(filepath.Join(monitoring, name))
		if err != nil {
			t.Fatal(err)
		}
		names := asked.FindAllString(string(text), -1)
		if len(names) == 0 {
			t.Errorf("%s asks for nothing", name)
		}
		for _, metric := range names {
			base := metric
			for _, suffix := range []string{"_seconds_bucket", "_seconds_sum", "_seconds_count"} {
				if cut, ok := strings.CutSuffix(metric, suffix); ok {
					base = cut + "_seconds"
				}
			}
			if !counted[base] {
				t.Errorf("%s: nobody counts %s", name, metric)
			}
		}
	}
	seen := map[int]bool{}
	for _, p := range readDashboard(t).Panels {
		if seen[p.ID] || len(p.Targets) == 0 {
			t.Errorf("panel %d %q: its id is used twice, or it shows nothing", p.ID, p.Title)
		}
		seen[p.ID] = true
	}
}

// Prometheus loads the rules, and every query of the dashboard returns a value from a working server.
func TestMonitoring(t *testing.T) {
	if !soaking {
		t.Skip("scripts/soak monitoring runs it")
	}
	for _, args := range [][]string{{"check", "rules", "alerts.yaml"}, {"test", "rules", "alerts_test.yaml"}} {
		c := exec.Command("promtool", args...)
		c.Dir = monitoring
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: apt-get install prometheus\n%s", c, err, out)
		}
	}
	h := startAll(t, "--redis", startRedis(t).url(), "--limit", "calc=10000")
	p := startPrometheus(t, strings.TrimPrefix(h.url, "http://"))
	for _, panel := range readDashboard(t).Panels {
		for _, target := range panel.Targets {
			expr := strings.NewReplacer("$__rate_interval", "5s", "$job", "slipstick").Replace(target.Expr)
			h.work(t)
			for deadline := time.Now().Add(patience); !p.answers(t, expr); {
				if strings.Contains(expr, `status=~"5..`) || strings.Contains(expr, "engine_events") {
					break // a ratio of failures has no value before the first failure
				}
				if time.Now().After(deadline) {
					t.Errorf("%s: no answer to %s", panel.Title, expr)
					break
				}
				h.work(t)
			}
		}
	}
}

// work makes requests, so that the server counts them.
func (h *server) work(t *testing.T) {
	t.Helper()
	for range 3 {
		h.post(t, "/api/v1/calc/ohms-law", ohms)
	}
	h.post(t, "/api/v1/calc/ohms-law", fmt.Sprintf(`{"inputs":{"V":%d,"R":8}}`, time.Now().UnixNano()%1_000_000+1))
	h.postLines(t, "", strings.NewReader(`{"tool":"ohms-law","inputs":{"V":12,"R":8}}`+"\n"))
}

// prometheus is a server that the test starts.
type prometheus struct{ url string }

func startPrometheus(t *testing.T, target string) *prometheus {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	text := fmt.Sprintf("global: {scrape_interval: 1s}\nscrape_configs: [{job_name: slipstick, static_configs: [{targets: [%q]}]}]\n", target)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	var log bytes.Buffer
	c := exec.Command("prometheus", "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address)
	c.Stderr = &log
	if err := c.Start(); err != nil {
		t.Fatalf("%v: apt-get install prometheus", err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	p := &prometheus{"http://" + address}
	for deadline := time.Now().Add(30 * time.Second); ; {
		if resp, err := http.Get(p.url + "/-/ready"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return p
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("prometheus is not ready:\n%s", log.String())
		}
	}
}

// answers reports whether a query has a result with at least one number.
func (p *prometheus) answers(t *testing.T, query string) bool {
	t.Helper()
	resp, err := http.Get(p.url + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Status, Error string
		Data          struct{ Result []struct{ Value [2]any } }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if answer.Status != "success" {
		t.Fatalf("%s: %s", query, answer.Error)
	}
	for _, r := range answer.Data.Result {
		if r.Value[1] != "NaN" {
			return true
		}
	}
	return false
}
