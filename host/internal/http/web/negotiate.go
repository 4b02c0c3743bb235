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

// Media returns the offered media type that the request prefers. It compares the weights in the Accept header,
// then how specific the matching type is (RFC 9110 section 12.5.1), then the order of the offers. If the
// request accepts none of them, Media returns the first. It ignores parameters such as charset.
func Media(r *http.Request, offers ...string) string {
	accept := r.Header["Accept"]
	if len(accept) == 0 || len(accept) == 1 && (accept[0] == "*/*" || accept[0] == offers[0]) {
		return offers[0] // the common case of programs
	}
	return negotiate.ContentType(r, offers, offers[0], negotiate.WithIgnoreParameters(true))
}

// Vary adds names of request headers that the answer depends on to the header Vary, without duplicates.
func Vary(h http.Header, names ...string) {
	var present []string
	for _, line := range h["Vary"] {
		for name := range strings.SplitSeq(line, ",") {
			present = append(present, http.CanonicalHeaderKey(strings.TrimSpace(name)))
		}
	}
	for _, name := range names {
		if !slices.Contains(present, http.CanonicalHeaderKey(name)) {
			present = append(present, name)
			h.Add("Vary", name)
		}
	}
}
