package sdk_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
)

// The changes since the previous version are a few plain sentences, and part of contract
// 1.1.0.
func TestChanges(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"The constant is that of 2019. Heat flows are 1.3 parts per million larger.": "",
		strings.Repeat("é", sdk.MaxChanges/2):                                        "",
		strings.Repeat("x", sdk.MaxChanges+1):                                        "changes have 601 bytes: at most 600, in one or two sentences",
		"Two\nlines.":                                                                "changes: \"Two\\nlines.\" has a line end: write it in one line",
		" \u00a0 ":                                                                   "changes are blank",
		"Latin-1: \xe9":                                                              "is not UTF-8",
	} {
		s := column()
		s.Changes = text
		if err := s.Validate(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got %v, want %q", text, err, want)
		}
	}
	s := column()
	s.Changes = "More may be sent."
	if !strings.Contains(string(marshal(t, s)), `"changes":"More may be sent."`) {
		t.Error("the Spec as JSON has no changes")
	}
	s.Contract, s.Definition = "1.0.0", ""
	s.Formulas = []sdk.Formula{{ID: "euler_v1", Expression: "P = pi^2*EI/L^2"}}
	if err := s.Validate(); err == nil || err.Error() != "spec_version 1.0.0 has no Changes: send 1.1.0" {
		t.Errorf("contract 1.0.0: %v", err)
	}
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
