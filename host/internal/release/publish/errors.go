package publish

import (
	"fmt"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/conformance/report"
)

// NotConformingError means that an engine fails a conformance rule, or that a rule could not be checked.
type NotConformingError struct{ Report *report.Report }

// Error does not contain the findings; they are in the report.
func (*NotConformingError) Error() string { return "it does not conform; nothing was published" }

// NotCompatibleError means that the changes of an engine are too big for its version.
type NotCompatibleError struct {
	Published string // the version with which it was compared
	Diff      *compat.Report
}

// Error names the bump that the changes need. The differences are in the report.
func (e *NotCompatibleError) Error() string {
	return fmt.Sprintf("compared with the published %s, %s; nothing was published", e.Published, e.Diff.Why)
}

// MissingChangesError means that the Spec of a minor or major version has no Changes.
type MissingChangesError struct {
	Published string // newest published version below it
	Version   string
	Bump      compat.Bump
}

// Error describes the missing text. It starts with the code that scripts search for.
func (e *MissingChangesError) Error() string {
	return fmt.Sprintf("%s: after the published %s, %s is a %s version. Describe the change and its reason in Changes of its Spec; nothing was published",
		compat.ChangesMissing, e.Published, e.Version, e.Bump)
}
