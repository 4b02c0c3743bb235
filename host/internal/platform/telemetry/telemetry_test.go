package telemetry_test

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
)

// A caller's trace continues through the request to the engine call.
func TestTraceGoesThrough(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	tracer := telemetry.TracerTo(exporter)
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	ctx, ended := tracer.Request(t.Context(), "POST", "/api/v1/calc/{id}", "/api/v1/calc/a.b", telemetry.Parent{Traceparent: "00-" + trace + "-00f067aa0ba902b7-01"})
	_, forEngine, end := tracer.Engine(ctx, "a.b", "1.0.0", "sha256:1")
	end(errors.New("lost"))
	ended(503, "CAPABILITY_UNAVAILABLE")
	var spans tracetest.SpanStubs
	if err := flush(t, tracer, exporter, &spans); err != nil {
		t.Fatal(err)
	}
	if len(spans) != 2 || spans[0].Name != "engine a.b" || spans[0].Parent.SpanID() != spans[1].SpanContext.SpanID() {
		t.Fatalf("spans %v", spans.Snapshots())
	}
	for _, s := range spans {
		if s.SpanContext.TraceID().String() != trace {
			t.Errorf("%s is of trace %s", s.Name, s.SpanContext.TraceID())
		}
	}
	if spans[0].Status.Description != "lost" || spans[1].Status.Description != "CAPABILITY_UNAVAILABLE" {
		t.Errorf("status %+v, %+v", spans[0].Status, spans[1].Status)
	}
	if want := "00-" + trace + "-" + spans[0].SpanContext.SpanID().String() + "-01"; forEngine != want {
		t.Errorf("the engine gets %q, want %q", forEngine, want)
	}
}

// The environment chooses the requests that are traced, and an engine has a span only below a traced request.
func TestSampling(t *testing.T) {
	t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
	t.Setenv("OTEL_TRACES_SAMPLER_ARG", "0")
	exporter := tracetest.NewInMemoryExporter()
	tracer := telemetry.TracerTo(exporter)
	for _, parent := range []string{"", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"} {
		ctx, ended := tracer.Request(t.Context(), "GET", "", "/", telemetry.Parent{Traceparent: parent})
		_, forEngine, end := tracer.Engine(ctx, "a.b", "1.0.0", "sha256:1")
		if (forEngine != "") != (parent != "") {
			t.Errorf("parent %q: the engine gets %q", parent, forEngine)
		}
		end(nil)
		ended(200, "")
	}
	var spans tracetest.SpanStubs
	if err := flush(t, tracer, exporter, &spans); err != nil || len(spans) != 2 {
		t.Errorf("%d spans, %v, want the request of the traced caller and its engine", len(spans), err)
	}
}

// Each sampler of OpenTelemetry samples its share of the traces that start here.
func TestSamplers(t *testing.T) {
	const requests = 2000 // few enough for the queue of spans
	for _, c := range []struct {
		sampler, share string
		least, most    int
	}{
		{"", "", requests, requests},
		{"always_on", "", requests, requests},
		{"always_off", "", 0, 0},
		{"parentbased_always_off", "", 0, 0},
		{"traceidratio", "", requests, requests},
		{"traceidratio", "0", 0, 0},
		{" TraceIdRatio ", " 0.25 ", requests / 5, requests * 3 / 10},
		{"parentbased_traceidratio", "0.25", requests / 5, requests * 3 / 10},
		{"parentbased_traceidratio", "1", requests, requests},
		{"parentbased_traceidratio", "2", requests, requests},
		{"parentbased_traceidratio", "a quarter", requests, requests},
	} {
		t.Run(c.sampler+" "+c.share, func(t *testing.T) {
			t.Setenv("OTEL_TRACES_SAMPLER", c.sampler)
			t.Setenv("OTEL_TRACES_SAMPLER_ARG", c.share)
			exporter := tracetest.NewInMemoryExporter()
			tracer := telemetry.TracerTo(exporter)
			for i := range requests {
				ctx := t.Context()
				if i%2 > 0 { // a span of an engine without a request
					_, _, end := tracer.Engine(ctx, "a.b", "1.0.0", "sha256:1")
					end(nil)
					continue
				}
				_, ended := tracer.Request(ctx, "GET", "", "/", telemetry.Parent{Traceparent: "not one"})
				ended(200, "")
			}
			var spans tracetest.SpanStubs
			if err := flush(t, tracer, exporter, &spans); err != nil || len(spans) < c.least || len(spans) > c.most {
				t.Errorf("%d spans, %v, want %d to %d", len(spans), err, c.least, c.most)
			}
		})
	}
}

// flush takes the spans before the exporter forgets them at shutdown.
func flush(t *testing.T, tracer *telemetry.Tracer, exporter *tracetest.InMemoryExporter, spans *tracetest.SpanStubs) error {
	t.Helper()
	err := tracer.Flush(t.Context())
	*spans = exporter.GetSpans()
	return errors.Join(err, tracer.Close(t.Context()))
}

// Without a collector, nothing is traced or sent.
func TestNoTracer(t *testing.T) {
	var tracer telemetry.Tracer
	if _, traceparent, end := tracer.Engine(t.Context(), "a.b", "1.0.0", ""); traceparent != "" || tracer.On() {
		t.Errorf("traceparent %q, on %v", traceparent, tracer.On())
	} else {
		end(nil)
	}
	if err := tracer.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestMetrics(t *testing.T) {
	m := telemetry.NewMetrics()
	m.Request("/api/v1/calc/{id}", "POST", 200, "", time.Millisecond)
	m.Request("/api/v1/calc/{id}", "BREW", 405, "METHOD_NOT_ALLOWED", time.Millisecond)
	m.Calculation("a.b", "1.0.0", "success", time.Millisecond)
	m.Engine("a.b", "1.0.0", "start")
	m.Running("a.b", "1.0.0", 1)
	m.Limit("calc", false)
	m.Watch("slipstick_test_total", "A test.", func() float64 { return 7 })
	rec := httptest.NewRecorder()
	m.Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{
		`slipstick_http_requests_total{code="",method="POST",route="/api/v1/calc/{id}",status="200"} 1`,
		`slipstick_http_requests_total{code="METHOD_NOT_ALLOWED",method="other",route="/api/v1/calc/{id}",status="405"} 1`,
		`slipstick_calculation_seconds_count{capability="a.b",outcome="success",version="1.0.0"} 1`,
		`slipstick_engine_events_total{capability="a.b",event="start",version="1.0.0"} 1`,
		`slipstick_engine_processes{capability="a.b",version="1.0.0"} 1`,
		`slipstick_limit_decisions_total{decision="refused",surface="calc"} 1`,
		`slipstick_test_total 7`,
	} {
		if !strings.Contains(rec.Body.String(), want) {
			t.Errorf("no %s in\n%s", want, rec.Body)
		}
	}
}
