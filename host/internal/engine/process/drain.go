package process

import (
	"context"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The server reads and discards the output of an engine, so that printing does not block the
// engine. Reading is throttled: an engine that prints endlessly has to wait, and uses almost no CPU
// time of the server.
const (
	drainRate  = 16 << 20 // bytes per second from a pipe
	stdioRate  = 1 << 20  // bytes per second of output that go-plugin carries in messages
	drainBurst = 4 << 20  // bytes that may be read before the rate applies
	drainLeast = 1 << 10  // least number of bytes that a read counts as, since each wake-up has a cost
)

// throttle slows a reader down to a rate.
type throttle struct {
	rate float64   // bytes per second
	owed float64   // bytes that were read earlier than the rate allows
	last time.Time // time of the last read
}

// pause returns how long to wait after reading n bytes.
func (t *throttle) pause(n int, now time.Time) time.Duration {
	t.owed = max(0, t.owed-now.Sub(t.last).Seconds()*t.rate) + float64(max(n, drainLeast))
	t.last = now
	return time.Duration(max(0, t.owed-drainBurst) / t.rate * float64(time.Second))
}

func (t *throttle) wait(n int) { time.Sleep(t.pause(n, time.Now())) }

// drain is an empty stream for go-plugin. Reading it copies the engine's stream to the writer,
// until that stream ends.
type drain struct {
	from  io.ReadCloser
	to    io.Writer
	limit throttle
}

func newDrain(from io.ReadCloser, to io.Writer) *drain {
	return &drain{from: from, to: to, limit: throttle{rate: drainRate}}
}

func (d *drain) Read([]byte) (int, error) {
	b := make([]byte, 32<<10)
	for {
		n, err := d.from.Read(b)
		_, _ = d.to.Write(b[:n])
		if err != nil {
			return 0, err
		}
		d.limit.wait(n)
	}
}

func (d *drain) Close() error { return d.from.Close() }

// slowDiscard discards what an engine prints through go-plugin, at a limited rate.
type slowDiscard struct{ limit throttle }

func newSlowDiscard() *slowDiscard { return &slowDiscard{throttle{rate: stdioRate}} }

func (d *slowDiscard) Write(b []byte) (int, error) {
	d.limit.wait(len(b))
	return len(b), nil
}

// brokerStream is the method by which an engine offers go-plugin further connections. The server
// needs none, and go-plugin would remember each offer forever.
const brokerStream = "/plugin.GRPCBroker/StartStream"

// refuseBroker is a gRPC interceptor that fails calls of brokerStream.
func refuseBroker(ctx context.Context, d *grpc.StreamDesc, c *grpc.ClientConn, method string, open grpc.Streamer, o ...grpc.CallOption) (grpc.ClientStream, error) {
	if method == brokerStream {
		return nil, status.Error(codes.Unimplemented, "engines have no broker")
	}
	return open(ctx, d, c, method, o...)
}
