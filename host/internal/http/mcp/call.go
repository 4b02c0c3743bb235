package mcp

import (
	"context"
	"errors"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/versions"
)

// call holds what is known about a message and what its answer needs, but the SDK does not
// pass through to the tools.
type call struct {
	requestID string         // for the log
	arguments *scanned       // of a tool; nil: not scanned yet
	pins      []versions.Pin // version pins outside the message
	pinsErr   error          // why those pins cannot be read

	// count counts calculations of a study against the limit of the caller; nil: there is none.
	count func(calculations int) error

	release *catalog.Release // release that answered, nil if none did
	receipt calc.Receipt     // of the record of the answer, if there is one
	status  int              // HTTP status that replaces the SDK's; 0: keep it
}

type callKey struct{}

// callOf returns the call that the context belongs to. Over stdio it returns an empty call.
func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

func (c *call) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// receive wraps every method. It recovers panics, which would otherwise end the process
// because the SDK runs methods in goroutines of its own. It also turns errors of the SDK
// into those of the interface.
func (s *Server) receive(next protocol.MethodHandler) protocol.MethodHandler {
	return func(ctx context.Context, method string, req protocol.Request) (res protocol.Result, err error) {
		c := callOf(ctx)
		defer func() {
			if p := recover(); p != nil {
				s.options.Log.Error("mcp handler panicked", "id", c.requestID, "method", method, "panic", p)
				res, err = nil, s.internal(c)
			}
		}()
		res, err = next(ctx, method, req)
		var wire *jsonrpc.Error
		switch {
		case err == nil:
			return exactly(res), nil
		case !errors.As(err, &wire) || wire.Code == 0:
			s.options.Log.Error("mcp request failed", "id", c.requestID, "method", method, "error", err)
			return nil, s.internal(c)
		}
		if read, ok := req.(*protocol.ReadResourceRequest); ok && wire.Code == jsonrpc.CodeInvalidParams && wire.Message == "Resource not found" {
			err = notFound(read.Params.URI) // the SDK's own data is not JSON for every address
		}
		if called, ok := req.(*protocol.CallToolRequest); ok && !isTool(called.Params.Name) {
			wire.Message = unknownTool(called.Params.Name)
		}
		return nil, err
	}
}

// internal returns the JSON-RPC error of an internal failure.
func (s *Server) internal(c *call) error {
	p := problem.Of(nil)
	c.status = http.StatusInternalServerError
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: p.Detail, Data: s.data(p)}
}
