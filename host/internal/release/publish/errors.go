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

// MissingChangesError refuses a minor or major version that does not say what changed.
type MissingChangesError struct {
	Published string // newest version below it
	Version   string
	Bump      compat.Bump
}

// Error says what to write, and where. It begins with the code that scripts look for.
func (e *MissingChangesError) Error() string {
	return fmt.Sprintf("%s: after the published %s, %s is a %s version: say in Changes of its Spec what changed and why, in one or two sentences; nothing was published",
		compat.ChangesMissing, e.Published, e.Version, e.Bump)
}
