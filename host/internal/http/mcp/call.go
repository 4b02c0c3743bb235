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

// call holds the data of a message that its answer needs and that the SDK does not pass to the tools.
type call struct {
	requestID string         // for the log output
	arguments *scanned       // arguments of a tool; nil: not scanned yet
	pins      []versions.Pin // version pins outside the message
	pinsErr   error          // error of reading the pins

	// count counts calculations of a study against the limit of the caller; nil: there is no limit.
	count func(calculations int) error

	release *catalog.Release // release that answered, nil if no release did
	receipt calc.Receipt     // receipt of the answer's record, if there is one
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

// receive wraps every method. It recovers panics, because the SDK runs methods in its own goroutines and a
// panic would end the process. It also replaces the SDK's errors by errors of the interface.
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
			err = notFound(read.Params.URI) // for some URIs, the data in the SDK's error is not JSON
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
