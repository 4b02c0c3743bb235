package mcp

import (
	"net/http"

	protocol "github.com/modelcontextprotocol/go-sdk/mcp"
)

// How this package sets the SDK up. Tests set it up otherwise, to answer what the official
// conformance suite asks of every server beside what is ours (see fixtures_test.go):
// nothing else changes these.
var (
	newHandler         = newStatelessHandler
	fixtureMethods     []string // methods that only fixtures use
	isFixtureReference = func(*protocol.CompleteReference) bool { return false }
	serverOptions      = func(o *protocol.ServerOptions) *protocol.ServerOptions { return o }
)

// newStatelessHandler is the SDK's end of the transport: no sessions, and one JSON answer
// to every request. Origins and sizes have been looked at before.
func newStatelessHandler(server *protocol.Server) http.Handler {
	return protocol.NewStreamableHTTPHandler(func(*http.Request) *protocol.Server { return server }, &protocol.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: -1,
	})
}
