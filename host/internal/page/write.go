package page

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"

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
	h.Add("Vary", "Accept-Encoding")
	body := html
	if zipped, ok := zip(r, html); ok {
		h.Set("Content-Encoding", "gzip")
		body = zipped
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a caller who has left needs no answer
	}
}

// worthZipping is the size in bytes below which a page fits into one packet anyway.
const worthZipping = 1400

var zippers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// zip compresses the page for a caller who takes that. Pages hold no secret that their
// length could tell.
func zip(r *http.Request, page []byte) ([]byte, bool) {
	if len(page) < worthZipping || !takesGzip(r.Header) {
		return nil, false
	}
	var b bytes.Buffer
	z := zippers.Get().(*gzip.Writer)
	defer zippers.Put(z)
	z.Reset(&b)
	if _, err := z.Write(page); err != nil || z.Close() != nil {
		return nil, false
	}
	return b.Bytes(), true
}

func takesGzip(h http.Header) bool {
	for _, line := range h.Values("Accept-Encoding") {
		for part := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(name), "gzip") {
				quality, err := strconv.ParseFloat(strings.TrimPrefix(strings.ReplaceAll(params, " ", ""), "q="), 64)
				return params == "" || err == nil && quality > 0
			}
		}
	}
	return false
}

// tellRetry says when to ask again, if that helps.
func tellRetry(h http.Header, p *calc.Problem) {
	if s := p.Status(); s == http.StatusServiceUnavailable || s == http.StatusTooManyRequests {
		h.Set("Retry-After", strconv.Itoa(max(1, p.RetryAfter)))
	}
}
