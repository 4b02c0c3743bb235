package contestant

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
)

// ServeSocket reads requests and writes the answer to each, without a look at anything but their lengths. It is the least
// that one request and one answer cost on a connection. It serves as [Serve] does.
func ServeSocket(ctx context.Context, answer []byte, stderr io.Writer) error {
	return serveRaw(ctx, Socket, answer, func() error { return nil }, stderr)
}

// serveRaw calls before for each request.
func serveRaw(ctx context.Context, name string, answer []byte, before func() error, stderr io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { listener.Close() })
	defer stop()
	text := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(answer), answer)
	fmt.Fprintf(stderr, "%s: serving http://%s\n", name, listener.Addr())
	for {
		c, err := listener.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		go answerAll(ctx, c, text, before)
	}
}

// answerAll answers the requests of a connection until it ends.
func answerAll(ctx context.Context, c net.Conn, answer []byte, before func() error) {
	defer context.AfterFunc(ctx, func() { c.Close() })()
	defer c.Close()
	buffer, have := make([]byte, 64<<10), 0
	for {
		n, err := c.Read(buffer[have:])
		if err != nil || n == 0 {
			return
		}
		have += n
		for size := requestSize(buffer[:have]); size > 0 && size <= have; size = requestSize(buffer[:have]) {
			have = copy(buffer, buffer[size:have])
			if before() != nil {
				return
			}
			if _, err := c.Write(answer); err != nil {
				return
			}
		}
	}
}

// requestSize returns the size of the first request, or 0 if its head is not complete.
func requestSize(data []byte) int {
	end := bytes.Index(data, []byte("\r\n\r\n"))
	if end < 0 {
		return 0
	}
	const name = "\r\nContent-Length: " // as wrk and net/http write it
	at := bytes.Index(data[:end], []byte(name))
	if at < 0 {
		return end + 4
	}
	digits, _, _ := bytes.Cut(data[at+len(name):end+2], []byte("\r\n"))
	length, err := strconv.Atoi(string(digits))
	if err != nil || length < 0 {
		return 0
	}
	return end + 4 + length
}
