package mcp

import (
	"net/http"

	protocol "github.com/modelcontextprotocol/go-sdk/mcp"
)

// How this package configures the SDK. Only tests change these variables: the official
// conformance suite requires tools and prompts that we do not have (see fixtures_test.go).
var (
	newHandler         = newStatelessHandler
	fixtureMethods     []string // methods that only fixtures use
	isFixtureReference = func(*protocol.CompleteReference) bool { return false }
	serverOptions      = func(o *protocol.ServerOptions) *protocol.ServerOptions { return o }
)

// newStatelessHandler returns the SDK's end of the transport: without sessions, and with one
// JSON answer to every request. Origins and sizes are checked before it is called.
func newStatelessHandler(server *protocol.Server) http.Handler {
	return protocol.NewStreamableHTTPHandler(func(*http.Request) *protocol.Server { return server }, &protocol.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: -1,
	})
}
