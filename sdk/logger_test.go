package sdk

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
)

// In a test of an author, the lines go to the logger of the context.
func TestLoggerOutsideAnEngine(t *testing.T) {
	var out bytes.Buffer
	logger := hclog.New(&hclog.LoggerOptions{Output: &out, Level: hclog.Warn})
	ctx := hclog.WithContext(t.Context(), logger)
	Logger(&notes{Context: ctx}).Warn("no convergence", "steps", 40)
	if !strings.Contains(out.String(), "[WARN]  no convergence: steps=40") {
		t.Errorf("logged %q", out.String())
	}
	if Logger(t.Context()) != hclog.Default() {
		t.Error("a context without a logger has not the default logger")
	}
}
