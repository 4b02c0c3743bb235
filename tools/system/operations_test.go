package system

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// The views of an operator: health, metrics, traces and the request log.
func TestOperations(t *testing.T) {
	var traces atomic.Int64
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" && r.Method == http.MethodPost && r.ContentLength > 0 {
			traces.Add(1)
		}
	}))
	defer collector.Close()
	h := startAll(t, "--warm", "--traces", collector.URL+"/v1/traces", "--log-format", "json", "--log-requests", "--limit", "calc=100")
	if status, body := h.post(t, "/api/v1/calc/ohms-law", ohms, "X-Request-Id", "abc-1"); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	h.post(t, "/api/v1/calc/ohms-law", `{"V":12}`)
	if status, body := h.get(t, "/livez"); status != 200 || body != `{"status":"live"}`+"\n" {
		t.Errorf("livez: %d %s", status, body)
	}
	status, body := h.get(t, "/readyz?verbose")
	if status != 200 || !strings.Contains(body, `"status":"ready"`) || !strings.Contains(body, `"thermo.radiation.grey_surface@2.0.0":"ok"`) ||
		!strings.Contains(body, `"thermo.radiation.grey_surface@1.0.0":"idle"`) {
		t.Errorf("readyz: %d %s", status, body)
	}
	_, figures := h.get(t, "/metrics")
	for _, want := range []string{
		`slipstick_http_requests_total{code="",method="POST",route="/api/v1/calc/{id}",status="200"} 1`,
		`slipstick_http_requests_total{code="MISSING_REQUIRED_INPUT",method="POST",route="/api/v1/calc/{id}",status="400"} 1`,
		`slipstick_calculation_seconds_count{capability="electrical.basic.ohms_law",outcome="success",version="1.0.1"} 1`,
		`slipstick_engine_processes{capability="electrical.basic.ohms_law",version="1.0.1"} 1`,
		`slipstick_engine_events_total{capability="electrical.basic.ohms_law",event="start",version="1.0.1"} 1`,
		`slipstick_limit_decisions_total{decision="accepted",surface="calc"} 2`,
		`slipstick_limit_clients 1`,
		`go_goroutines`,
	} {
		if !strings.Contains(figures, want) {
			t.Errorf("metrics have no %s", want)
		}
	}
	if err := h.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var logged string
	for h.stderr.Scan() {
		logged += h.stderr.Text() + "\n"
	}
	if err := h.cmd.Wait(); err != nil {
		t.Errorf("serve ended with %v", err)
	}
	if !strings.Contains(logged, `"msg":"request","id":"abc-1","method":"POST","path":"/api/v1/calc/ohms-law"`) || !strings.Contains(logged, `"code":"MISSING_REQUIRED_INPUT"`) {
		t.Errorf("log:\n%s", logged)
	}
	if traces.Load() == 0 {
		t.Error("no traces were sent")
	}
}

// Settings come from flags, environment and file, in this order.
func TestConfiguration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "slipstick.json")
	if err := os.WriteFile(file, []byte(`{"base-url": "https://from-file.example.org", "limit": "calc=3,share=0"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"serve", "--config", file, "--addr", "127.0.0.1:0", "--registry", built.registry, "--data", t.TempDir()}
	h := startServerWith(t, args)
	status, body := h.post(t, "/api/v1/calc/ohms-law", ohms)
	if status != 200 || !strings.Contains(body, "https://from-file.example.org/") {
		t.Errorf("from the file: %d %s", status, body)
	}
	h.post(t, "/api/v1/calc/ohms-law", ohms)
	h.post(t, "/api/v1/calc/ohms-law", ohms)
	if status, _ := h.post(t, "/api/v1/calc/ohms-law", ohms); status != 429 {
		t.Errorf("fourth call: %d, want the limit of the file", status)
	}
	t.Setenv("SLIPSTICK_BASE_URL", "https://from-environment.example.org")
	h = startServerWith(t, args)
	if _, body := h.post(t, "/api/v1/calc/ohms-law", ohms); !strings.Contains(body, "https://from-environment.example.org/") {
		t.Errorf("from the environment: %s", body)
	}
	h = startServerWith(t, append(args, "--base-url", "https://from-flag.example.org"))
	if _, body := h.post(t, "/api/v1/calc/ohms-law", ohms); !strings.Contains(body, "https://from-flag.example.org/") {
		t.Errorf("from the flag: %s", body)
	}
}
