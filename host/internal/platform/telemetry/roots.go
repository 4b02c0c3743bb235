package telemetry

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/trace"
)

// roots decides which traces that start here are sampled, before OpenTelemetry makes a span. Its value is the number
// of trace ids that are sampled, of 1<<63. The sampler of OpenTelemetry reads the same environment, and samples
// every trace with an id of roots.
type roots uint64

// allRoots is the roots that samples every trace.
const allRoots roots = 1 << 63

// rootsSampled returns the roots that OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG choose.
func rootsSampled() roots {
	sampler := strings.ToLower(strings.TrimSpace(os.Getenv("OTEL_TRACES_SAMPLER")))
	switch strings.TrimPrefix(sampler, "parentbased_") {
	case "always_off":
		return 0
	case "traceidratio":
		share, err := strconv.ParseFloat(strings.TrimSpace(os.Getenv("OTEL_TRACES_SAMPLER_ARG")), 64)
		if err == nil && 0 <= share && share < 1 {
			return roots(share * float64(allRoots))
		}
	}
	return allRoots
}

// sample decides for one trace.
func (r roots) sample() bool { return roots(rand.Uint64()>>1) < r }

// NewIDs implements IDGenerator of OpenTelemetry. It returns the id of a trace that is sampled.
func (r roots) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	var id trace.TraceID
	binary.BigEndian.PutUint64(id[:], rand.Uint64())
	binary.BigEndian.PutUint64(id[8:], rand.Uint64N(uint64(r))<<1|1) // samplers ignore the last bit, and an id is not 0
	return id, r.NewSpanID(ctx, id)
}

// NewSpanID implements IDGenerator of OpenTelemetry.
func (roots) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	binary.BigEndian.PutUint64(id[:], max(1, rand.Uint64()))
	return id
}
