package sdk_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/internal/box"
	"github.com/slipstick/slipstick/sdk/value"
)

// Stiffness is embedded two levels deep, in a struct that is not exported.
type Stiffness struct {
	Modulus *float64 `name:"modulus" unit:"Pa" range:"(0,)" symbol:"E"`
	Second  float64  `name:"second" unit:"m4" default:"2"`
}

type material struct {
	Stiffness
	Name string `name:"name" enum:"steel,timber" default:"steel"`
}

func (m *material) Complete(ctx context.Context) error {
	if m.Modulus == nil {
		m.Modulus = new(7.0)
		sdk.Assume(ctx, "modulus is 7")
	}
	return nil
}

type embeddingIn struct {
	Length float64 `name:"length" unit:"m"`
	material
	Parts []embeddingPart `name:"parts"`
}

type embeddingPart struct {
	Stiffness
	Count int `name:"count"`
}

// Draw implements [sdk.Drawer] with embedded fields.
func (in *embeddingIn) Draw(context.Context, string) (*sdk.Figure, error) {
	return &sdk.Figure{Curves: []sdk.Curve{{X: []float64{*in.Modulus}, Y: []float64{in.Second}}}}, nil
}

type embeddingOut struct {
	Stiffness
	Sum float64 `name:"sum"`
}

type flatIn struct {
	Length  float64    `name:"length" unit:"m"`
	Modulus *float64   `name:"modulus" unit:"Pa" range:"(0,)" symbol:"E"`
	Second  float64    `name:"second" unit:"m4" default:"2"`
	Name    string     `name:"name" enum:"steel,timber" default:"steel"`
	Parts   []flatPart `name:"parts"`
}

type flatPart struct {
	Modulus *float64 `name:"modulus" unit:"Pa" range:"(0,)" symbol:"E"`
	Second  float64  `name:"second" unit:"m4" default:"2"`
	Count   int      `name:"count"`
}

func embedding() sdk.Engine {
	spec := box.Spec()
	spec.Plots = []sdk.Plot{{ID: "p", Title: "P", X: sdk.Axis{Label: "x"}, Y: sdk.Axis{Label: "y"}}}
	return sdk.New(spec, func(_ context.Context, in embeddingIn) (embeddingOut, error) {
		out := embeddingOut{Stiffness: in.Stiffness, Sum: in.Length + *in.Modulus + in.Second}
		for _, p := range in.Parts {
			out.Sum += p.Second * float64(p.Count)
		}
		return out, nil
	})
}

// Callers do not see whether a struct embeds others.
func TestEmbeddedStructsAreFlat(t *testing.T) {
	flat := sdk.New(box.Spec(), func(context.Context, flatIn) (flatPart, error) { return flatPart{}, nil }).Spec()
	if diff := cmp.Diff(flat.Inputs, embedding().Spec().Inputs); diff != "" {
		t.Errorf("inputs (-flat +embedded):\n%s", diff)
	}
	names := []string{}
	for _, f := range embedding().Spec().Outputs {
		names = append(names, f.Name)
	}
	if want := []string{"modulus", "second", "sum"}; !slices.Equal(names, want) {
		t.Errorf("outputs %q, want %q", names, want)
	}
}

func TestEmbeddedStructsCompute(t *testing.T) {
	engine := embedding()
	part := value.RecordOf(value.Value{}, value.NumberOf(10), value.NumberOf(3))
	in := value.Values{value.NumberOf(1), {}, value.NumberOf(2), value.TextOf("steel"), value.ListOf(part)}
	completed := slices.Clone(in)
	completed[1] = value.NumberOf(7) // set by the Complete of an embedded struct
	want := sdk.Outcome{
		Result: value.Values{value.NumberOf(7), value.NumberOf(2), value.NumberOf(40)}, Inputs: completed, Assumptions: []string{"modulus is 7"},
	}
	repeat := engine.(sdk.Repeater).Repeat()
	for range 2 { // the second one has the memory of the first
		o, err := repeat(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, *o, cmp.Comparer(value.Value.Equal)); diff != "" {
			t.Errorf("outcome (-want +got):\n%s", diff)
		}
	}
	f, err := engine.(sdk.Plotter).Draw(t.Context(), "p", in)
	if err != nil || f.Curves[0].X[0] != 7 || f.Curves[0].Y[0] != 2 {
		t.Errorf("figure %+v, %v", f, err)
	}
	in[1] = value.NumberOf(-1)
	var rejection *sdk.Error
	if _, err := engine.Calculate(t.Context(), in); !errors.As(err, &rejection) || rejection.Code != "MODULUS_MUST_BE_POSITIVE" {
		t.Errorf("modulus -1: %v", err)
	}
}

type second struct {
	Other float64 `name:"other"`
}

func (*second) Complete(context.Context) error { return nil }
