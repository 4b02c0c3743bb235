package system

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry/sign"
)

// Unknown times are not shown: the time of a release without statements, and the time in a signature by an unknown
// key.
func TestUnknownTimesAreNotShown(t *testing.T) {
	dir, _, trust := signedRegistry(t)
	stranger, _ := signers(t, sign.Reviews)
	does(t, "review", "ohms-law@1.0.1", "--registry", dir, "--key", stranger[sign.Reviews], "--reviewer", "X", "--role", "Y", "--kind", "internal")
	const never = "0001"
	out := verifies(t, exitOK, []string{"--registry", dir, "--trust", trust, "--require-signatures"}, "ignored    review", "signed by key ")
	if strings.Contains(out, never) || strings.Contains(out, " on ;") {
		t.Errorf("verify:\n%s", out)
	}
	h := startServer(t, "--registry", dir, "--trust", trust, "--require-signatures")
	const path = "/api/v1/capabilities/ohms-law/evidence"
	status, evidence := h.get(t, path)
	if status != 200 || strings.Contains(evidence, never) || !strings.Contains(evidence, `"standing":{"state":"active"}`) || !strings.Contains(evidence, `"key_id"`) {
		t.Errorf("evidence: %d %s", status, evidence)
	}
	if page := h.page(t, path); strings.Contains(page, never+"-01-01") || !strings.Contains(page, "X, Y") {
		t.Error("the page tells a time that nobody knows")
	}
}
