package response

import (
	"encoding/json"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
)

// Step is one line of a calculation, worked for people.
type Step struct {
	formula.Step

	Called *Called `json:"called,omitempty"` // of a line that calls another calculation
}

// Called is a published calculation that a document called. Its members have the names that they have in answers.
type Called struct {
	Capability  string          `json:"capability_id"`
	Version     string          `json:"calculation_version"`
	Title       string          `json:"title"`
	Digest      string          `json:"digest"` // of its document
	Inputs      json.RawMessage `json:"inputs"`
	Result      json.RawMessage `json:"result"`
	Assumptions []string        `json:"assumptions"`
	Warnings    []Warning       `json:"warnings"`
	Steps       []Step          `json:"steps,omitempty"`
}

// Warning is an [sdk.Warning] in its JSON form.
type Warning struct {
	Code       string       `json:"code"`
	Severity   sdk.Severity `json:"severity,omitempty"`
	Detail     string       `json:"detail,omitempty"`
	Suggestion string       `json:"suggestion,omitempty"`
}
