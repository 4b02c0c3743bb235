package web

import (
	"net/http"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
)

// refusals holds the code and the suggestion for requests that net/http refuses before it calls a handler, by
// status. Any other status means that the request is not valid HTTP.
var refusals = map[int]struct{ code, suggestion string }{
	http.StatusRequestHeaderFieldsTooLarge: {problem.CodeHeadersTooLarge, "Send fewer and shorter header fields, 16 KiB in all."},
	http.StatusNotImplemented:              {problem.CodeTransferEncoding, "Send the body with a Content-Length, or with Transfer-Encoding: chunked alone."},
	http.StatusExpectationFailed:           {problem.CodeExpectationFailed, "Leave the Expect header out, or send Expect: 100-continue."},
	http.StatusHTTPVersionNotSupported:     {problem.CodeHTTPVersion, "Speak HTTP/1.1."},
}

// Refuse turns refusals of net/http itself into problems of the service at the base URL.
func Refuse(baseURL string) func(status int, reason string) (http.Header, []byte) {
	return func(status int, reason string) (http.Header, []byte) {
		refusal, ok := refusals[status]
		if !ok {
			refusal.code, refusal.suggestion = problem.CodeBadRequest, "Correct the request line and the header fields; every % in an address begins an escape such as %20."
		}
		if reason == "" {
			reason = "the request cannot be read"
		}
		p := problem.New(refusal.code, refusal.suggestion, "%s", reason)
		h := http.Header{"Content-Type": mediaJSON, "Cache-Control": notStored, "X-Request-Id": {newID()}}
		setCommon(h)
		setEmbeddable(h)
		return h, p.AppendJSON(nil, baseURL)
	}
}
