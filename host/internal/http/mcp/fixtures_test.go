package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
)

// NewWithFixtures is [New] for a server with the tools, resources and prompts of the official conformance
// suite. It also has features that Slipstick does not use. The suite tests our transport, our middleware and
// the SDK.
func NewWithFixtures(t *testing.T, service *calc.Service, snapshots *snapshot.Store, o *Options) *Server {
	return newServer(service, snapshots, o, extensions{
		methods: []string{"logging/setLevel", "resources/subscribe", "resources/unsubscribe"},
		isReference: func(ref *protocol.CompleteReference) bool {
			return strings.HasPrefix(ref.Name, "test_") || strings.HasPrefix(ref.URI, "test://")
		},
		configure: func(o *protocol.ServerOptions) {
			o.Capabilities = nil // the SDK announces everything
			o.SubscribeHandler = func(context.Context, *protocol.SubscribeRequest) error { return nil }
			o.UnsubscribeHandler = func(context.Context, *protocol.UnsubscribeRequest) error { return nil }
		},
		handler: func(server *protocol.Server) http.Handler {
			addFixtures(server)
			t.Cleanup(func() {
				for session := range server.Sessions() {
					_ = session.Close() // the client has left
				}
			})
			return streams(server)
		},
	})
}

// streams answers single requests as the program does, except for streams, which progress and questions to the
// client need. For older revisions it keeps sessions, because without them a server cannot ask a client
// anything.
func streams(server *protocol.Server) http.Handler {
	handler := func(stateless bool) http.Handler {
		return protocol.NewStreamableHTTPHandler(func(*http.Request) *protocol.Server { return server }, &protocol.StreamableHTTPOptions{
			Stateless: stateless, PropagateRequestCancellation: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: -1,
		})
	}
	single, sessions := handler(true), handler(false)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(headerVersion) >= stateless {
			single.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	})
}

func addFixtures(s *protocol.Server) {
	addContentFixtures(s)
	addAskingFixtures(s)
	addInputFixtures(s)
	addListFixtures(s)
}

// fixtureTool answers a call of a fixture.
type fixtureTool = func(context.Context, *protocol.CallToolRequest) (*protocol.CallToolResult, error)

func addFixtureTool(s *protocol.Server, name, schema string, answer fixtureTool) {
	if schema == "" {
		schema = `{"type":"object"}`
	}
	s.AddTool(&protocol.Tool{Name: name, Description: "Fixture of the conformance suite.", InputSchema: json.RawMessage(schema)},
		func(ctx context.Context, req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			res, err := answer(ctx, req)
			var failed *toolFailure
			if errors.As(err, &failed) {
				res = &protocol.CallToolResult{}
				res.SetError(err)
				return res, nil
			}
			return res, err
		})
}

// toolFailure is a failure that is returned as the result of a tool.
type toolFailure struct{ error }

func textResult(format string, args ...any) (*protocol.CallToolResult, error) {
	return contentResult(&protocol.TextContent{Text: fmt.Sprintf(format, args...)})
}

func contentResult(content ...protocol.Content) (*protocol.CallToolResult, error) {
	return &protocol.CallToolResult{Content: content}, nil
}

// argument is a string argument of the call.
func argument(req *protocol.CallToolRequest, name string) string {
	var args map[string]any
	if json.Unmarshal(req.Params.Arguments, &args) != nil {
		return ""
	}
	text, _ := args[name].(string)
	return text
}

// addListFixtures adds tools that change a list and announce the change.
func addListFixtures(s *protocol.Server) {
	addFixtureTool(s, "test_trigger_tool_change", "", func(context.Context, *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		addFixtureTool(s, "test_passing_tool", "", func(context.Context, *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			return textResult("here for the announcement")
		})
		return textResult("a tool was added")
	})
	addFixtureTool(s, "test_trigger_prompt_change", "", func(context.Context, *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		s.AddPrompt(&protocol.Prompt{Name: "test_passing_prompt", Description: "Here for the announcement."}, func(context.Context, *protocol.GetPromptRequest) (*protocol.GetPromptResult, error) {
			return &protocol.GetPromptResult{}, nil
		})
		return textResult("a prompt was added")
	})
}
