package sdk

import (
	"context"

	"github.com/slipstick/slipstick/sdk/value"
)

// An Engine computes one capability at one version.
type Engine interface {
	// Spec describes the engine. It is the same at every call.
	Spec() Spec

	// Calculate computes one outcome from one Value per input field of the Spec.
	// An *Error is the caller's fault; any other error is ours. It is safe for
	// concurrent use and stops when the context ends.
	Calculate(ctx context.Context, in value.Values) (Outcome, error)
}

// Outcome is what an engine computed. What it says of itself is a claim until
// [Spec.CheckOutcome] has compared it with the published Spec.
type Outcome struct {
	Result      value.Values // one per output field
	Inputs      value.Values // one per input field: those given, with what the engine derived
	Formula     string       // id of one of the Spec's formulas; "" means the first
	Assumptions []string     // beside those of the Spec
	Warnings    []Warning    // never change a number
}

// Warning tells the caller something about a successful result.
type Warning struct {
	Code       string
	Severity   Severity
	Detail     string
	Suggestion string
}

// Severity grades a Warning.
type Severity string

// The severities.
const (
	Info     Severity = "info"
	Caution  Severity = "warning"
	Critical Severity = "critical"
)

type notesKey struct{}

// notes is the context of a calculation, which collects what that says beside its
// result.
type notes struct {
	context.Context
	formula     string
	assumptions []string
	warnings    []Warning
}

// Value implements [context.Context].
func (n *notes) Value(key any) any {
	if key == (notesKey{}) {
		return n
	}
	return n.Context.Value(key)
}

func notesOf(ctx context.Context) *notes {
	if n, ok := ctx.Value(notesKey{}).(*notes); ok {
		return n
	}
	return new(notes) // called outside an engine, say from the author's own test
}

// Warn adds a warning to the outcome being computed. Its code is declared in the
// Spec's Warnings.
func Warn(ctx context.Context, w Warning) {
	n := notesOf(ctx)
	n.warnings = append(n.warnings, w)
}

// Assume adds an assumption to the outcome being computed, beside the Spec's.
func Assume(ctx context.Context, assumption string) {
	n := notesOf(ctx)
	n.assumptions = append(n.assumptions, assumption)
}

// UseFormula names which of the Spec's formulas the outcome being computed used.
func UseFormula(ctx context.Context, id string) { notesOf(ctx).formula = id }

// WarnUnderflow warns that the named result is not zero but was rounded to zero,
// which only the engine can know.
func WarnUnderflow(ctx context.Context, name string) {
	Warn(ctx, Warning{
		Code: WarnResultUnderflow, Severity: Caution,
		Detail:     name + " is not zero but smaller than any binary64 number, and was rounded to zero.",
		Suggestion: "Use inputs of larger magnitude if the value matters.",
	})
}
