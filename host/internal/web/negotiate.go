// Package web is what every HTTP face of the service needs: which form of an answer a
// caller wants, how the answer is compressed, and what caches are told about both.
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

// Media returns which of the offered media types the request prefers: by the weights of
// its Accept header, then by how exactly they are named (RFC 9110 section 12.5.1), then
// by the order of the offers. A request that takes none of them gets the first.
// Parameters such as charset do not count.
func Media(r *http.Request, offers ...string) string {
	accept := r.Header["Accept"]
	if len(accept) == 0 || len(accept) == 1 && (accept[0] == "*/*" || accept[0] == offers[0]) {
		return offers[0] // as almost every program asks
	}
	return negotiate.ContentType(r, offers, offers[0], negotiate.WithIgnoreParameters(true))
}

// Vary tells caches that the answer depends on request headers, beside those that they
// have been told of.
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
