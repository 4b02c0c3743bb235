package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"syscall"
	"time"
)

// conn is a connection for consecutive requests. net/http's client sends some requests again when a connection
// breaks; conn never does.
type conn struct {
	net.Conn
	read    *bufio.Reader
	patient time.Duration
	used    bool // a response was received on it
}

// dial connects from the given client address.
func dial(ctx context.Context, from netip.Addr, to netip.AddrPort, patience time.Duration) (*conn, error) {
	d := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0)), Timeout: patience}
	c, err := d.DialContext(ctx, "tcp", to.String())
	if err != nil {
		return nil, &Failure{Kind: NoConnection, Detail: err.Error()}
	}
	return &conn{Conn: c, read: bufio.NewReaderSize(c, 16<<10), patient: patience}, nil
}

// closed reports whether the server has closed the connection, as it may while the connection is idle. Every
// client checks this before it sends; a later close is a failure.
func (c *conn) closed() bool {
	raw, err := c.Conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return true
	}
	isClosed := false
	err = raw.Read(func(fd uintptr) bool {
		n, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		isClosed = n == 0 && err == nil || err != nil && !errors.Is(err, syscall.EAGAIN)
		return true
	})
	return isClosed || err != nil
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   []byte
	last   bool // the server closes the connection
}

// request is a request to send.
type request struct {
	method, target, media string
	body                  []byte
}

// do sends a request and reads the whole response.
func (c *conn) do(r request) (*answer, error) {
	if err := c.SetDeadline(time.Now().Add(c.patient)); err != nil {
		return nil, c.failure(err, false)
	}
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: calc.example.org\r\n", r.method, r.target)
	if r.media != "" {
		head += fmt.Sprintf("Content-Type: %s\r\nContent-Length: %d\r\n", r.media, len(r.body))
	}
	if _, err := c.Write(append([]byte(head+"\r\n"), r.body...)); err != nil {
		return nil, c.failure(err, false)
	}
	resp, err := http.ReadResponse(c.read, &http.Request{Method: r.method})
	if err != nil {
		return nil, c.failure(err, false)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, c.failure(err, true)
	}
	c.used = true
	return &answer{resp.StatusCode, resp.Header, body, resp.Close}, nil
}

// failure classifies the error of a connection.
func (c *conn) failure(err error, begun bool) *Failure {
	kind := Broken
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		kind = NoAnswer
	case begun:
		kind = Cut
	case c.used && c.read.Buffered() == 0 && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)):
		kind = ClosedBetween
	}
	return &Failure{Kind: kind, Detail: err.Error()}
}
