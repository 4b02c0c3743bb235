package process

import (
	"strings"
	"testing"
)

// The first and the last output of a process is kept, even if there is much output in between.
func TestTail(t *testing.T) {
	var short, long tail
	for _, piece := range []string{"why", " and ", "where\n"} {
		_, _ = short.Write([]byte(piece))
	}
	if got := short.text(); got != "why and where" {
		t.Errorf("%q", got)
	}
	for _, piece := range []string{"why" + strings.Repeat("-", 2000), strings.Repeat("=", 5000), "where"} {
		_, _ = long.Write([]byte(piece))
	}
	got := long.text()
	if !strings.HasPrefix(got, "why-") || !strings.HasSuffix(got, "=where") || !strings.Contains(got, "- ... =") || len(got) > maxFirst+maxLast+5 {
		t.Errorf("%d bytes: %.20q ... %q", len(got), got, got[len(got)-20:])
	}
}
