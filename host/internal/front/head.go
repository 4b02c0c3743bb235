package front

import (
	"bytes"
	"strings"
)

// verdict is what the bytes at the beginning of a connection are.
type verdict int

const (
	whole   verdict = iota // a request of the common shape
	partial                // the beginning of one
	other                  // anything else
)

// head is a request of the common shape. Its slices refer to the bytes that were read.
type head struct {
	path      []byte // of the address
	requestID []byte
	pin       []byte // Service-Spec-Version
	forwarded []byte // X-Forwarded-For, its lines joined by commas
	body      []byte
	gzip      bool // the caller takes compressed answers
	close     bool // the caller wants the connection to end
	size      int  // of the whole request

	seen   field
	length int
}

// field is a set of header fields that may be sent once.
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
	harmless

	required = host | contentType | contentLength
)

const version = " HTTP/1.1\r\n"

// read recognizes a request whose first line begins with the start. It accepts no spelling in
// which two readers could see different requests, and nothing that asks for more than a
// calculation answered with JSON.
func (h *head) read(data []byte, start string) verdict {
	*h = head{}
	if v := begins(data, start); v != whole {
		return v
	}
	end := len(start)
	for end < len(data) && plain[data[end]] {
		end++
	}
	if v := begins(data[end:], version); v != whole {
		return v
	}
	if end == len(start) || data[len(start)] == '.' {
		return other // . and .. are no names
	}
	h.path = data[len("POST "):end]
	return h.readFields(data, end+len(version))
}

// begins judges whether the data begins with the text.
func begins(data []byte, text string) verdict {
	n := min(len(data), len(text))
	switch {
	case string(data[:n]) != text[:n]:
		return other
	case n < len(text):
		return partial
	}
	return whole
}

// readFields reads the header fields, which begin at the place.
func (h *head) readFields(data []byte, at int) verdict {
	for {
		n := bytes.IndexByte(data[at:], '\n')
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
		if colon < 0 || !h.add(line[:colon], bytes.Trim(line[colon+1:n-1], " ")) {
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
	h.body = data[at:h.size]
	return whole
}

// add takes a header field. It reports whether the request is still of the common shape.
func (h *head) add(name, value []byte) bool {
	for _, c := range value {
		if c < ' ' || c > '~' {
			return false
		}
	}
	f, ok := h.take(name, value)
	if !ok || f != harmless && h.seen&f != 0 {
		return false
	}
	h.seen |= f
	return true
}

// take judges a field by itself. Harmless are fields of usual clients and proxies that nothing
// reads that answers a calculation: no handler, no log, not net/http and not the compression.
// Traces read some, but the front answers nothing while traces are sent.
func (h *head) take(name, value []byte) (f field, ok bool) {
	var lower [32]byte
	if len(name) > len(lower) {
		return 0, false
	}
	for i, c := range name {
		if !plain[c] {
			return 0, false
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	name = lower[:len(name)]
	switch string(name) {
	case "host":
		return host, len(value) > 0 && plainHost(value)
	case "accept":
		return accept, takesJSON[string(value)]
	case "connection":
		h.close = strings.EqualFold(string(value), "close")
		return connection, h.close || strings.EqualFold(string(value), "keep-alive")
	case "x-request-id":
		h.requestID = value
		return requestID, true
	case "content-type":
		return contentType, string(value) == "application/json" || string(value) == "application/json; charset=utf-8"
	case "content-length":
		return contentLength, h.setLength(value)
	case "accept-encoding":
		h.gzip = gzipped[string(value)]
		return acceptEncoding, h.gzip || string(value) == "identity"
	case "service-spec-version":
		h.pin = value
		return pinned, true
	case "x-forwarded-for":
		h.addForwarded(value)
		return harmless, true
	case "user-agent", "accept-language", "cache-control", "pragma", "priority", "dnt", "origin", "referer",
		"x-forwarded-proto", "x-forwarded-host", "x-forwarded-port", "x-real-ip", "forwarded", "via",
		"traceparent", "tracestate", "x-amzn-trace-id", "x-cloud-trace-context":
		return harmless, true
	}
	return harmless, bytes.HasPrefix(name, []byte("sec-")) || bytes.HasPrefix(name, []byte("cf-"))
}

// addForwarded takes a line of X-Forwarded-For.
func (h *head) addForwarded(value []byte) {
	if h.forwarded == nil {
		h.forwarded = value
		return
	}
	h.forwarded = bytes.Join([][]byte{h.forwarded, value}, []byte(","))
}

// takesJSON are what usual clients send who take JSON. The first form of a problem is JSON.
var takesJSON = map[string]bool{"*/*": true, "application/json": true, "application/json, text/plain, */*": true}

// gzipped are what usual clients send who take gzip.
var gzipped = map[string]bool{"gzip": true, "gzip, deflate": true, "gzip, deflate, br": true, "gzip, deflate, br, zstd": true, "deflate, gzip": true, "deflate, gzip, br, zstd": true, "gzip, br": true}

// setLength takes a length of one to five decimal digits that does not begin with a zero.
func (h *head) setLength(digits []byte) bool {
	if len(digits) == 0 || len(digits) > 5 || digits[0] == '0' {
		return false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
		h.length = 10*h.length + int(c-'0')
	}
	return true
}

// plain are the bytes that stand for themselves in the last part of an address. Names of fields
// may have others, but those that are known here have not.
var plain = func() (t [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") {
		t[c] = true
	}
	return t
}()

func plainHost(value []byte) bool {
	for _, c := range value {
		if !plain[c] && c != ':' && c != '[' && c != ']' {
			return false
		}
	}
	return true
}
