package process

import (
	"testing"

	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// busyConn stands for other callers, who queue a frame during each write.
type busyConn struct {
	out     *frameWriter
	written int
	quiet   bool // the others have left
}

func (c *busyConn) Write(b []byte) (int, error) {
	c.written += len(b)
	if c.quiet {
		return len(b), nil
	}
	c.out.queueFrame(contract.FramePing, func(b []byte) []byte { return append(b, make([]byte, 300)...) })
	return len(b), nil
}

// A caller does not write for others without end.
func TestWriterLeaves(t *testing.T) {
	var out frameWriter
	c := &busyConn{out: &out}
	out.conn = c
	out.queueFrame(contract.FramePing, func(b []byte) []byte { return contract.AppendID(b, 1) })
	more, err := out.flush()
	if !more || err != nil || c.written < quickWrite || c.written > 2*quickWrite {
		t.Errorf("%d bytes are written, more wait: %v, %v", c.written, more, err)
	}
	if more, err := out.flush(); more || err != nil {
		t.Errorf("another caller writes before the rest is written: %v, %v", more, err)
	}
	c.quiet = true
	if err := out.finish(); err != nil || len(out.queue) > 0 || out.writing {
		t.Errorf("%d bytes are left, writing %t, %v", len(out.queue), out.writing, err)
	}
}
