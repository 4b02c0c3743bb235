package rules

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/verification"
)

func resolveOutputSchema(spec *sdk.Spec) (*jsonschema.Resolved, error) {
	var schema jsonschema.Schema
	if err := json.Unmarshal(response.OutputSchema(spec), &schema); err != nil {
		return nil, err
	}
	return schema.Resolve(nil)
}

// outputSchema returns the output schema. It resolves the schema at the first call.
func (o *evidence) outputSchema() (*jsonschema.Resolved, error) {
	var err error
	if o.schema == nil {
		o.schema, err = resolveOutputSchema(o.Spec)
	}
	return o.schema, err
}

// renderSuccess renders the success result as the server does. The verification record is the
// record of a release without evidence, because other rules judge claims.
func renderSuccess(spec *sdk.Spec, o sdk.Outcome) []byte {
	s := response.Success{ID: spec.Tool, Template: &response.Template{Spec: spec, Verification: verification.Record{Tier: verification.Candidate}}, Outcome: o}
	return s.AppendJSON(nil)
}

// validate returns an error unless the schema accepts the document.
func validate(schema *jsonschema.Resolved, rendered []byte) error {
	var document any
	if err := json.Unmarshal(rendered, &document); err != nil {
		return err
	}
	err := schema.Validate(document)
	if err == nil {
		return nil
	}
	levels := strings.Split(err.Error(), "validating ") // each has the path so far; the last also has the fault
	return errors.New(levels[len(levels)-1])
}
