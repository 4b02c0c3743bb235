package conn_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
)

const (
	traceOf   = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanOf    = "00f067aa0ba902b7"
	sampled   = "Traceparent: 00-" + traceOf + "-" + spanOf + "-01"
	unsampled = "Traceparent: 00-" + traceOf + "-" + spanOf + "-00"
)

// spans returns the facts in the spans of the requests in the conversation, and the identifiers of their traces.
func spans(t *testing.T, front bool, tt conversation) (texts, traces []string) {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	tracer := telemetry.TracerTo(exporter)
	h := start(t, setup{front: front, tracer: tracer})
	h.sendAll(t, []byte(tt.sent), 1<<20)
	if err := tracer.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range exporter.GetSpans() {
		var facts []string
		for _, a := range s.Attributes {
			facts = append(facts, string(a.Key)+"="+a.Value.String())
		}
		texts = append(texts, fmt.Sprint(s.Name, " ", s.SpanKind, " below ", s.Parent.SpanID(), " ", s.SpanContext.TraceState(), " ", strings.Join(facts, " "), " ", s.Status))
		traces = append(traces, s.SpanContext.TraceID().String())
	}
	return texts, traces
}

// The front and net/http make the same spans. A request belongs to the trace of its caller, and is traced if that is.
func TestSpans(t *testing.T) {
	for _, tt := range []struct {
		conversation
		count int
		want  string // part of the first span
	}{
		{conversation{"success", post(path, good), false}, 1, "/api/v1/calc/{id} server below 0000000000000000  http.request.method=POST http.route=/api/v1/calc/{id} url.path=" + path + " http.response.status_code=200 {Unset }"},
		{conversation{"of a caller", post(path, good, sampled, "Tracestate: a=b"), false}, 1, "below " + spanOf + " a=b"},
		{conversation{"of a caller that traces nothing", post(path, good, unsampled), false}, 0, ""},
		{conversation{"two callers", post(path, good, sampled) + post(path, good, unsampled) + post(path, good), false}, 2, "below " + spanOf},
		{conversation{"unreadable", post(path, good, "Traceparent: x"), false}, 1, "below 0000000000000000"},
		{conversation{"two headers", post(path, good, sampled, unsampled), true}, 1, "below " + spanOf},
		{conversation{"rejected", post(path, `{"side":2,"count":13}`), false}, 1, "http.response.status_code=400 error.type=TOO_ODD {Unset }"},
		{conversation{"failure", post(path, `{"side":2,"count":500}`), false}, 1, "http.response.status_code=500 error.type=INTERNAL_ERROR {Error INTERNAL_ERROR}"},
		{conversation{"by net/http", "GET /api/v1/none HTTP/1.1\r\nHost: a\r\n" + sampled + "\r\n\r\n", true}, 1, "other server below " + spanOf},
	} {
		got, traces := spans(t, true, tt.conversation)
		want, _ := spans(t, false, tt.conversation)
		if !slices.Equal(got, want) || len(got) != tt.count {
			t.Errorf("%s: the front makes %q, net/http %q, want %d", tt.name, got, want, tt.count)
			continue
		}
		if tt.count > 0 && !strings.Contains(got[0], tt.want) {
			t.Errorf("%s: span %q, want %q", tt.name, got[0], tt.want)
		}
		if strings.Contains(tt.want, spanOf) && traces[0] != traceOf {
			t.Errorf("%s: trace %s", tt.name, traces[0])
		}
	}
}
