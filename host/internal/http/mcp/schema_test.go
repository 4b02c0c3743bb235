package mcp_test

import (
	"bytes"
	"encoding/json"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// outputSchemas are the compiled output schemas of the tools in tools/list.
var outputSchemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	var list struct {
		Tools []struct {
			Name                      string
			InputSchema, OutputSchema json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(toolList), &list); err != nil {
		return nil, err
	}
	schemas := map[string]*jsonschema.Schema{}
	c := jsonschema.NewCompiler()
	for _, tool := range list.Tools {
		for kind, text := range map[string]json.RawMessage{"input": tool.InputSchema, "output": tool.OutputSchema} {
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			if err != nil {
				return nil, err
			}
			if err := c.AddResource(kind+tool.Name, doc); err != nil {
				return nil, err
			}
			schemas[kind+tool.Name], err = c.Compile(kind + tool.Name)
			if err != nil {
				return nil, err
			}
		}
	}
	return schemas, nil
})

// toolList is the answer to tools/list.
var toolList string

func conforms(t testing.TB, tool string, structured json.RawMessage) {
	t.Helper()
	if toolList == "" {
		toolList = string(newSite(t, base, nil).ask(t, "tools/list", "{}").Result)
	}
	schemas, err := outputSchemas()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(structured))
	if err != nil {
		t.Fatal(err)
	}
	if err := schemas["output"+tool].Validate(doc); err != nil {
		t.Errorf("%s does not conform to the output schema of %s: %v", structured, tool, err)
	}
}

// A tool accepts only arguments that its input schema allows. The error names the invalid argument.
func TestArgumentsMatchSchema(t *testing.T) {
	s := newSite(t, base, nil)
	conforms(t, "execute_calculation", json.RawMessage(`{"status":"error","http_status":400,"code":"","detail":"","recoverable":true}`)) // compiles the schemas
	schemas, err := outputSchemas()
	if err != nil {
		t.Fatal(err)
	}
	for arguments, suggestion := range map[string]string{
		`{"capability_id":"volume","inputs":{"side":1}}`:                                 "",
		`{"capability_id":"volume","inputs":{"side":1},"calculation_version":"1.0.0"}`:   "",
		`{"capability_id":"test.geometry.volume","inputs":{"a":{"value":1,"unit":"m"}}}`: "",
		`{"capability_id":"volume","id":"volume","inputs":{"side":1}}`:                   "Leave it out: capability_id names the capability, by its id or its tool id.",
		`{"capability_id":"volume","tool":"volume","inputs":{"side":1}}`:                 "Leave it out: capability_id names the capability, by its id or its tool id.",
		`{"tool_id":"volume","inputs":{"side":1}}`:                                       "Send tool_id as capability_id.",
		`{"capability_id":"volume","inputs":{"side":1},"side":1}`:                        "Move it into inputs if it is an input of the calculation; else leave it out.",
		`{"capability_id":["volume"],"inputs":{"side":1}}`:                               "Send capability_id as a string.",
		`{"capability_id":"volume","inputs":"{}"}`:                                       "Send inputs as an object, not as text or a list.",
	} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(arguments)))
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range []string{"execute_calculation", "create_snapshot"} {
			body, result := s.call(t, tool, arguments)
			if got, _ := body["suggestion"].(string); result.IsError != (suggestion != "") || got != suggestion {
				t.Errorf("%s %s: %s", tool, arguments, result.StructuredContent)
			}
			if err := schemas["input"+tool].Validate(doc); (err == nil) != (suggestion == "") {
				t.Errorf("the schema of %s for %s: %v", tool, arguments, err)
			}
		}
	}
}
