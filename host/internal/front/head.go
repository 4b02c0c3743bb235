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

// take judges a field by itself.
func (h *head) take(name, value []byte) (f field, ok bool) {
	switch len(name) {
	case len("Host"):
		if is(name, "host") {
			return host, len(value) > 0 && plainHost(value)
		}
	case len("Accept"):
		if is(name, "accept") {
			switch string(value) {
			case "*/*", "application/json", "application/json, text/plain, */*": // the first form of a problem is JSON
				return accept, true
			}
			return accept, false
		}
	case len("Connection"):
		if is(name, "connection") {
			h.close = is(value, "close")
			return connection, h.close || is(value, "keep-alive")
		}
	case len("Content-Type"):
		if is(name, "x-request-id") {
			h.requestID = value
			return requestID, true
		}
		if is(name, "content-type") {
			return contentType, string(value) == "application/json" || string(value) == "application/json; charset=utf-8"
		}
	case len("Content-Length"):
		if is(name, "content-length") {
			return contentLength, h.setLength(value)
		}
	case len("Accept-Encoding"):
		if is(name, "accept-encoding") {
			h.gzip = gzipped[string(value)]
			return acceptEncoding, h.gzip || string(value) == "identity"
		}
		if is(name, "x-forwarded-for") {
			h.addForwarded(value)
			return harmless, true
		}
	case len("Service-Spec-Version"):
		if is(name, "service-spec-version") {
			h.pin = value
			return pinned, true
		}
	}
	return harmless, meansNothing(name)
}

// addForwarded takes a line of X-Forwarded-For.
func (h *head) addForwarded(value []byte) {
	if h.forwarded == nil {
		h.forwarded = value
		return
	}
	h.forwarded = bytes.Join([][]byte{h.forwarded, value}, []byte(","))
}

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

// plain are the bytes that stand for themselves in the last part of an address.
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

// is reports whether the text is the name. Names of the same length in bytes that are equal under
// folding differ in the case of ASCII letters only.
func is(text []byte, name string) bool {
	return len(text) == len(name) && strings.EqualFold(string(text), name)
}
