package mcp

import (
	"net/http"

	protocol "github.com/modelcontextprotocol/go-sdk/mcp"
)

// extensions are what a server offers in addition to this package. The zero value adds nothing.
type extensions struct {
	methods     []string
	isReference func(*protocol.CompleteReference) bool // whether completion knows the reference; nil: no
	configure   func(*protocol.ServerOptions)          // nil: the options stay
	handler     func(*protocol.Server) http.Handler    // nil: newStatelessHandler
}

// newStatelessHandler returns the SDK's end of the transport: without sessions, and with one
// JSON answer to every request. Origins and sizes are checked before it is called.
func newStatelessHandler(server *protocol.Server) http.Handler {
	return protocol.NewStreamableHTTPHandler(func(*http.Request) *protocol.Server { return server }, &protocol.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: -1,
	})
}
