// Package circuit has what the engines of mains circuits share: which circuit a caller
// means, the factor k of its apparent power S = k V I, and the rules of power factors.
//
// Each engine declares the inputs itself, with these tags:
//
//	circuit  enum:"dc,ac_single_phase=ac1|single|single_phase|1,ac_three_phase=ac3|three|three_phase|3,~ac"
//	phase    enum:"line_to_line=ll|l_l|line,line_to_neutral=ln|l_n|neutral,~single,~three"
//	pf       alias:"power_factor,cos_phi"
//
// Circuit ac is completed by phase single or three, as a query of two keys spells it.
package circuit

import (
	"context"

	"github.com/slipstick/slipstick/sdk"
)

// Codes of section 7.3 of the interface.
const (
	PowerFactorOutOfRange = "POWER_FACTOR_OUT_OF_RANGE"
	PowerFactorIgnored    = "POWER_FACTOR_IGNORED" // a warning
)

// Values of the inputs circuit and phase.
const (
	DC            = "dc"
	SinglePhase   = "ac_single_phase"
	ThreePhase    = "ac_three_phase"
	LineToLine    = "line_to_line"
	LineToNeutral = "line_to_neutral"

	ac     = "ac"
	single = "single"
	three  = "three"
)

// Tabs are the inputs that define the circuit.
type Tabs struct {
	Circuit string
	Phase   **string  // filled in for three phases
	PF      **float64 // filled in for alternating current; nil if the engine has none
	Voltage string    // name of the voltage that phase tells about; "" if none was sent
}

// Circuit is what the tabs mean.
type Circuit struct {
	Kind      string // DC, SinglePhase or ThreePhase
	ToNeutral bool   // the voltage of three phases is measured to neutral
}

// Complete returns the circuit and fills in what it needs and was not sent, which it
// says among the assumptions. It demands the phase that circuit ac leaves open.
func (t Tabs) Complete(ctx context.Context) (Circuit, error) {
	c, err := t.circuit()
	if err != nil {
		return c, err
	}
	if t.PF != nil && *t.PF == nil && c.Kind != DC {
		*t.PF = new(1.0)
		sdk.Assume(ctx, "power factor 1 assumed")
	}
	if c.Kind != ThreePhase {
		return c, nil
	}
	if t.Voltage != "" {
		c.ToNeutral = t.completePhase(ctx)
	}
	sdk.Assume(ctx, "The three-phase system is balanced and sinusoidal.")
	return c, nil
}

func (t Tabs) circuit() (Circuit, error) {
	phase := ""
	if *t.Phase != nil {
		phase = **t.Phase
	}
	kind := t.Circuit
	switch phase {
	case single:
		kind = SinglePhase
	case three:
		kind = ThreePhase
	}
	switch {
	case kind == ac:
		return Circuit{}, sdk.Missing("phase", "circuit ac needs phase single or three")
	case kind != t.Circuit && t.Circuit != ac:
		return Circuit{}, sdk.Conflict("phase", "phase %s contradicts circuit %s", phase, t.Circuit).Suggest("Leave out one of them.")
	}
	return Circuit{Kind: kind}, nil
}

// completePhase reports whether the voltage is measured to neutral.
func (t Tabs) completePhase(ctx context.Context) bool {
	if *t.Phase == nil {
		*t.Phase = new(LineToLine)
		sdk.Assume(ctx, "line-to-line voltage assumed")
		return false
	}
	switch **t.Phase {
	case three:
		sdk.Assume(ctx, "line-to-line voltage assumed")
	case LineToNeutral:
		sdk.Assume(ctx, t.Voltage+" is the line-to-neutral voltage.")
	default:
		sdk.Assume(ctx, t.Voltage+" is the line-to-line voltage.")
	}
	return **t.Phase == LineToNeutral
}

// Name tells circuits with different formulas apart: dc, single_phase, line_to_line or
// line_to_neutral.
func (c Circuit) Name() string {
	switch {
	case c.Kind == DC:
		return "dc"
	case c.Kind == SinglePhase:
		return "single_phase"
	case c.ToNeutral:
		return LineToNeutral
	}
	return LineToLine
}

// SquareOfK returns the square of the k in S = k V I: a whole number, where k is 1, the
// root of 3, or 3.
func (c Circuit) SquareOfK() int64 {
	switch {
	case c.Kind != ThreePhase:
		return 1
	case c.ToNeutral:
		return 9
	}
	return 3
}

// PowerFactor returns the power factor to compute with, which is 1 for direct current.
// It warns that one sent there is ignored, whatever it is, and rejects one outside
// (0, 1] elsewhere. The input's name is pf.
func (c Circuit) PowerFactor(ctx context.Context, pf *float64) (float64, error) {
	switch {
	case c.Kind == DC && pf != nil:
		sdk.Warn(ctx, sdk.Warning{
			Code: PowerFactorIgnored, Severity: sdk.Caution,
			Detail:     "Direct current has no power factor: it was ignored.",
			Suggestion: "Leave out the power factor, or choose the circuit it belongs to.",
		})
		return 1, nil
	case pf == nil:
		return 1, nil
	case *pf <= 0 || *pf > 1:
		return 0, sdk.Reject(PowerFactorOutOfRange, "pf", "pf is %v: it must be greater than 0 and at most 1", *pf).Suggest("Give a value of pf greater than 0 and at most 1.")
	}
	return *pf, nil
}
