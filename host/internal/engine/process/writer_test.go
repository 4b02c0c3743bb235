package process

import (
	"testing"

	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// busyConn stands for other callers, who queue a frame during each write.
type busyConn struct {
	out     *frameWriter
	written int
}

func (c *busyConn) Write(b []byte) (int, error) {
	c.written += len(b)
	c.out.queueFrame(contract.FramePing, func(b []byte) []byte { return append(b, make([]byte, 300)...) })
	return len(b), nil
}

// A caller does not write for others without end.
func TestWriterLeaves(t *testing.T) {
	var out frameWriter
	c := &busyConn{out: &out}
	out.conn = c
	out.queueFrame(contract.FramePing, func(b []byte) []byte { return contract.AppendID(b, 1) })
	for range 2 {
		c.written = 0
		more, err := out.flush(true)
		if !more || err != nil || c.written < quickWrite || c.written > 2*quickWrite {
			t.Errorf("%d bytes are written, more wait: %v, %v", c.written, more, err)
		}
	}
}
