package web

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/versions"
)

// head is the data for the head of an answer. It is written in the same way as by net/http: first the fields of
// handlers in alphabetical order, then its own fields.
type head struct {
	id      string
	vary    []string // Vary of a success
	limit   limit.Decision
	release *catalog.Release // nil if no release has answered
	receipt calc.Receipt
	problem *problem.Problem // nil for a success
	kept    *calc.Body       // the body, if it is kept in memory
	ending  calc.Ending
	gzip    bool // the body is compressed
	date    time.Time
	last    bool // the connection ends after the answer
}

func (h *head) status() int {
	if h.problem != nil {
		return h.problem.Status()
	}
	return http.StatusOK
}

func (h *head) code() string {
	if h.problem != nil {
		return h.problem.Code
	}
	return ""
}

// emptyHead reserves space for the head before a body, so that both are one piece of memory.
var emptyHead [1 << 10]byte

// putHead writes the head before the body in the memory, and returns both.
func (d *Direct) putHead(m *Memory, h *head) []byte {
	size := len(m.text) - len(emptyHead)
	var head []byte
	if h.problem == nil && h.release.Lifecycle.State != catalog.Deprecated {
		head = h.appendSuccess(m.text[:0:len(emptyHead)], size)
	} else {
		head = h.appendAny(nil, size, d.baseURL)
	}
	if len(head) > len(emptyHead) {
		return append(head, m.text[len(emptyHead):]...)
	}
	start := len(emptyHead) - len(head)
	copy(m.text[start:], head)
	return m.text[start:]
}

// appendSuccess appends the head of an answer from a release that is not deprecated.
func (h *head) appendSuccess(dst []byte, size int) []byte {
	dst = append(dst, "HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: "...)
	names := exposed
	if h.receipt.Ledger != "" {
		names = exposedRecorded
	}
	dst = append(append(dst, names[0]...), "\r\nCache-Control: no-store\r\n"...)
	if h.gzip {
		dst = append(dst, "Content-Encoding: gzip\r\n"...)
	}
	if size >= countedByServer {
		dst = appendLength(dst, size)
	}
	dst = append(dst, "Content-Type: application/json\r\n"...)
	if h.limit.Limit > 0 {
		dst = append(h.limit.AppendQuota(append(dst, "Ratelimit: "...)), "\r\nRatelimit-Policy: "...)
		dst = append(h.limit.AppendPolicy(dst), "\r\n"...)
	}
	dst = append(append(dst, versions.HeaderName+": "...), h.release.Version...)
	dst = append(append(dst, "\r\nSlipstick-Engine-Digest: "...), h.release.EngineDigest...)
	if h.receipt.Ledger != "" {
		dst = h.receipt.AppendText(append(dst, "\r\n"+receiptName+": "...))
	}
	for _, name := range h.vary {
		dst = append(append(dst, "\r\nVary: "...), name...)
	}
	dst = append(append(dst, "\r\nX-Content-Type-Options: nosniff\r\nX-Request-Id: "...), h.id...)
	return h.appendOwn(append(dst, "\r\n"...), size)
}

// appendAny appends the head of any answer.
func (h *head) appendAny(dst []byte, size int, baseURL string) []byte {
	fields := http.Header{"Content-Type": mediaJSON, "Vary": {"Accept-Encoding"}, "X-Request-Id": {h.id}}
	if h.problem == nil {
		fields["Vary"] = slices.Clone(h.vary)
	}
	setCommon(fields)
	h.limit.SetHeader(fields)
	if h.release != nil {
		SetRelease(fields, baseURL, h.release)
		SetReceipt(fields, h.receipt)
		SetNoStore(fields)
	}
	if h.problem != nil {
		setProblem(fields, h.problem)
	}
	if h.gzip {
		fields.Set("Content-Encoding", "gzip")
	}
	if size >= countedByServer {
		fields.Set("Content-Length", strconv.Itoa(size))
	}
	closes := fields.Get("Connection") != ""
	if h.last {
		fields.Del("Connection") // appendOwn appends it
	}
	status := h.status()
	b := bytes.NewBuffer(dst)
	b.WriteString("HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) + "\r\n")
	_ = fields.Write(b) // a buffer accepts all writes
	dst = h.appendOwn(b.Bytes(), size)
	h.last = h.last || closes
	return dst
}

// appendOwn appends the fields that net/http adds, and the end of the head.
func (h *head) appendOwn(dst []byte, size int) []byte {
	dst = append(append(append(dst, "Date: "...), dateOf(h.date)...), "\r\n"...)
	if size < countedByServer {
		dst = appendLength(dst, size)
	}
	if h.last {
		dst = append(dst, "Connection: close\r\n"...)
	}
	return append(dst, "\r\n"...)
}

func appendLength(dst []byte, size int) []byte {
	dst = strconv.AppendInt(append(dst, "Content-Length: "...), int64(size), 10)
	return append(dst, "\r\n"...)
}

// second is the text of a second for the field Date.
type second struct {
	unix int64
	text string
}

var lastSecond atomic.Pointer[second]

// dateOf returns the value of the field Date.
func dateOf(t time.Time) string {
	s := lastSecond.Load()
	if s == nil || s.unix != t.Unix() {
		s = &second{t.Unix(), t.UTC().Format(http.TimeFormat)}
		lastSecond.Store(s)
	}
	return s.text
}
