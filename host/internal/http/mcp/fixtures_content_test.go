package mcp

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	protocol "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The smallest image and the smallest sound.
var (
	picture = decoded("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	sound   = decoded("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
)

func decoded(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err) // the text is a constant
	}
	return data
}

func plainResource(uri, text string) *protocol.ResourceContents {
	return &protocol.ResourceContents{URI: uri, MIMEType: "text/plain", Text: text}
}

// addContentFixtures adds tools that answer with every kind of content.
func addContentFixtures(s *protocol.Server) {
	image := &protocol.ImageContent{Data: picture, MIMEType: "image/png"}
	embedded := &protocol.EmbeddedResource{Resource: plainResource("test://embedded-resource", "An embedded resource.")}
	for name, content := range map[string][]protocol.Content{
		"test_simple_text":            {&protocol.TextContent{Text: "This is a simple text response for testing."}},
		"test_image_content":          {image},
		"test_audio_content":          {&protocol.AudioContent{Data: sound, MIMEType: "audio/wav"}},
		"test_embedded_resource":      {embedded},
		"test_multiple_content_types": {&protocol.TextContent{Text: "Some text."}, image, embedded},
	} {
		addFixtureTool(s, name, "", func(context.Context, *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			return contentResult(content...)
		})
	}
	addFixtureTool(s, "test_error_handling", "", func(context.Context, *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		return nil, &toolFailure{fmt.Errorf("this tool fails on purpose")}
	})
	addFixtureTool(s, "json_schema_2020_12_tool", richSchema, func(_ context.Context, req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		return textResult("called with %s", req.Params.Arguments)
	})
	addFixtureTool(s, "test_x_mcp_header", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`,
		func(_ context.Context, req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			return textResult("region=%s", argument(req, "region"))
		})
	addFixtureTool(s, "test_tool_with_progress", "", showProgress)
	addResourceFixtures(s)
	addPromptFixtures(s)
}

// richSchema contains every part of JSON Schema that must be unchanged in a list.
const richSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},
"phone":{"type":"string"},"email":{"type":"string"}},
"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
"additionalProperties":false}`

func showProgress(ctx context.Context, req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
	token := req.Params.GetProgressToken()
	for _, done := range []float64{0, 50, 100} {
		if err := req.Session.NotifyProgress(ctx, &protocol.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100}); err != nil {
			return nil, err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return textResult("%v", token)
}

func addResourceFixtures(s *protocol.Server) {
	add := func(uri, media string, answer func(uri string) *protocol.ResourceContents) {
		s.AddResource(&protocol.Resource{URI: uri, Name: uri, MIMEType: media}, func(_ context.Context, req *protocol.ReadResourceRequest) (*protocol.ReadResourceResult, error) {
			return &protocol.ReadResourceResult{Contents: []*protocol.ResourceContents{answer(req.Params.URI)}}, nil
		})
	}
	text := func(uri string) *protocol.ResourceContents { return plainResource(uri, "The text of a resource.") }
	add("test://static-text", "text/plain", text)
	add("test://watched-resource", "text/plain", text)
	add("test://static-binary", "image/png", func(uri string) *protocol.ResourceContents {
		return &protocol.ResourceContents{URI: uri, MIMEType: "image/png", Blob: picture}
	})
	s.AddResourceTemplate(&protocol.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", MIMEType: mediaJSON},
		func(_ context.Context, req *protocol.ReadResourceRequest) (*protocol.ReadResourceResult, error) {
			var id string
			_, _ = fmt.Sscanf(req.Params.URI, "test://template/%3s/data", &id)
			return &protocol.ReadResourceResult{Contents: []*protocol.ResourceContents{
				{URI: req.Params.URI, MIMEType: mediaJSON, Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)},
			}}, nil
		})
}

func addPromptFixtures(s *protocol.Server) {
	needed := func(names ...string) (list []*protocol.PromptArgument) {
		for _, name := range names {
			list = append(list, &protocol.PromptArgument{Name: name, Required: true})
		}
		return list
	}
	add := func(name string, arguments []*protocol.PromptArgument, answer func(map[string]string) []protocol.Content) {
		s.AddPrompt(&protocol.Prompt{Name: name, Description: "Fixture of the conformance suite.", Arguments: arguments},
			func(_ context.Context, req *protocol.GetPromptRequest) (*protocol.GetPromptResult, error) {
				res := &protocol.GetPromptResult{}
				for _, content := range answer(req.Params.Arguments) {
					res.Messages = append(res.Messages, &protocol.PromptMessage{Role: "user", Content: content})
				}
				return res, nil
			})
	}
	add("test_simple_prompt", nil, func(map[string]string) []protocol.Content {
		return []protocol.Content{&protocol.TextContent{Text: "A simple prompt."}}
	})
	add("test_prompt_with_arguments", needed("arg1", "arg2"), func(a map[string]string) []protocol.Content {
		return []protocol.Content{&protocol.TextContent{Text: fmt.Sprintf("arg1='%s', arg2='%s'", a["arg1"], a["arg2"])}}
	})
	add("test_prompt_with_embedded_resource", needed("resourceUri"), func(a map[string]string) []protocol.Content {
		return []protocol.Content{&protocol.EmbeddedResource{Resource: plainResource(a["resourceUri"], "An embedded resource.")}, &protocol.TextContent{Text: "Read the resource."}}
	})
	add("test_prompt_with_image", nil, func(map[string]string) []protocol.Content {
		return []protocol.Content{&protocol.ImageContent{Data: picture, MIMEType: "image/png"}, &protocol.TextContent{Text: "Look at the image."}}
	})
}
