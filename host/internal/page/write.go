package page

import (
	"net/http"
	"strconv"

	"github.com/slipstick/slipstick/host/internal/calc"
)

// policy lets a page load and call nothing but this host, and run no inline script or
// style. The result and its linked data are data blocks, which it does not concern.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

const mediaHTML = "text/html; charset=utf-8"

// Write answers with a page, or with the part of one that Result makes, under the headers
// that every page has. How long it may be kept is for the caller to say.
func (p *Pages) Write(w http.ResponseWriter, r *http.Request, status int, html []byte) {
	h := w.Header()
	h.Set("Content-Type", mediaHTML)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	h.Set("Content-Length", strconv.Itoa(len(html)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(html) // a caller who has left needs no answer
	}
}

// tellRetry says when to ask again, if that helps.
func tellRetry(h http.Header, p *calc.Problem) {
	if s := p.Status(); s == http.StatusServiceUnavailable || s == http.StatusTooManyRequests {
		h.Set("Retry-After", strconv.Itoa(max(1, p.RetryAfter)))
	}
}
