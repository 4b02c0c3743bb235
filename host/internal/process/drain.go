package process

import (
	"context"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// What an engine prints is read, so that printing does not block it, and thrown away.
// It is read no faster than this: an engine that prints without end waits, and costs
// the host next to nothing.
const (
	drainRate  = 16 << 20 // bytes in a second, of a pipe
	stdioRate  = 1 << 20  // of what go-plugin carries in messages
	drainBurst = 4 << 20  // before the rate counts
	drainLeast = 1 << 10  // that a piece counts for, however small: waking up costs, too
)

// throttle slows a reader down to a rate.
type throttle struct {
	rate float64 // bytes in a second
	owed float64 // bytes read too early
	last time.Time
}

// pause is how long to wait after reading n bytes.
func (t *throttle) pause(n int, now time.Time) time.Duration {
	t.owed = max(0, t.owed-now.Sub(t.last).Seconds()*t.rate) + float64(max(n, drainLeast))
	t.last = now
	return time.Duration(max(0, t.owed-drainBurst) / t.rate * float64(time.Second))
}

func (t *throttle) wait(n int) { time.Sleep(t.pause(n, time.Now())) }

// drain is a stream for go-plugin to read that has no content: reading it reads the
// engine's to the end and shows it to the writer.
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

// slowDiscard throws away what an engine prints through go-plugin.
type slowDiscard struct{ limit throttle }

func newSlowDiscard() *slowDiscard { return &slowDiscard{throttle{rate: stdioRate}} }

func (d *slowDiscard) Write(b []byte) (int, error) {
	d.limit.wait(len(b))
	return len(b), nil
}

// brokerStream is where go-plugin hears of connections that an engine offers. Nobody
// here wants any, and it would remember each for ever.
const brokerStream = "/plugin.GRPCBroker/StartStream"

func refuseBroker(ctx context.Context, d *grpc.StreamDesc, c *grpc.ClientConn, method string, open grpc.Streamer, o ...grpc.CallOption) (grpc.ClientStream, error) {
	if method == brokerStream {
		return nil, status.Error(codes.Unimplemented, "engines have no broker")
	}
	return open(ctx, d, c, method, o...)
}
