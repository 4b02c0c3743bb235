//go:build !mcpfixtures

package mcp

import (
	"net/http"

	protocol "github.com/modelcontextprotocol/go-sdk/mcp"
)

// newHandler is the SDK's end of the transport: no sessions, and one JSON answer to every
// request. Origins and sizes have been looked at before.
func newHandler(server *protocol.Server) http.Handler {
	return protocol.NewStreamableHTTPHandler(func(*http.Request) *protocol.Server { return server }, &protocol.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: -1,
	})
}

// What the conformance suite needs beside what there is stands behind a build tag; see
// fixtures.go.
var fixtureMethods []string

func isFixtureReference(*protocol.CompleteReference) bool { return false }

func serverOptions(o *protocol.ServerOptions) *protocol.ServerOptions { return o }
