package help_test

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/cli/help"
)

// Codes have the text of the page about errors, without the marks of Markdown.
func TestExplain(t *testing.T) {
	for code, want := range map[string][2]string{
		"INVALID_NUMBER":          {"INVALID_NUMBER\n\nInvalid number, status 400, recoverable.\n\n- Cause: An input has", "#invalid_number\n"},
		"invalid-number":          {"INVALID_NUMBER\n\nInvalid number,", "\n    {\"V\": \"12\", \"R\": 8}\n"},
		"UNDECIDED":               {"UNDECIDED\n", "- Remedy: "},
		"VERSION_YANKED":          {"VERSION_YANKED\n", "/docs/reference/errors#version_yanked\n"},
		"LENGTH_MUST_BE_POSITIVE": {"Codes of engines\n\nAn engine declares its own codes", "#codes-of-engines\n"},
		"3":                       {"Exit codes\n", "\n2  the command line is wrong, or a file that it names  An unknown flag."},
	} {
		text, err := help.Explain(code)
		if err != nil || !strings.HasPrefix(text, want[0]) || !strings.Contains(text, want[1]) || strings.ContainsAny(text, "`*") || strings.Contains(text, "](") {
			t.Errorf("%s: %v\n%s", code, err, text)
		}
	}
	for code, want := range map[string]string{
		"INVALID_NUMBR": "did you mean INVALID_NUMBER?",
		"invalid":       "is not a code, such as INVALID_NUMBER, nor an exit code, such as 3",
		"4":             "is not a code",
		"":              "is not a code",
	} {
		if text, err := help.Explain(code); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s\n%s", code, err, want, text)
		}
	}
}
