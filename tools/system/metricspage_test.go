package system

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// family is a metric of a server with its labels.
type family struct {
	kind, help string
	labels     []string
}

const (
	metricsPage  = "../../docs/reference/metrics.md"
	metricsIntro = `# Metrics

A server lists its metrics at ` + "`/metrics`" + `, in the text format of Prometheus. This page has every metric with its type, labels and meaning, and
the alerts that use it. ` + "[`host/deploy/monitoring`](../../host/deploy/monitoring/alerts.yaml)" + ` has the alerts and a dashboard for Grafana.
[Monitor a server](../guides/monitor.md#handle-alerts) describes what to do for each alert.

A test makes this page from the code: ` + "`cd tools && go test -vet=off ./system -run TestMetricsPage -update`" + `.

- A metric with labels appears with its first value.
- The metrics of a feature exist if the server uses it: ` + "`--redis`, `--ledger`, `--follow`" + `, a shadow candidate, or a transparency log that
  expires.
- A histogram has the series ` + "`_bucket`, `_sum` and `_count`" + `. Its times are in seconds.
- The server also has the metrics ` + "`go_*` and `process_*`" + ` of the Prometheus client for Go.
- The alerts SlipstickDown and SlipstickAllDown use ` + "`up`" + `, a metric that Prometheus makes for each server.

| metric | type | labels | meaning | alerts |
| --- | --- | --- | --- | --- |
`
)

// The page about metrics has every metric in the code, and the type, help and labels that a server gives.
func TestMetricsPage(t *testing.T) {
	t.Parallel()
	metrics, alerts := readMetrics(t), alertsByMetric(t)
	var b strings.Builder
	b.WriteString(metricsIntro)
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		m := metrics[name]
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", name, m.kind, quoteAll(m.labels), m.help, strings.Join(alerts[name], ", "))
		delete(alerts, name)
	}
	if len(alerts) > 0 {
		t.Errorf("the code has no metrics for alerts: %v", alerts)
	}
	if *update {
		if err := os.WriteFile(metricsPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(metricsPage); err != nil || string(got) != b.String() {
		t.Errorf("%s is not what the code gives (%v): run go test -vet=off ./system -run TestMetricsPage -update in tools", metricsPage, err)
	}
	h := startServer(t, "--ledger", filepath.Join(t.TempDir(), "ledger"))
	h.work(t)
	_, text := h.get(t, "/metrics")
	served := servedMetrics(text)
	if len(served) < 25 {
		t.Errorf("the server has only %d metrics", len(served))
	}
	for name, is := range served {
		want := metrics[name]
		if want.kind != is.kind || want.help != is.help || !slices.Equal(slices.Sorted(slices.Values(want.labels)), is.labels) {
			t.Errorf("%s is %+v, but %+v in the code", name, is, want)
		}
	}
}

// quoteAll returns words as code, with commas.
func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = "`" + word + "`"
	}
	return strings.Join(quoted, ", ")
}

// registrations are the functions of the server that register a metric, with its type. The name is the first argument, the
// help is the second one.
var registrations = map[string]string{
	"Watch": "counter", "Counters": "counter", "counter": "counter",
	"Gauge": "gauge", "GaugesBy": "gauge", "Gauges": "gauge", "gauge": "gauge",
	"histogram": "histogram",
}

// readMetrics returns the metrics that the server registers in its source.
func readMetrics(t *testing.T) map[string]family {
	t.Helper()
	metrics := map[string]family{}
	err := filepath.WalkDir("../../host/internal", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if kind, texts := registrations[functionOf(call)], literals(call.Args); kind != "" && len(texts) > 1 && strings.HasPrefix(texts[0], "slipstick_") {
					metrics[texts[0]] = family{kind, texts[1], texts[2:]}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return metrics
}

// functionOf returns the name of the function in a call, without its package or receiver.
func functionOf(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// literals returns the texts among arguments, including elements of lists.
func literals(args []ast.Expr) (texts []string) {
	for _, arg := range args {
		switch arg := arg.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(arg.Value); err == nil {
				texts = append(texts, text)
			}
		case *ast.CompositeLit:
			if _, isList := arg.Type.(*ast.ArrayType); isList {
				texts = append(texts, literals(arg.Elts)...)
			}
		}
	}
	return texts
}

var (
	metricName = regexp.MustCompile(`slipstick_[a-z_]+`)
	ofSeries   = regexp.MustCompile(`_seconds_(bucket|sum|count)$`)
)

// alertsByMetric returns the names of the alerts that use a metric.
func alertsByMetric(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(monitoring, "alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	alerts := map[string][]string{}
	for _, rule := range strings.Split(string(text), "- alert: ")[1:] {
		name, rest, _ := strings.Cut(rule, "\n")
		if !strings.Contains(rest, "slipstick_") && !strings.Contains(metricsIntro, name) {
			t.Errorf("the page does not name the alert %s", name)
		}
		for _, metric := range metricName.FindAllString(rest, -1) {
			metric = ofSeries.ReplaceAllString(metric, "_seconds")
			if !slices.Contains(alerts[metric], name) {
				alerts[metric] = append(alerts[metric], name)
			}
		}
	}
	return alerts
}

var (
	headOfMetric = regexp.MustCompile(`(?m)^# HELP (slipstick_\w+) (.*)\n# TYPE \w+ (\w+)\n\w+(?:\{(.*)\})? `)
	labelName    = regexp.MustCompile(`(\w+)="`)
)

// servedMetrics returns the metrics in a text that a server gives. Their labels are sorted.
func servedMetrics(text string) map[string]family {
	metrics := map[string]family{}
	for _, head := range headOfMetric.FindAllStringSubmatch(text, -1) {
		var labels []string
		for _, label := range labelName.FindAllStringSubmatch(head[4], -1) {
			if label[1] != "le" {
				labels = append(labels, label[1])
			}
		}
		metrics[head[1]] = family{head[3], head[2], labels}
	}
	return metrics
}
