package web

import (
	"cmp"
	"net/http"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
)

// refusals holds the code, the reason and the suggestion for requests that net/http refuses before it calls a handler,
// by status. Any other status means that the request is not valid HTTP.
var refusals = map[int]struct{ code, reason, suggestion string }{
	http.StatusRequestHeaderFieldsTooLarge: {problem.CodeHeadersTooLarge, "the header fields have more than 16 KiB", "Send fewer and shorter header fields."},
	http.StatusNotImplemented:              {problem.CodeTransferEncoding, "the service does not support this Transfer-Encoding", "Send the body with a Content-Length, or with Transfer-Encoding: chunked alone."},
	http.StatusExpectationFailed:           {problem.CodeExpectationFailed, "the Expect header has another value than 100-continue", "Leave the Expect header out, or send Expect: 100-continue."},
	http.StatusHTTPVersionNotSupported:     {problem.CodeHTTPVersion, "the service does not support this version of HTTP", "Use HTTP/1.1."},
}

// Refuse turns refusals of net/http itself into problems of the service at the base URL.
func Refuse(baseURL string) func(status int, reason string) (http.Header, []byte) {
	return func(status int, reason string) (http.Header, []byte) {
		refusal, ok := refusals[status]
		if !ok {
			refusal.code, refusal.suggestion = problem.CodeBadRequest, "Correct the request line and the header fields. A percent sign in a URL is %25."
			refusal.reason = cmp.Or(reason, "the request is not valid HTTP")
		}
		p := problem.New(refusal.code, refusal.suggestion, "%s", refusal.reason)
		h := http.Header{"Content-Type": mediaJSON, "Cache-Control": notStored, "X-Request-Id": {newID()}}
		setCommon(h)
		setEmbeddable(h)
		return h, p.AppendJSON(nil, baseURL)
	}
}
