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
	// An *Error is a fault of the caller; any other error is a fault of the service.
	// Calculate is safe for concurrent use and stops when the context ends.
	Calculate(ctx context.Context, in value.Values) (Outcome, error)
}

// Outcome is the result of a calculation. It must not be trusted until [Spec.CheckOutcome] has
// compared it with the published Spec.
type Outcome struct {
	Result      value.Values // one per output field
	Inputs      value.Values // one per input field: the sent ones, and the ones that the engine derived
	Formula     string       // id of one of the Spec's formulas; "" means the first
	Assumptions []string     // in addition to the assumptions of the Spec
	Warnings    []Warning    // about the result; a warning never changes a number
}

// Warning informs the caller about a successful result.
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
	Info     Severity = "info"     // worth knowing
	Caution  Severity = "warning"  // the result holds, and needs care
	Critical Severity = "critical" // do not use the result without looking into it
)

type notesKey struct{}

// notes is the context of a calculation. It collects the warnings, assumptions and the
// formula that accompany the result.
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
	return new(notes) // called outside an engine, for example by the author's own test
}

// Warn adds a warning to the outcome being computed. The Spec must declare its code in
// Warnings.
func Warn(ctx context.Context, w Warning) {
	n := notesOf(ctx)
	n.warnings = append(n.warnings, w)
}

// Assume adds an assumption to the outcome that is being computed. The assumptions of the Spec
// need not be added.
func Assume(ctx context.Context, assumption string) {
	n := notesOf(ctx)
	n.assumptions = append(n.assumptions, assumption)
}

// UseFormula sets the id of the formula that the outcome being computed uses. It must be the
// id of one of the Spec's formulas.
func UseFormula(ctx context.Context, id string) { notesOf(ctx).formula = id }

// WarnUnderflow warns that the named result is not zero but was rounded to zero. Only the
// engine can detect that.
func WarnUnderflow(ctx context.Context, name string) {
	Warn(ctx, Warning{
		Code: WarnResultUnderflow, Severity: Caution,
		Detail:     name + " is not zero but smaller than any binary64 number, and was rounded to zero.",
		Suggestion: "Use inputs of larger magnitude if the value matters.",
	})
}
