package publish

import (
	"fmt"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/conformance/report"
)

// NotConformingError refuses an engine that fails a rule, or could not be judged by one.
type NotConformingError struct{ Report *report.Report }

// Error leaves the findings to the report.
func (*NotConformingError) Error() string { return "it does not conform; nothing was published" }

// NotCompatibleError refuses a version that promises more than the engine keeps.
type NotCompatibleError struct {
	Published string // the version that it was compared with
	Diff      *compat.Report
}

// Error says which bump the change needs, and leaves the differences to the report.
func (e *NotCompatibleError) Error() string {
	return fmt.Sprintf("compared with the published %s, %s; nothing was published", e.Published, e.Diff.Why)
}
