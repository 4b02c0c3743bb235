package conn

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Refuse returns the header fields and the body of the answer to a request that net/http refuses before it
// calls a handler. Status and reason come from net/http; the reason can be "".
type Refuse func(status int, reason string) (http.Header, []byte)

// Answers that net/http writes itself, in one piece each: an error of reading a header, as text, and an unknown
// expectation. Answers of handlers start with other fields.
var (
	statusLine    = []byte("HTTP/1.1 ")
	errorFields   = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
	noExpectation = []byte("417 Expectation Failed\r\nConnection: close\r\n")
)

// Write implements [net.Conn].
func (c *watchedConn) Write(p []byte) (int, error) {
	if c.refuse == nil {
		return c.Conn.Write(p)
	}
	status, reason, ok := refused(p)
	if !ok {
		return c.Conn.Write(p)
	}
	if _, err := c.Conn.Write(c.refusal(status, reason)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// refused recognizes an answer that net/http writes itself.
func refused(p []byte) (status int, reason string, ok bool) {
	rest, ok := bytes.CutPrefix(p, statusLine)
	if !ok || len(rest) < len("400 ") || rest[0] != '4' && rest[0] != '5' {
		return 0, "", false
	}
	first, _, _ := bytes.Cut(rest, []byte("\r\n"))
	if !bytes.HasPrefix(rest[len(first):], errorFields) && !bytes.HasPrefix(rest, noExpectation) {
		return 0, "", false
	}
	status, err := strconv.Atoi(string(first[:3]))
	if err != nil {
		return 0, "", false
	}
	_, reason, _ = strings.Cut(string(first), ": ")
	return status, reason, true
}

// refusal returns the whole answer.
func (c *watchedConn) refusal(status int, reason string) []byte {
	header, body := c.refuse(status, reason)
	header.Set("Connection", "close")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) + "\r\n")
	_ = header.Write(&b) // a buffer accepts all writes
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}
