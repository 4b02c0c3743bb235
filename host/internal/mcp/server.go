// Package mcp is the face of the calculation service for agents: the Model Context
// Protocol over streamable HTTP, stateless, and over stdio. The protocol itself is the
// work of the official SDK. What stands here is the six tools, resources and prompts, and
// a front that decides, before the SDK sees a message, what the message is: it is scanned
// like every other request, counted against the limits by what its body says, and every
// refusal is JSON.
//
// The tools stay the same however many capabilities are published: an agent searches,
// describes, executes.
package mcp

import (
	"context"
	"log/slog"
	"net/http"

	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/search"
	"github.com/slipstick/slipstick/host/internal/snapshot"
	"github.com/slipstick/slipstick/host/internal/web"
)

// Options of a Server. The zero value has no limits.
type Options struct {
	Log     *slog.Logger // failures that are not the caller's; discarded if nil
	Clients *web.Clients // whom calls over HTTP count for; nil: no limits
}

// Server answers MCP from the service: over HTTP at its Routes, and over a pipe with Run.
type Server struct {
	service   *calc.Service
	snapshots *snapshot.Store
	options   Options
	guard     guard
	index     search.Live
	server    *protocol.Server
	handler   http.Handler // of the SDK
	methods   map[string]bool
}

// New returns the MCP face of the service, which freezes into the store.
func New(service *calc.Service, snapshots *snapshot.Store, o *Options) *Server {
	s := &Server{service: service, snapshots: snapshots, guard: newGuard(service.BaseURL()), methods: methods()}
	if o != nil {
		s.options = *o
	}
	if s.options.Log == nil {
		s.options.Log = slog.New(slog.DiscardHandler)
	}
	s.server = protocol.NewServer(&protocol.Implementation{
		Name: "slipstick", Title: "Slipstick", Version: calc.APIContract, WebsiteURL: service.BaseURL(),
	}, s.serverOptions())
	s.addTools()
	s.addResources()
	s.addPrompts()
	s.server.AddReceivingMiddleware(s.receive)
	s.handler = newHandler(s.server)
	return s
}

// serverOptions declare what there is: nothing that would have to be announced when it
// changes, since a capability more changes what the tools answer, and not the tools.
func (s *Server) serverOptions() *protocol.ServerOptions {
	return serverOptions(&protocol.ServerOptions{
		Instructions: instructions,
		Capabilities: &protocol.ServerCapabilities{
			Tools: &protocol.ToolCapabilities{}, Resources: &protocol.ResourceCapabilities{}, Prompts: &protocol.PromptCapabilities{},
			Completions: &protocol.CompletionCapabilities{},
		},
		CompletionHandler: s.complete,
		SetCacheable:      setCacheable,
	})
}

// How long callers may keep what they have been told, in milliseconds.
const (
	fixedTTL   = 3_600_000 // what only another release of this program changes
	catalogTTL = 60_000    // what a publish changes
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

// instructions teach an agent the way through the tools.
const instructions = `Slipstick computes engineering results with versioned, tested engines. Do not compute by hand what it covers.

1. search_capabilities with the problem in plain words ("how much does a shelf bracket bend").
2. describe_capability with a capability_id from there: inputs with units, aliases and defaults, assumptions, an example.
3. execute_calculation with capability_id and inputs. Bare numbers are SI; or send {"value": 10, "unit": "ft"}.

Report the result with its unit, calculation_version, assumptions and warnings. An error carries code, field and suggestion: correct that and call again. To get the same number later, pin calculation_version, or freeze the calculation with create_snapshot and cite its id. Within a major version the same inputs give the same numbers.`
