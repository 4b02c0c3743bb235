// Package mcp serves calculations to agents over the Model Context Protocol. It supports stateless streamable
// HTTP, and stdio. [New] returns the [Server]: its [Server.Routes] answer over HTTP, and [Server.Run] over
// stdio.
//
// The official SDK implements the protocol. This package adds the seven tools, the resources and the prompts.
// It also reads every message before the SDK does. It scans the message like any other request, and counts it
// against the limits by its body. Every refusal is JSON.
//
// The number of tools does not depend on the number of capabilities: an agent searches, describes, and
// executes.
package mcp

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/http/search"
	"github.com/slipstick/slipstick/host/internal/http/web"
)

// Options are the options of a Server. The zero value has no limits.
type Options struct {
	Log     *slog.Logger // logs errors that the caller did not cause; discarded if nil
	Clients *web.Clients // identifies the clients of calls over HTTP; nil: no limits
}

// Server answers MCP requests: over HTTP with its Routes, and over stdio with Run.
type Server struct {
	service   *calc.Service
	snapshots *snapshot.Store
	options   Options
	guard     guard
	index     search.Live
	server    *protocol.Server
	handler   http.Handler // handler of the SDK
	methods   map[string]bool

	isReference func(*protocol.CompleteReference) bool // see extensions
}

// New returns the MCP server of the service. It creates snapshots in the store.
func New(service *calc.Service, snapshots *snapshot.Store, o *Options) *Server {
	return newServer(service, snapshots, o, extensions{})
}

func newServer(service *calc.Service, snapshots *snapshot.Store, o *Options, more extensions) *Server {
	s := &Server{service: service, snapshots: snapshots, guard: newGuard(service.BaseURL()), methods: methods(more.methods), isReference: more.isReference}
	if o != nil {
		s.options = *o
	}
	if s.options.Log == nil {
		s.options.Log = slog.New(slog.DiscardHandler)
	}
	options := s.serverOptions()
	if more.configure != nil {
		more.configure(options)
	}
	s.server = protocol.NewServer(&protocol.Implementation{
		Name: "slipstick", Title: "Slipstick", Version: calc.APIContract, WebsiteURL: service.BaseURL(),
	}, options)
	s.addTools()
	s.addResources()
	s.addPrompts()
	s.server.AddReceivingMiddleware(s.receive)
	newHandler := newStatelessHandler
	if more.handler != nil {
		newHandler = more.handler
	}
	s.handler = newHandler(s.server)
	return s
}

// serverOptions declares the features of the server. The server announces no changes: publishing a capability
// changes the answers of the tools, but not the list of tools.
func (s *Server) serverOptions() *protocol.ServerOptions {
	return &protocol.ServerOptions{
		Instructions: instructions,
		Capabilities: &protocol.ServerCapabilities{
			Tools: &protocol.ToolCapabilities{}, Resources: &protocol.ResourceCapabilities{}, Prompts: &protocol.PromptCapabilities{},
			Completions: &protocol.CompletionCapabilities{},
		},
		CompletionHandler:         s.complete,
		SetCacheable:              setCacheable,
		SupportedProtocolVersions: revisions,
	}
}

// revisions are the supported revisions of the protocol, newest first. 2025-03-26 is not among them, because it
// requires servers to answer batches.
var revisions = slices.DeleteFunc(protocol.SupportedProtocolVersions(), func(revision string) bool { return revision == "2025-03-26" })

// How long callers may cache an answer, in milliseconds.
const (
	fixedTTL   = 3_600_000 // for answers that only change with this program
	catalogTTL = 60_000    // for answers that change with each publication
)

func setCacheable(_ context.Context, req protocol.Request, c *protocol.Cacheable) {
	if c.TTLMs == 0 {
		c.TTLMs = fixedTTL
	}
	c.CacheScope = "public"
	if r, ok := req.(*protocol.ReadResourceRequest); ok && isCatalog(r.Params.URI) {
		c.TTLMs = catalogTTL
	}
}

// instructions describe to an agent in which order to use the tools.
const instructions = `Slipstick computes engineering results with versioned, tested engines. Do not compute by hand what it covers.

1. search_capabilities with the problem in plain words ("how much does a shelf bracket bend"). Each hit lists its inputs with units.
2. execute_calculation with capability_id and inputs. Bare numbers are SI; or send "10 ft", or {"value": 10, "unit": "ft"}.

Call describe_capability before it for ranges, defaults and assumptions. Report the result with its unit, calculation_version, assumptions and warnings. An error has a code, a field and a suggestion: correct that and call again. To get the same number later, pin calculation_version, or create_snapshot and cite its id. Within a major version the same inputs give the same numbers.`
