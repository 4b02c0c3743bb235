package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/versions"
)

// answer buffers an answer of the SDK. So this package can replace plain text by JSON, and derive the status
// from the result of the call. A stream passes through without buffering.
type answer struct {
	http.ResponseWriter
	call   *call
	status int
	stream bool
	body   bytes.Buffer
}

// WriteHeader records the status, and sends it if the answer is a stream.
func (a *answer) WriteHeader(status int) {
	if a.status != 0 {
		return
	}
	a.status = status
	a.stream = strings.HasPrefix(a.Header().Get("Content-Type"), "text/event-stream")
	if a.stream {
		a.ResponseWriter.WriteHeader(status)
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.stream {
		return a.ResponseWriter.Write(b)
	}
	return a.body.Write(b)
}

// Flush sends the part of a stream that was written so far.
func (a *answer) Flush() {
	if a.stream {
		_ = http.NewResponseController(a.ResponseWriter).Flush()
	}
}

// finish writes the answer to the message with the id.
func (a *answer) finish(id json.RawMessage) {
	if a.stream || a.status == 0 { // already sent, or the caller has left
		return
	}
	if r := a.call.release; r != nil {
		a.Header().Set(versions.HeaderName, r.Version)
		a.Header().Set("Slipstick-Engine-Digest", r.EngineDigest)
	}
	web.SetReceipt(a.Header(), a.call.receipt)
	web.SetNoStore(a.Header())
	status := a.status
	if a.call.status != 0 {
		status = a.call.status
	}
	switch {
	case a.body.Len() == 0:
		a.Header().Del("Content-Type")
		a.ResponseWriter.WriteHeader(status)
	case strings.HasPrefix(a.Header().Get("Content-Type"), web.JSON):
		a.body.WriteByte('\n')
		web.WriteJSON(a.ResponseWriter, status, a.body.Bytes())
	default:
		web.WriteJSON(a.ResponseWriter, status, renderError(id, codeOf(status), strings.TrimSpace(a.body.String()), nil))
	}
}

// codeOf returns the JSON-RPC code of an answer of the SDK that has none, by its status.
func codeOf(status int) int64 {
	if status >= http.StatusInternalServerError {
		return jsonrpc.CodeInternalError
	}
	return jsonrpc.CodeInvalidRequest
}
