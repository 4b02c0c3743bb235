package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-openapi/runtime/server-middleware/negotiate"
)

// Media types of answers that exist in several forms.
const (
	JSON    = "application/json"
	Problem = "application/problem+json"
	HTML    = "text/html"
)

// Media returns which of the offered media types the request prefers: first by the weights
// in its Accept header, then by how specifically a type is named (RFC 9110 section 12.5.1),
// then by the order of the offers. If the request accepts none of them, Media returns the
// first. Parameters such as charset are ignored.
func Media(r *http.Request, offers ...string) string {
	accept := r.Header["Accept"]
	if len(accept) == 0 || len(accept) == 1 && (accept[0] == "*/*" || accept[0] == offers[0]) {
		return offers[0] // the common case of programs
	}
	return negotiate.ContentType(r, offers, offers[0], negotiate.WithIgnoreParameters(true))
}

// Vary adds names of request headers that the answer depends on to the header Vary, unless
// they are in it already.
func Vary(h http.Header, names ...string) {
	var told []string
	for _, line := range h["Vary"] {
		for name := range strings.SplitSeq(line, ",") {
			told = append(told, http.CanonicalHeaderKey(strings.TrimSpace(name)))
		}
	}
	for _, name := range names {
		if !slices.Contains(told, http.CanonicalHeaderKey(name)) {
			told = append(told, name)
			h.Add("Vary", name)
		}
	}
}
