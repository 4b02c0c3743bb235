package terminal

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/study"
)

// Each member of a plan that the command writes has a flag, and each sentence that asks for a member names its flag.
func TestStudyFlags(t *testing.T) {
	for _, k := range study.Kinds {
		for _, member := range study.Members(k) {
			if member == "kind" || member == "inputs" || member == "as_of" {
				continue
			}
			flag := StudyFlags.Part(member)
			if form := StudyFlags.Form(k, member, "length"); !strings.HasPrefix(flag, "--") || !strings.HasPrefix(form, "Use "+flag+" ") {
				t.Errorf("%s of %s: %q, %q", member, k, flag, form)
			}
		}
	}
	for place, want := range map[string]string{
		"vary.length": "--vary length", "vary.length.count": "the count of --vary length", "bracket.1": "the second value of --unknown",
		"uncertain.load.half_width": "the half-width of --uncertain load", "max_draws": "--max-draws", "load": "load",
	} {
		if got := StudyFlags.Part(place); got != want {
			t.Errorf("%s: %q, want %q", place, got, want)
		}
	}
	if got, want := StudyFlags.Form(study.Sensitivity, "vary", "length"), "Use --vary NAME, such as --vary length."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
