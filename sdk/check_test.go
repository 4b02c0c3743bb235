package sdk_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/internal/box"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/verification"
)

// TestCheckOutcome has every illegal answer of an engine.
func TestCheckOutcome(t *testing.T) {
	e := box.Engine()
	spec := e.Spec()
	sent := box.Values(box.Numbers())
	for _, tt := range []struct {
		name   string
		change func(*sdk.Outcome)
		want   string
	}{
		{"good", func(*sdk.Outcome) {}, ""},
		{"no result", func(o *sdk.Outcome) { o.Result = nil }, "0 values for 3 fields"},
		{"one too many", func(o *sdk.Outcome) { o.Result = append(o.Result, value.NumberOf(1)) }, "4 values for 3 fields"},
		{"required output absent", func(o *sdk.Outcome) { o.Result[0] = value.Value{} }, "volume is missing"},
		{"not a number", func(o *sdk.Outcome) { o.Result[0] = value.NumberOf(math.NaN()) }, "not finite"},
		{"infinite", func(o *sdk.Outcome) { o.Result[0] = value.NumberOf(math.Inf(-1)) }, "not finite"},
		{"text for a number", func(o *sdk.Outcome) { o.Result[0] = value.TextOf("12") }, "text where a number belongs"},
		{"exact where none is declared", func(o *sdk.Outcome) { o.Result[0] = value.ExactOf("12") }, "exact decimal where a number belongs"},
		{"number for text", func(o *sdk.Outcome) { o.Result[1] = value.NumberOf(12) }, "number where a string belongs"},
		{"no literal", func(o *sdk.Outcome) { o.Inputs[6] = value.ExactOf("abc") }, "not a finite decimal literal"},
		{"infinite literal", func(o *sdk.Outcome) { o.Inputs[6] = value.ExactOf("1e999") }, "not a finite decimal literal"},
		{"long text", func(o *sdk.Outcome) { o.Result[1] = value.TextOf(strings.Repeat("x", sdk.MaxText+1)) }, "at most 4096"},
		{"invalid UTF-8", func(o *sdk.Outcome) { o.Result[1] = value.TextOf("\xff") }, "UTF-8"},
		{"input changed", func(o *sdk.Outcome) { o.Inputs[0] = value.NumberOf(3) }, "width was sent and came back changed"},
		{"input dropped", func(o *sdk.Outcome) { o.Inputs[0] = value.Value{} }, "width was sent and came back changed"},
		{"inputs missing", func(o *sdk.Outcome) { o.Inputs = nil }, "0 values for 8 fields"},
		{"derived input infinite", func(o *sdk.Outcome) { o.Inputs[2] = value.NumberOf(math.Inf(1)) }, "depth"},
		{"unknown formula", func(o *sdk.Outcome) { o.Formula = "magic" }, "not declared"},
		{"undeclared warning", func(o *sdk.Outcome) { o.Warnings = []sdk.Warning{{Code: "BOO", Severity: sdk.Info}} }, "not declared"},
		{"unknown severity", func(o *sdk.Outcome) { o.Warnings = []sdk.Warning{{Code: "LEAKS", Severity: "loud"}} }, "severity"},
		{"many warnings", func(o *sdk.Outcome) {
			o.Warnings = slices.Repeat([]sdk.Warning{{Code: "LEAKS", Severity: sdk.Info}}, sdk.MaxNotes+1)
		}, "at most 32"},
		{"many assumptions", func(o *sdk.Outcome) { o.Assumptions = slices.Repeat([]string{"x"}, sdk.MaxNotes+1) }, "at most 32"},
		{"long assumption", func(o *sdk.Outcome) { o.Assumptions = []string{strings.Repeat("x", sdk.MaxText+1)} }, "assumption"},
		{"common warning", func(o *sdk.Outcome) {
			o.Warnings = []sdk.Warning{{Code: sdk.WarnResultUnderflow, Severity: sdk.Caution}}
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o, err := e.Calculate(t.Context(), sent)
			if err != nil {
				t.Fatal(err)
			}
			tt.change(&o)
			err = spec.CheckOutcome(sent, o)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestCheckRejection(t *testing.T) {
	spec := box.Engine().Spec()
	for _, tt := range []struct {
		e    sdk.Error
		want string
	}{
		{sdk.Error{Code: "TOO_ODD", Field: "count"}, ""},
		{sdk.Error{Code: "WIDTH_MUST_BE_POSITIVE", Field: "width"}, ""},
		{sdk.Error{Code: sdk.CodeNonFiniteResult, Field: "volume"}, ""},
		{sdk.Error{Code: "SURPRISE"}, "not declared"},
		{sdk.Error{Code: "TOO_ODD", Field: "colour"}, "unknown field"},
		{sdk.Error{Code: "TOO_ODD", Detail: strings.Repeat("x", sdk.MaxText+1)}, "at most"},
		{sdk.Error{Code: "TOO_ODD", Invalid: make([]sdk.InvalidParameter, sdk.MaxNotes+1)}, "at most"},
	} {
		err := spec.CheckRejection(&tt.e)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s %s: error = %v, want %q", tt.e.Code, tt.e.Field, err, tt.want)
		}
	}
}

func TestVerificationCheck(t *testing.T) {
	name, role, date, empty := "A. Reviewer", "chartered engineer", "2026-11-01", ""
	expert := verification.Record{
		Tier: verification.ExpertVerified, EngineTested: true, ExpertReviewed: true, SourceChecked: true,
		ReviewedBy: &name, ReviewerRole: &role, LastReviewed: &date,
	}
	internal := verification.Record{Tier: verification.InternallyReviewed, EngineTested: true, InternallyReviewed: true, SourceChecked: true}
	change := func(v verification.Record, f func(*verification.Record)) verification.Record { f(&v); return v }
	for _, tt := range []struct {
		name string
		v    verification.Record
		ok   bool
	}{
		{"candidate", verification.Record{Tier: verification.Candidate}, true},
		{"no tier", verification.Record{}, false},
		{"unknown tier", verification.Record{Tier: "gold"}, false},
		{"engine tested", verification.Record{Tier: verification.EngineTested, EngineTested: true}, true},
		{"engine not tested", verification.Record{Tier: verification.EngineTested}, false},
		{"internal", internal, true},
		{"internal, not tested", change(internal, func(v *verification.Record) { v.EngineTested = false }), false},
		{"internal, not reviewed", change(internal, func(v *verification.Record) { v.InternallyReviewed = false }), false},
		{"internal, source unchecked", change(internal, func(v *verification.Record) { v.SourceChecked = false }), false},
		{"expert", expert, true},
		{"expert, not tested", change(expert, func(v *verification.Record) { v.EngineTested = false }), false},
		{"expert, not reviewed", change(expert, func(v *verification.Record) { v.ExpertReviewed = false }), false},
		{"expert, source unchecked", change(expert, func(v *verification.Record) { v.SourceChecked = false }), false},
		{"expert, nobody", change(expert, func(v *verification.Record) { v.ReviewedBy = nil }), false},
		{"expert, no role", change(expert, func(v *verification.Record) { v.ReviewerRole = &empty }), false},
		{"expert, no date", change(expert, func(v *verification.Record) { v.LastReviewed = nil }), false},
	} {
		if err := tt.v.Check(); (err == nil) != tt.ok {
			t.Errorf("%s: Check = %v, want ok %v", tt.name, err, tt.ok)
		}
	}
}
