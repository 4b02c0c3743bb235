package process

import (
	"context"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The server reads the output of an engine, and keeps little of it, so that printing does not block
// the engine. Reading is throttled: an engine that prints endlessly has to wait, and uses almost no CPU
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

// lineCost is what a line that may be a log line adds to its bytes for the rate, because the server
// looks into it.
const lineCost = 128

// drain is an empty stream for go-plugin. Reading it passes on the engine's output, until that ends.
type drain struct {
	from  io.ReadCloser
	to    *printed
	limit throttle
	ended chan struct{} // closed when everything was passed on
	once  sync.Once     // closes ended
}

func newDrain(from io.ReadCloser, to *printed) *drain {
	return &drain{from: from, to: to, limit: throttle{rate: drainRate}, ended: make(chan struct{})}
}

func (d *drain) Read([]byte) (int, error) {
	b := make([]byte, 4<<10) // kept as long as the engine runs, and most engines print little
	for {
		n, err := d.from.Read(b)
		d.to.lines = 0
		_, _ = d.to.Write(b[:n])
		if err != nil {
			d.to.flush()
			d.once.Do(func() { close(d.ended) })
			return 0, err
		}
		d.limit.wait(n + d.to.lines*lineCost)
	}
}

func (d *drain) Close() error { return d.from.Close() }

// slowWriter passes on what an engine prints through go-plugin, at a limited rate.
type slowWriter struct {
	to    io.Writer
	limit throttle
}

func newSlowWriter(to io.Writer) *slowWriter { return &slowWriter{to, throttle{rate: stdioRate}} }

// Write implements [io.Writer].
func (d *slowWriter) Write(b []byte) (int, error) {
	d.limit.wait(len(b))
	return d.to.Write(b)
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
