package web

import (
	"net/http"
	"strconv"
	"strings"
)

// Headers of every answer, including errors: pages of any origin may read it. All answers share the slices, so
// callers must never append to them.
var (
	anyOrigin = []string{"*"}
	exposed   = []string{"Service-Spec-Version, Slipstick-Engine-Digest, Allow, ETag, Location, Link, Deprecation, Sunset, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, Slipstick-Warnings, Slipstick-Passed-Columns"}
	// for answers with a record
	exposedRecorded = []string{exposed[0] + ", " + receiptName}

	anyReader  = []string{"cross-origin"}
	noSniffing = []string{"nosniff"}
)

// receiptName is the header field with the receipt of an answer's record.
const receiptName = "Slipstick-Receipt"

func setCommon(h http.Header) {
	h["Access-Control-Allow-Origin"] = anyOrigin
	h["Access-Control-Expose-Headers"] = exposed
	h["X-Content-Type-Options"] = noSniffing
}

var notStored = []string{"no-store"}

// SetNoStore forbids caches to store the answer.
func SetNoStore(h http.Header) { h["Cache-Control"] = notStored }

// setEmbeddable lets pages of any origin embed the answer without CORS.
func setEmbeddable(h http.Header) { h["Cross-Origin-Resource-Policy"] = anyReader }

// allowedHeaders are the request headers that a page of another origin can send. They are the headers of the
// service, the headers of MCP and its older revisions, and Authorization, which a proxy before the server can
// require.
const allowedHeaders = "Content-Type, Accept, Authorization, If-None-Match, If-Modified-Since, X-Request-Id, Service-Spec-Version, Traceparent, " +
	"MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID"

// setPreflight sets the headers that a browser requests before it sends a request.
func setPreflight(h http.Header) {
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS")
	h.Set("Access-Control-Allow-Headers", allowedHeaders)
	h.Set("Access-Control-Max-Age", "7200")
}

// The content security policies of pages. A page can load from and connect to this server only, and cannot run
// inline scripts or styles. Blocks of data (JSON-LD) are not scripts.
const (
	loadPolicy  = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
	fixedPolicy = "base-uri 'none'; frame-ancestors 'none'"
	framePolicy = "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors "

	PagePolicy = loadPolicy + fixedPolicy
	formPolicy = loadPolicy + "form-action 'self'; " + fixedPolicy // forms can be sent to this server
)

// WritePage answers with a page or a part of one, with the headers that all pages have. The caller sets how
// long caches may keep it.
func WritePage(w http.ResponseWriter, r *http.Request, status int, html []byte) {
	writeHTML(w, r, status, html, formPolicy)
}

// WriteFrame answers with a page that only pages of these origins can show in a frame. It has no scripts.
func WriteFrame(w http.ResponseWriter, r *http.Request, status int, html []byte, origins []string) {
	writeHTML(w, r, status, html, framePolicy+strings.Join(origins, " "))
}

func writeHTML(w http.ResponseWriter, r *http.Request, status int, html []byte, policy string) {
	h := w.Header()
	h.Set("Content-Type", HTML+"; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	h.Set("Content-Length", strconv.Itoa(len(html)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(html) // a caller who has left needs no answer
	}
}
