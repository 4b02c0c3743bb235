package telemetry

import (
	"context"
	"fmt"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// Tracer makes spans. The zero value and nil make none.
type Tracer struct {
	provider *trace.TracerProvider
	tracer   oteltrace.Tracer
	roots    roots
}

// Parent has the headers of a request that name the span of its caller (W3C Trace Context).
type Parent struct{ Traceparent, Tracestate string }

// Get implements [propagation.TextMapCarrier].
func (p *Parent) Get(key string) string {
	if key == "traceparent" {
		return p.Traceparent
	}
	return p.Tracestate
}

// Set implements [propagation.TextMapCarrier].
func (p *Parent) Set(key, value string) {
	if key == "traceparent" {
		p.Traceparent = value
	} else {
		p.Tracestate = value
	}
}

// Keys implements [propagation.TextMapCarrier].
func (p *Parent) Keys() []string { return []string{"traceparent", "tracestate"} }

var propagator = propagation.TraceContext{}

// NewTracer returns a Tracer that sends its spans to an OTLP collector over HTTP. The
// endpoint is a URL. The other settings are the OTEL_ variables of the environment, which also choose
// the requests that are traced: OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG.
func NewTracer(ctx context.Context, endpoint string) (*Tracer, error) {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(endpoint))
	if err != nil {
		return nil, fmt.Errorf("traces to %s: %w", endpoint, err)
	}
	return TracerTo(exporter), nil
}

// TracerTo returns a Tracer that sends its spans to the exporter.
func TracerTo(exporter trace.SpanExporter) *Tracer {
	sampled := rootsSampled()
	provider := trace.NewTracerProvider(
		trace.WithBatcher(exporter),
		trace.WithIDGenerator(sampled),
		trace.WithResource(resource.NewSchemaless(attribute.String("service.name", "slipstick"))),
	)
	return &Tracer{provider, provider.Tracer("slipstick"), sampled}
}

// Options of spans, which are not allocated for each span.
var (
	ofRequest = []oteltrace.SpanStartOption{oteltrace.WithSpanKind(oteltrace.SpanKindServer)}
	ofEngine  = []oteltrace.SpanStartOption{oteltrace.WithSpanKind(oteltrace.SpanKindClient)}
)

// unsampled is the span of each request without a span of its caller that is not traced.
var unsampled = oteltrace.SpanFromContext(oteltrace.ContextWithSpanContext(context.Background(),
	oteltrace.NewSpanContext(oteltrace.SpanContextConfig{TraceID: oteltrace.TraceID{1}, SpanID: oteltrace.SpanID{1}})))

// Flush sends the spans that have ended.
func (t *Tracer) Flush(ctx context.Context) error { return t.provider.ForceFlush(ctx) }

// Close sends the remaining spans.
func (t *Tracer) Close(ctx context.Context) error {
	if t.provider == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// On reports whether the Tracer makes spans.
func (t *Tracer) On() bool { return t != nil && t.provider != nil }

// Request starts the span of a request for the route, which is "" if there is none. The returned function ends it with the
// status of the answer, 0 if there is none, and the code of its error, "" for a success.
func (t *Tracer) Request(ctx context.Context, method, route, path string, parent Parent) (context.Context, func(status int, code string)) {
	if parent.Traceparent != "" {
		sent := parent // so that other requests allocate nothing for it
		ctx = propagator.Extract(ctx, &sent)
	}
	if !oteltrace.SpanContextFromContext(ctx).IsValid() && !t.roots.sample() {
		return oteltrace.ContextWithSpan(ctx, unsampled), func(int, string) {}
	}
	name := route
	if name == "" {
		name = "other"
	}
	ctx, span := t.tracer.Start(ctx, name, ofRequest...)
	if !span.IsRecording() {
		return ctx, func(int, string) {}
	}
	return ctx, func(status int, code string) {
		attributes := make([]attribute.KeyValue, 0, 5)
		attributes = append(attributes, attribute.String("http.request.method", method), attribute.String("http.route", route), attribute.String("url.path", path))
		if status > 0 {
			attributes = append(attributes, attribute.Int("http.response.status_code", status))
		}
		if code != "" {
			attributes = append(attributes, attribute.String("error.type", code))
		}
		span.SetAttributes(attributes...)
		if status == 0 || status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, code)
		}
		span.End()
	}
}

// Engine starts a span for one call of an engine. It returns the traceparent to send to the engine, and a function that
// ends the span. The traceparent is "" if the request is not traced.
func (t *Tracer) Engine(ctx context.Context, capability, version, digest string) (_ context.Context, traceparent string, end func(error)) {
	request := oteltrace.SpanContextFromContext(ctx)
	if !t.On() || request.IsValid() && !request.IsSampled() || !request.IsValid() && !t.roots.sample() {
		return ctx, "", func(error) {}
	}
	ctx, span := t.tracer.Start(ctx, "engine "+capability, ofEngine...)
	if !span.IsRecording() {
		return ctx, "", func(error) {}
	}
	span.SetAttributes(attribute.String("slipstick.capability_id", capability),
		attribute.String("slipstick.calculation_version", version), attribute.String("slipstick.engine_digest", digest))
	var sent Parent
	propagator.Inject(ctx, &sent)
	return ctx, sent.Traceparent, func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, err.Error())
		}
		span.End()
	}
}
