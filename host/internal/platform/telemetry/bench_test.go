package telemetry_test

import (
	"fmt"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
)

// BenchmarkRequest measures the spans of a request and of its engine call, by the share of traced requests.
func BenchmarkRequest(b *testing.B) {
	for _, share := range []string{"0", "0.01", "1"} {
		b.Run(fmt.Sprintf("share=%s", share), func(b *testing.B) {
			b.Setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
			b.Setenv("OTEL_TRACES_SAMPLER_ARG", share)
			tracer := telemetry.TracerTo(tracetest.NewNoopExporter())
			b.ReportAllocs()
			for b.Loop() {
				ctx, ended := tracer.Request(b.Context(), "POST", "/api/v1/calc/{id}", "/api/v1/calc/a.b", telemetry.Parent{})
				_, _, end := tracer.Engine(ctx, "a.b", "1.0.0", "sha256:1")
				end(nil)
				ended(200, "")
			}
		})
	}
}
