//go:build unix

package socket_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/socket"
)

func newPair(t *testing.T) (*socket.Conn, *os.File) {
	t.Helper()
	ours, theirs, err := socket.Pair()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ours.Close()
		theirs.Close()
	})
	return ours, theirs
}

// Both directions are used at once, with more bytes than the system buffers.
func TestBothWays(t *testing.T) {
	ours, theirs := newPair(t)
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	var group sync.WaitGroup
	for _, end := range []io.ReadWriter{ours, theirs} {
		group.Go(func() {
			if n, err := end.Write(sent); n != len(sent) || err != nil {
				t.Errorf("%d bytes written, %v", n, err)
			}
		})
		group.Go(func() {
			got := make([]byte, len(sent))
			if _, err := io.ReadFull(end, got); err != nil || !bytes.Equal(got, sent) {
				t.Errorf("other bytes were read, %v", err)
			}
		})
	}
	group.Wait()
}

// Every single message is noticed, for all interleavings of reading and writing.
func TestEcho(t *testing.T) {
	ours, theirs := newPair(t)
	var group sync.WaitGroup
	group.Go(func() { _, _ = io.Copy(theirs, theirs) })
	message := make([]byte, 8)
	for i := range 10_000 {
		message[0] = byte(i)
		if _, err := ours.Write(message); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(ours, message); err != nil || message[0] != byte(i) {
			t.Fatalf("message %d: %v, %v", i, message, err)
		}
	}
	ours.Close()
	group.Wait()
}

func TestDeadlines(t *testing.T) {
	ours, theirs := newPair(t)
	for range 2 {
		if err := ours.SetReadDeadline(time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		if _, err := ours.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("after the deadline: %v", err)
		}
		if _, err := theirs.WriteString("x"); err != nil {
			t.Fatal(err)
		}
		if err := ours.SetReadDeadline(time.Time{}); err != nil {
			t.Fatal(err)
		}
		if n, err := ours.Read(make([]byte, 10)); n != 1 || err != nil {
			t.Errorf("without a deadline: %d bytes, %v", n, err)
		}
	}
}

// WriteNow does not wait until the other end reads, and writes the bytes in order with Write.
func TestWriteNow(t *testing.T) {
	ours, theirs := newPair(t)
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	n, err := ours.WriteNow(sent)
	if n == 0 || n == len(sent) || err != nil {
		t.Errorf("nothing is read: %d of %d bytes written, %v", n, len(sent), err)
	}
	if more, err := ours.WriteNow(sent[n:]); more != 0 || err != nil {
		t.Errorf("the socket is full: %d bytes written, %v", more, err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		if more, err := ours.Write(sent[n:]); n+more != len(sent) || err != nil {
			t.Errorf("%d and %d bytes written, %v", n, more, err)
		}
	})
	got := make([]byte, len(sent))
	if _, err := io.ReadFull(theirs, got); err != nil || !bytes.Equal(got, sent) {
		t.Errorf("other bytes were read, %v", err)
	}
	group.Wait()
	theirs.Close()
	if _, err := ours.WriteNow(sent); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("the other end is closed: %v", err)
	}
}

func TestClose(t *testing.T) {
	for name, wait := range map[string]func(c *socket.Conn) error{
		"read":  func(c *socket.Conn) error { _, err := c.Read(make([]byte, 1)); return err },
		"write": func(c *socket.Conn) error { _, err := c.Write(make([]byte, 8<<20)); return err },
	} {
		for _, who := range []string{"ours", "theirs"} {
			ours, theirs := newPair(t)
			ended := make(chan error)
			go func() { ended <- wait(ours) }()
			if who == "ours" {
				ours.Close()
			} else {
				theirs.Close()
			}
			if err := <-ended; err == nil {
				t.Errorf("%s of a socket whose end (%s) was closed: no error", name, who)
			}
			ours.Close()
			if _, err := ours.Write([]byte("x")); err == nil {
				t.Errorf("%s: a closed socket was written to", name)
			}
			if ours.Close() == nil {
				t.Errorf("%s: a socket was closed twice", name)
			}
		}
	}
}
