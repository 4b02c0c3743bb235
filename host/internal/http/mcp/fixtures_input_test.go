//lint:file-ignore SA1019 the suite asks for what the protocol has deprecated

package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	protocol "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Questions that a tool answers with. The client then calls the tool again with the replies.
func question(text, name, kind string) *protocol.ElicitParams {
	schema := `{"type":"object","properties":{"` + name + `":{"type":"` + kind + `"}},"required":["` + name + `"]}`
	return &protocol.ElicitParams{Message: text, RequestedSchema: json.RawMessage(schema)}
}

var (
	askName  = question("What is your name?", "name", "string")
	askSure  = question("Are you sure?", "ok", "boolean")
	askModel = &protocol.CreateMessageParams{
		Messages: []*protocol.SamplingMessage{{Role: "user", Content: &protocol.TextContent{Text: "What is the capital of France?"}}}, MaxTokens: 50,
	}
	askRoots = &protocol.ListRootsParams{}
)

func asks(state string, requests protocol.InputRequestMap) (*protocol.CallToolResult, error) {
	return &protocol.CallToolResult{InputRequests: requests, RequestState: state}, nil
}

// reply returns the values that the user filled in.
func reply(responses protocol.InputResponseMap, question string) map[string]any {
	if r, ok := responses[question].(*protocol.ElicitResult); ok && r != nil && r.Action == "accept" {
		return r.Content
	}
	return nil
}

func textReply(responses protocol.InputResponseMap, question, name string) string {
	text, _ := reply(responses, question)[name].(string)
	return text
}

func modelReply(responses protocol.InputResponseMap, question string) string {
	r, ok := responses[question].(*protocol.CreateMessageWithToolsResult)
	if !ok || r == nil {
		return ""
	}
	for _, content := range r.Content {
		if text, ok := content.(*protocol.TextContent); ok {
			return text.Text
		}
	}
	return "something else than text"
}

// addInputFixtures adds tools that need several calls.
func addInputFixtures(s *protocol.Server) {
	const prefix = "test_input_required_result_"
	for name, answer := range map[string]func(*protocol.CallToolRequest) (*protocol.CallToolResult, error){
		"elicitation": func(req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			if name := textReply(req.Params.InputResponses, "user_name", "name"); name != "" {
				return textResult("Hello, %s!", name)
			}
			return asks("", protocol.InputRequestMap{"user_name": askName})
		},
		"sampling": func(req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			if text := modelReply(req.Params.InputResponses, "capital_question"); text != "" {
				return textResult("The model says: %s", text)
			}
			return asks("", protocol.InputRequestMap{"capital_question": askModel})
		},
		"list_roots": func(req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			if r, ok := req.Params.InputResponses["client_roots"].(*protocol.ListRootsResult); ok && r != nil {
				return textResult("%d roots", len(r.Roots))
			}
			return asks("", protocol.InputRequestMap{"client_roots": askRoots})
		},
		"request_state":   confirmed("sure"),
		"tampered_state":  confirmed("sure"),
		"multiple_inputs": askEverything,
		"multi_round":     askTwice,
		"capabilities":    askWhatCanBeAnswered,
	} {
		addFixtureTool(s, prefix+name, "", func(_ context.Context, req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			return answer(req)
		})
	}
	s.AddPrompt(&protocol.Prompt{Name: prefix + "prompt", Description: "Fixture of the conformance suite."}, func(_ context.Context, req *protocol.GetPromptRequest) (*protocol.GetPromptResult, error) {
		if about := textReply(req.Params.InputResponses, "user_context", "context"); about != "" {
			return &protocol.GetPromptResult{Messages: []*protocol.PromptMessage{{Role: "user", Content: &protocol.TextContent{Text: about}}}}, nil
		}
		return &protocol.GetPromptResult{InputRequests: protocol.InputRequestMap{"user_context": question("About what?", "context", "string")}}, nil
	})
}

// confirmed asks once, and accepts the reply only with the state that it sent.
func confirmed(state string) func(*protocol.CallToolRequest) (*protocol.CallToolResult, error) {
	return func(req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		sent := req.Params.RequestState
		switch {
		case sent != "" && sent != state:
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "this state was not given here"}
		case sent == state && reply(req.Params.InputResponses, "confirm") != nil:
			return textResult("state-ok: confirmed")
		}
		return asks(state, protocol.InputRequestMap{"confirm": askSure})
	}
}

func askEverything(req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
	replies := req.Params.InputResponses
	name, greeting := textReply(replies, "user_name", "name"), modelReply(replies, "greeting")
	if roots, ok := replies["client_roots"].(*protocol.ListRootsResult); ok && name != "" && greeting != "" {
		return textResult("%s %s, %d roots", greeting, name, len(roots.Roots))
	}
	return asks("everything", protocol.InputRequestMap{"user_name": askName, "greeting": askModel, "client_roots": askRoots})
}

// askTwice asks a second question after the first. The state carries the first reply.
func askTwice(req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
	replies := req.Params.InputResponses
	name, second := strings.CutPrefix(req.Params.RequestState, "second ")
	switch {
	case second:
		return textResult("%s likes %s", name, textReply(replies, "step2", "color"))
	case req.Params.RequestState == "first":
		return asks("second "+textReply(replies, "step1", "name"), protocol.InputRequestMap{"step2": question("Which color?", "color", "string")})
	}
	return asks("first", protocol.InputRequestMap{"step1": askName})
}

// askWhatCanBeAnswered asks only the questions that the client declared it can answer.
func askWhatCanBeAnswered(req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
	requests := protocol.InputRequestMap{}
	if caps := req.ClientCapabilities(); caps != nil && len(req.Params.InputResponses) == 0 {
		if caps.Elicitation != nil {
			requests["user_name"] = askName
		}
		if caps.Sampling != nil {
			requests["greeting"] = askModel
		}
		if caps.RootsV2 != nil {
			requests["client_roots"] = askRoots
		}
	}
	if len(requests) == 0 {
		return textResult("nothing more to ask")
	}
	return asks("", requests)
}
