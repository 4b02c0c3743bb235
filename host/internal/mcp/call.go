package mcp

import (
	"context"
	"errors"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/versions"
)

// call is what the front knows of a message and the SDK does not pass on, and what the
// answer to it needs beside the message.
type call struct {
	requestID string         // for the log
	arguments *scanned       // of a tool; nil: they are in the message
	pins      []versions.Pin // that stand outside the message
	pinsErr   error          // of pins outside the message that cannot be read

	release *calc.Release // that answered, nil if none did
	status  int           // of HTTP, where it is not the SDK's
}

type callKey struct{}

// callOf returns the call that the context belongs to. Over a pipe every message has a
// call without anything known.
func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

func (c *call) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// receive stands around every method. A bug in one of ours would otherwise end the
// process, for the SDK answers in goroutines of its own; and what its errors tell is made
// to fit the interface.
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
			return res, nil
		case !errors.As(err, &wire) || wire.Code == 0:
			s.options.Log.Error("mcp request failed", "id", c.requestID, "method", method, "error", err)
			return nil, s.internal(c)
		}
		if read, ok := req.(*protocol.ReadResourceRequest); ok && wire.Code == jsonrpc.CodeInvalidParams && wire.Message == "Resource not found" {
			err = notFound(read.Params.URI) // the SDK's own data is not JSON for every address
		}
		if _, ok := req.(*protocol.CallToolRequest); ok && wire.Code == jsonrpc.CodeInvalidParams {
			c.status = http.StatusBadRequest
		}
		return nil, err
	}
}

// internal is the error of a fault that is ours.
func (s *Server) internal(c *call) error {
	p := calc.ProblemOf(nil)
	c.status = http.StatusInternalServerError
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: p.Detail, Data: s.data(p)}
}
