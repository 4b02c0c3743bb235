//lint:file-ignore SA1019 the suite asks for what the protocol has deprecated

package mcp

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	protocol "github.com/modelcontextprotocol/go-sdk/mcp"
)

// addAskingFixtures adds tools that send questions and logs to the client while they work. Older revisions send
// questions during a call.
func addAskingFixtures(s *protocol.Server) {
	addFixtureTool(s, "test_tool_with_logging", "", func(ctx context.Context, req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		for _, text := range []string{"started", "working", "done"} {
			writeLog(ctx, req, text)
			time.Sleep(20 * time.Millisecond)
		}
		return textResult("logged")
	})
	addFixtureTool(s, "test_logging_tool", "", func(ctx context.Context, req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		writeLog(ctx, req, "only for who asked for logs")
		return textResult("logged, for who asked for logs")
	})
	addFixtureTool(s, "test_streaming_elicitation", "", func(context.Context, *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		return textResult("nothing was asked")
	})
	addFixtureTool(s, "test_missing_capability", "", func(_ context.Context, req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		if caps := req.ClientCapabilities(); caps != nil && caps.Sampling != nil {
			return textResult("the client can sample")
		}
		data, err := json.Marshal(protocol.MissingRequiredClientCapabilityData{
			RequiredCapabilities: &protocol.ClientCapabilities{Sampling: &protocol.SamplingCapabilities{}},
		})
		if err != nil {
			return nil, err
		}
		return nil, &jsonrpc.Error{Code: protocol.CodeMissingRequiredClientCapabilities, Message: "the client cannot sample", Data: data}
	})
	addFixtureTool(s, "test_sampling", `{"type":"object","properties":{"prompt":{"type":"string"}}}`, func(ctx context.Context, req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		res, err := req.Session.CreateMessage(ctx, &protocol.CreateMessageParams{
			Messages:  []*protocol.SamplingMessage{{Role: "user", Content: &protocol.TextContent{Text: argument(req, "prompt")}}},
			MaxTokens: 100,
		})
		if err != nil {
			return nil, &toolFailure{err}
		}
		content, _ := res.Content.(*protocol.TextContent)
		return textResult("LLM response: %s", content.Text)
	})
	for name, schema := range map[string]string{
		"test_elicitation": `{"type":"object","properties":{"username":{"type":"string"}},"required":["username"]}`,
		"test_elicitation_sep1034_defaults": `{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},
			"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`,
		"test_elicitation_sep1330_enums": `{"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
			"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
			"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
			"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
			"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`,
	} {
		addFixtureTool(s, name, "", func(ctx context.Context, req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			res, err := req.Session.Elicit(ctx, &protocol.ElicitParams{Message: "A question.", RequestedSchema: json.RawMessage(schema)})
			if err != nil {
				return nil, &toolFailure{err}
			}
			return textResult("action=%s, content=%v", res.Action, res.Content)
		})
	}
}

func writeLog(ctx context.Context, req *protocol.CallToolRequest, text string) {
	_ = req.Session.Log(ctx, &protocol.LoggingMessageParams{Level: "info", Data: text}) // if the client cannot receive logs, it does not need this one
}
