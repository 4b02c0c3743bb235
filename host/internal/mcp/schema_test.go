package mcp_test

import (
	"bytes"
	"encoding/json"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// outputSchemas are the compiled output schemas of the tools, as tools/list tells them.
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
			if schemas[kind+tool.Name], err = c.Compile(kind + tool.Name); err != nil {
				return nil, err
			}
		}
	}
	return schemas, nil
})

// toolList is what tools/list answers.
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
