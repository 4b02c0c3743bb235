package process

import (
	"errors"
	"io"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// brokenConn is a connection from which nothing comes, and that fails to write after some writes.
type brokenConn struct {
	writes  chan struct{} // has a value for each write that succeeds
	partial int           // bytes of the write that fails
	closed  chan struct{}
}

func (c *brokenConn) Read([]byte) (int, error) { <-c.closed; return 0, io.EOF }

func (c *brokenConn) Write(p []byte) (int, error) {
	select {
	case <-c.writes:
		return len(p), nil
	default:
		return c.partial, syscall.EPIPE
	}
}

func (c *brokenConn) Close() error {
	select {
	case <-c.closed:
	default:
		close(c.closed)
	}
	return nil
}

func (c *brokenConn) SetReadDeadline(time.Time) error { return nil }

// A call is unsent if the engine cannot have received any byte of it. So its inputs are not
// suspected.
func TestUnsent(t *testing.T) {
	for name, tt := range map[string]struct {
		writes, partial int
		want            []bool // of the calls, one after the other
	}{
		"nothing":                {0, 0, []bool{true}},
		"a part":                 {0, 1, []bool{false}},
		"one call, then nothing": {1, 0, []bool{false, true}},
		"one call, then a part":  {1, 3, []bool{false, false}},
	} {
		t.Run(name, func(t *testing.T) {
			c := &brokenConn{make(chan struct{}, tt.writes), tt.partial, make(chan struct{})}
			for range tt.writes {
				c.writes <- struct{}{}
			}
			s := newStream(c, newAnswers(benchSpec()), func() {}, silent)
			got := make(chan [2]any, len(tt.want))
			for i := range tt.want {
				go func() {
					_, err := s.ask(t.Context(), 0, pongNeed, contract.FramePing, contract.FramePong, func(b []byte, id uint64) []byte { return contract.AppendID(b, id) })
					got <- [2]any{i, err}
				}()
				for written := i < tt.writes; written && len(c.writes) == tt.writes-i; { // the call was sent
					runtime.Gosched()
				}
			}
			for range tt.want {
				g := <-got
				if err, _ := g[1].(error); Unsent(err) != tt.want[g[0].(int)] || !errors.Is(err, ErrLost) {
					t.Errorf("call %d: unsent %t, %v", g[0], Unsent(err), err)
				}
			}
			s.end(io.EOF)
			<-s.done
		})
	}
}
