package web

import (
	"net/http"
	"strconv"
)

// Headers that every answer carries, errors included: pages of any origin may read it.
// Their values are shared, so they are set as they are and never appended to.
var (
	anyOrigin  = []string{"*"}
	exposed    = []string{"Service-Spec-Version, Slipstick-Engine-Digest, Allow, ETag, Location, Link, Deprecation, Sunset, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"}
	anyReader  = []string{"cross-origin"}
	noSniffing = []string{"nosniff"}
)

func setCommon(h http.Header) {
	h["Access-Control-Allow-Origin"] = anyOrigin
	h["Access-Control-Expose-Headers"] = exposed
	h["X-Content-Type-Options"] = noSniffing
}

var notStored = []string{"no-store"}

// SetNoStore says that the answer must not be kept.
func SetNoStore(h http.Header) { h["Cache-Control"] = notStored }

// setEmbeddable lets pages of any origin embed what is fetched without CORS.
func setEmbeddable(h http.Header) { h["Cross-Origin-Resource-Policy"] = anyReader }

// setPreflight sets what a browser asks about before it sends a request.
func setPreflight(h http.Header) {
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Content-Type, Accept, Service-Spec-Version, Traceparent, MCP-Protocol-Version, Mcp-Method, Mcp-Name")
	h.Set("Access-Control-Max-Age", "7200")
}

// What pages may do: load and call nothing but this host, and run no inline script or
// style. Data blocks are no scripts.
const (
	loadPolicy  = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
	fixedPolicy = "base-uri 'none'; frame-ancestors 'none'"

	PagePolicy = loadPolicy + fixedPolicy
	FormPolicy = loadPolicy + "form-action 'self'; " + fixedPolicy // forms are sent to this host
)

// WritePage answers with a page for people, or with a part of one, under the headers that
// every page has. How long it may be kept is for the caller to say.
func WritePage(w http.ResponseWriter, r *http.Request, status int, html []byte) {
	h := w.Header()
	h.Set("Content-Type", HTML+"; charset=utf-8")
	h.Set("Content-Security-Policy", FormPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	h.Set("Content-Length", strconv.Itoa(len(html)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(html) // a caller who has left needs no answer
	}
}
