package conn

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/http/web"
)

// verdict is the kind of bytes at the start of a connection.
type verdict int

const (
	whole   verdict = iota // a request of the common shape
	partial                // the start of one
	other                  // anything else
)

// head is a request of the common shape. Its slices refer to the bytes that were read.
type head struct {
	web.Calculation
	size int // bytes of the whole request

	seen   field
	length int // bytes of the body
}

// field is a set of header fields that can appear only once.
type field uint

const (
	host field = 1 << iota
	contentType
	contentLength
	accept
	acceptEncoding
	connection
	requestID
	pinned
	traceparent
	tracestate
	harmless field = 0

	required = host | contentType | contentLength
)

const version = " HTTP/1.1\r\n"

// read recognizes a request with a first line that starts with start. It accepts no spelling that two readers
// could interpret as different requests. It accepts no request that asks for more than a calculation with a
// JSON answer.
func (h *head) read(data []byte, start string) verdict {
	*h = head{}
	if v := matchPrefix(data, start); v != whole {
		return v
	}
	end := len(start) + plain.span(data[len(start):])
	if v := matchPrefix(data[end:], version); v != whole {
		return v
	}
	if end == len(start) || data[len(start)] == '.' {
		return other // . and .. are not names
	}
	h.Path = data[len("POST "):end]
	return h.readFields(data, end+len(version))
}

// matchPrefix returns whole if the data starts with the text, partial if more data could complete the text, and
// other if not.
func matchPrefix(data []byte, text string) verdict {
	n := min(len(data), len(text))
	switch {
	case string(data[:n]) != text[:n]:
		return other
	case n < len(text):
		return partial
	}
	return whole
}

// maxHead is the maximum size in bytes of the request line and the header fields.
const maxHead = 16 << 10

// readFields reads the header fields, starting at index at.
func (h *head) readFields(data []byte, at int) verdict {
	for {
		n := bytes.IndexByte(data[at:], '\n')
		if at+n > maxHead || n < 0 && len(data) > maxHead {
			return other
		}
		if n < 0 {
			return partial
		}
		line := data[at : at+n]
		at += n + 1
		if n == 0 || line[n-1] != '\r' {
			return other
		}
		if n == 1 {
			break
		}
		colon := bytes.IndexByte(line, ':')
		if colon < 0 || !h.take(line[:colon], bytes.Trim(line[colon+1:n-1], " ")) {
			return other
		}
	}
	if h.seen&required != required {
		return other
	}
	h.size = at + h.length
	if h.size > len(data) {
		return partial
	}
	h.Body = data[at:h.size]
	return whole
}

// take reads a header field, and reports whether the request still has the common shape. It ignores fields of
// common clients and proxies that do not affect the answer: no handler, log, trace, compression or net/http
// reads them.
func (h *head) take(name, value []byte) (ok bool) {
	var lower [32]byte
	if len(name) > len(lower) || !plain.all(name) || !printable.all(value) {
		return false
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	name = lower[:len(name)]
	f := harmless
	switch string(name) {
	case "host":
		f, ok = host, len(value) > 0 && inHost.all(value)
	case "accept":
		f, ok = accept, takesJSON[string(value)]
	case "connection":
		h.Close = strings.EqualFold(string(value), "close")
		f, ok = connection, h.Close || strings.EqualFold(string(value), "keep-alive")
	case "x-request-id":
		f, ok, h.RequestID = requestID, true, value
	case "content-type":
		f, ok = contentType, string(value) == "application/json" || string(value) == "application/json; charset=utf-8"
	case "content-length":
		f, ok = contentLength, h.setLength(value)
	case "accept-encoding":
		h.Gzip = gzipped[string(value)]
		f, ok = acceptEncoding, h.Gzip || string(value) == "identity"
	case "service-spec-version":
		f, ok, h.Pin, h.Pinned = pinned, true, value, true
	case "traceparent":
		f, ok, h.Parent = traceparent, true, value
	case "tracestate":
		f, ok, h.State = tracestate, true, value
	case "x-forwarded-for":
		if h.Forwarded != nil {
			value = slices.Concat(h.Forwarded, []byte(","), value)
		}
		ok, h.Forwarded = true, value
	case "user-agent", "accept-language", "cache-control", "pragma", "priority", "dnt", "origin", "referer",
		"x-forwarded-proto", "x-forwarded-host", "x-forwarded-port", "x-real-ip", "forwarded", "via",
		"x-amzn-trace-id", "x-cloud-trace-context":
		ok = true
	default:
		ok = bytes.HasPrefix(name, []byte("sec-")) || bytes.HasPrefix(name, []byte("cf-"))
	}
	ok = ok && h.seen&f == 0
	h.seen |= f
	return ok
}

// takesJSON are the Accept values of common clients that accept JSON. The first form of a problem is JSON.
var takesJSON = map[string]bool{"*/*": true, "application/json": true, "application/json, text/plain, */*": true}

// gzipped are the Accept-Encoding values of common clients that accept gzip.
var gzipped = map[string]bool{"gzip": true, "gzip, deflate": true, "gzip, deflate, br": true, "gzip, deflate, br, zstd": true, "deflate, gzip": true, "deflate, gzip, br, zstd": true, "gzip, br": true}

// setLength reads a length of decimal digits without a leading zero. It rejects a length that is too large for
// the front.
func (h *head) setLength(digits []byte) bool {
	n, err := strconv.ParseUint(string(digits), 10, 16)
	h.length = int(n)
	return err == nil && digits[0] != '0'
}

// set is a set of bytes.
type set [256]bool

// plain are the bytes that mean themselves in the last part of a path. Names of fields can have other bytes,
// but the names that are known here do not.
var (
	plain     = newSet(word)
	inHost    = newSet(word + ":[]")
	printable = newSet(word + ":[]" + " !\"#$%&'()*+,/;<=>?@\\^`{|}~")
)

const word = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

func newSet(members string) (s set) {
	for _, c := range []byte(members) {
		s[c] = true
	}
	return s
}

// span returns the number of bytes at the start of the data that are in the set.
func (s *set) span(data []byte) int {
	for i, c := range data {
		if !s[c] {
			return i
		}
	}
	return len(data)
}

func (s *set) all(data []byte) bool { return s.span(data) == len(data) }
