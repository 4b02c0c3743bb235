package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	protocol "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxCompletions is the protocol's maximum number of values in a completion.
const maxCompletions = 100

// complete proposes values for the variables of resource URIs and for the arguments of prompts: ids, and the
// versions of the chosen id.
func (s *Server) complete(_ context.Context, req *protocol.CompleteRequest) (*protocol.CompleteResult, error) {
	p := req.Params
	if err := s.checkReference(p.Ref); err != nil {
		return nil, err
	}
	var values []string
	switch p.Argument.Name {
	case "capability_id":
		values = s.completeID(p.Argument.Value)
	case "version", "calculation_version":
		if p.Context != nil {
			values = s.completeVersion(p.Context.Arguments["capability_id"], p.Argument.Value)
		}
	}
	details := protocol.CompletionResultDetails{Values: []string{}, Total: len(values), HasMore: len(values) > maxCompletions}
	details.Values = append(details.Values, values[:min(len(values), maxCompletions)]...)
	return &protocol.CompleteResult{Completion: details}, nil
}

// checkReference returns an error unless the reference is to a prompt or resource of this server.
func (s *Server) checkReference(ref *protocol.CompleteReference) error {
	known := ref.URI == capabilityTemplate || ref.URI == snapshotTemplate
	if ref.Type == "ref/prompt" {
		known = slices.ContainsFunc(prompts, func(p prompt) bool { return p.Name == ref.Name })
	}
	if known || s.isReference != nil && s.isReference(ref) {
		return nil
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("there is no %s %.100q", strings.TrimPrefix(ref.Type, "ref/"), ref.Name+ref.URI)}
}

// completeID returns the ids that start with the value, then ids that contain it, then ids that a search for it
// finds.
func (s *Server) completeID(value string) []string {
	catalog := s.service.Catalog()
	var begin, contain []string
	for _, e := range catalog.Entries() {
		switch {
		case strings.HasPrefix(e.ID, value):
			begin = append(begin, e.ID)
		case strings.Contains(e.ID, value) || strings.Contains(e.Tool, value):
			contain = append(contain, e.ID)
		}
	}
	ids := append(begin, contain...)
	if len(ids) > 0 {
		return ids
	}
	for _, h := range s.index.Of(catalog).Search(value, "") {
		ids = append(ids, h.Entry.ID)
	}
	return ids
}

func (s *Server) completeVersion(id, value string) []string {
	e, err := s.service.Catalog().Find(id)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(s.summarize(e).Versions, func(v string) bool { return !strings.HasPrefix(v, value) })
}
