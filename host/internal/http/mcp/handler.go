package mcp

import (
	"net/http"

	protocol "github.com/modelcontextprotocol/go-sdk/mcp"
)

// extensions are features that a server offers in addition to this package. The zero value adds nothing.
type extensions struct {
	methods     []string
	isReference func(*protocol.CompleteReference) bool // whether completion knows the reference; nil: no
	configure   func(*protocol.ServerOptions)          // changes the options; nil: no changes
	handler     func(*protocol.Server) http.Handler    // nil: newStatelessHandler
}

// newStatelessHandler returns the SDK's handler of the transport: without sessions, and with one JSON answer to
// every request. The caller checks origins and sizes first.
func newStatelessHandler(server *protocol.Server) http.Handler {
	return protocol.NewStreamableHTTPHandler(func(*http.Request) *protocol.Server { return server }, &protocol.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: -1,
	})
}
