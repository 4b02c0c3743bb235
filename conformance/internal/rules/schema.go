package rules

import (
	"bytes"
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/verification"
)

func compileOutputSchema(spec *sdk.Spec) (*jsonschema.Schema, error) {
	const where = "output.json"
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(response.OutputSchema(spec)))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(where, document); err != nil {
		return nil, err
	}
	return c.Compile(where)
}

// outputSchema returns the compiled output schema. It compiles the schema at the first call.
func (o *evidence) outputSchema() (*jsonschema.Schema, error) {
	var err error
	if o.schema == nil {
		o.schema, err = compileOutputSchema(o.Spec)
	}
	return o.schema, err
}

// renderSuccess renders the success result as the server does. The verification record is the
// record of a release without evidence, because other rules judge claims.
func renderSuccess(spec *sdk.Spec, o sdk.Outcome) []byte {
	s := response.Success{ID: spec.Tool, Template: &response.Template{Spec: spec, Verification: verification.Record{Tier: verification.Candidate}}, Outcome: o}
	return s.AppendJSON(nil)
}

// validate returns an error unless the schema accepts the document. The document must have
// been rendered by the SDK: the validator computes exactly, which is far too slow for numbers
// such as 1e3000000.
func validate(schema *jsonschema.Schema, rendered []byte) error {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(rendered))
	if err != nil {
		return err
	}
	err = schema.Validate(document)
	if err == nil {
		return nil
	}
	_, reasons, _ := strings.Cut(err.Error(), "\n") // the first line names our file
	return errors.New(strings.ReplaceAll(strings.TrimPrefix(reasons, "- "), "\n- ", "; "))
}
