package telemetry

import (
	"context"
	"fmt"
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// Tracer makes spans. The zero value makes none.
type Tracer struct {
	provider *trace.TracerProvider
}

// propagator reads and writes the header traceparent (W3C Trace Context).
var propagator = propagation.TraceContext{}

// NewTracer returns a Tracer that sends its spans to an OTLP collector over HTTP. The
// endpoint is a URL; the other settings are the OTEL_ variables of the environment.
func NewTracer(ctx context.Context, endpoint string) (*Tracer, error) {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(endpoint))
	if err != nil {
		return nil, fmt.Errorf("traces to %s: %w", endpoint, err)
	}
	return TracerTo(exporter), nil
}

// TracerTo returns a Tracer that sends its spans to the exporter.
func TracerTo(exporter trace.SpanExporter) *Tracer {
	return &Tracer{trace.NewTracerProvider(
		trace.WithBatcher(exporter),
		trace.WithResource(resource.NewSchemaless(attribute.String("service.name", "slipstick"))),
	)}
}

// Flush sends the spans that have ended.
func (t *Tracer) Flush(ctx context.Context) error { return t.provider.ForceFlush(ctx) }

// Close sends the remaining spans.
func (t *Tracer) Close(ctx context.Context) error {
	if t.provider == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Middleware makes a span for every request. If the caller sends a span, it is the parent.
func (t *Tracer) Middleware(next http.Handler) http.Handler {
	if t.provider == nil {
		return next
	}
	return otelhttp.NewHandler(next, "http", otelhttp.WithTracerProvider(t.provider), otelhttp.WithPropagators(propagator),
		otelhttp.WithMeterProvider(otel.GetMeterProvider()))
}

// Engine starts a span for one call of an engine. It returns the traceparent to send to the
// engine, "" if tracing is off, and a function that ends the span.
func (t *Tracer) Engine(ctx context.Context, capability, version, digest string) (_ context.Context, traceparent string, end func(error)) {
	if t.provider == nil {
		return ctx, "", func(error) {}
	}
	ctx, span := t.provider.Tracer("slipstick").Start(ctx, "engine "+capability, oteltrace.WithSpanKind(oteltrace.SpanKindClient),
		oteltrace.WithAttributes(attribute.String("slipstick.capability_id", capability),
			attribute.String("slipstick.calculation_version", version), attribute.String("slipstick.engine_digest", digest)))
	carrier := propagation.MapCarrier{}
	propagator.Inject(ctx, carrier)
	return ctx, carrier["traceparent"], func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, err.Error())
		}
		span.End()
	}
}
