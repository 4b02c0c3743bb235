package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
)

// fail returns the error body of a failed call of a tool. An error that the caller can correct becomes the result of
// the tool, so that the agent sees it. An internal failure becomes an error of the protocol.
func (s *Server) fail(c *call, tool string, err error) ([]byte, error) {
	p := inWords(problem.Of(err))
	if p.Status() < http.StatusInternalServerError {
		return p.AppendJSON(nil, s.service.BaseURL()), nil
	}
	s.options.Log.Error("tool failed", "id", c.requestID, "tool", tool, "code", p.Code, "error", p.Cause)
	c.status = http.StatusInternalServerError
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: p.Detail, Data: s.data(p)}
}

// inWords returns the problem with a suggestion for agents, if the suggestion for clients of the REST interface names its URLs or
// its header fields.
func inWords(p *problem.Problem) *problem.Problem {
	own := *p
	switch {
	case p.Code == problem.CodePresetNotFound && len(p.AcceptableIDs) > 0:
		own.Suggestion = "Use one of acceptable_ids as the row, or read the resource " + tablesURI + " for all tables."
	case p.Code == problem.CodeInternalError:
		own.Suggestion = "Report it to the operator of the server, with the time of this call."
	}
	return &own
}

// data returns the error body of the interface as the data of a JSON-RPC error. It does not contain the cause.
func (s *Server) data(p *problem.Problem) json.RawMessage {
	return bytes.TrimSpace(p.AppendJSON(nil, s.service.BaseURL()))
}
