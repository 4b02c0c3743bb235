package conn_test

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/web/conn"
)

// received is a Memory.
type received struct {
	in [64]byte
	n  int
}

func (r *received) Take() []byte   { return r.in[r.n:] }
func (r *received) Received(n int) { r.n += n }

// Receive returns bytes that arrived before a deadline even after it, because a busy server can be late. It
// does not wait for more.
func TestReceiveAfterDeadline(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := conn.NewListener(tcp, &conn.Options{})
	defer l.Close()
	client, err := net.Dial("tcp", tcp.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	nc, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c := nc.(*conn.Conn)
	defer c.Close()
	var got received
	receive := func(want string, wantErr error) {
		t.Helper()
		got.n = 0
		err := c.Receive(&got)
		for late := 0; wantErr != os.ErrDeadlineExceeded && errors.Is(err, os.ErrDeadlineExceeded) && late < 1000; late++ {
			time.Sleep(time.Millisecond) // on a busy system they arrive shortly after the write
			err = c.Receive(&got)
		}
		if string(got.in[:got.n]) != want || !errors.Is(err, wantErr) {
			t.Errorf("received %q, %v; want %q, %v", got.in[:got.n], err, want, wantErr)
		}
	}
	if _, err := io.WriteString(client, "first"); err != nil {
		t.Fatal(err)
	}
	receive("first", nil) // it has arrived
	if _, err := io.WriteString(client, "second"); err != nil {
		t.Fatal(err)
	}
	if err := c.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	receive("second", nil)
	receive("", os.ErrDeadlineExceeded)
	client.Close()
	receive("", io.EOF)
}
