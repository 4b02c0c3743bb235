package page_test

import (
	"context"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/verification"
)

// weld has limits at its example: in its range, and in its function.
type weld struct {
	Throat float64   `name:"throat" unit:"m" range:"(0,1]" doc:"Throat thickness."`
	Gap    float64   `name:"gap" unit:"m" range:"(0,0.003]" doc:"Gap."`
	Sides  []float64 `name:"sides" unit:"m" doc:"Sides."`
	Length float64   `name:"length" unit:"m" range:"(0,10]" doc:"Length."`
}

type welded struct {
	Area float64 `name:"area" unit:"m2" doc:"Area."`
}

// An example in US units has rounded numbers. No limit of the calculation refuses them.
func TestExampleAtLimits(t *testing.T) {
	spec := sdk.Spec{
		Capability: "test.welds.weld", Version: "1.0.0", Tool: "weld", Group: "welds", Title: "Weld", Summary: "A weld.",
		Errors: []string{"TOO_THIN", "TOO_SHORT", "TOO_LONG"},
	}
	e := sdk.New(spec, func(_ context.Context, in weld) (welded, error) {
		switch {
		case in.Throat < 0.003:
			return welded{}, sdk.Reject("TOO_THIN", "throat", "the throat is too thin")
		case in.Sides[0] < 0.003:
			return welded{}, sdk.Reject("TOO_SHORT", "sides.0", "the side is too short")
		case in.Length > 1.2344:
			return welded{}, sdk.Reject("TOO_LONG", "length", "the weld is too long")
		}
		return welded{in.Throat * in.Length}, nil
	})
	example := `[{"id": "V1", "inputs": {"throat": 0.003, "gap": 0.003, "sides": [0.003], "length": 1.2344}, "expected": {"area": 1}, "source": "a book"}]`
	s := siteOf(t, calc.New(catalog.New([]registry.Capability{{ID: spec.Capability, Current: "1.0.0", Releases: []*registry.Release{{
		Capability: spec.Capability, Version: "1.0.0", EngineDigest: digest, Digest: digest, Spec: e.Spec(),
		Verification: verification.Record{Tier: verification.Candidate}, Vectors: []byte(example), Report: []byte(report),
	}}}}), inProcess{"weld@1.0.0": e}, &calc.Options{BaseURL: base}))
	link := ""
	for _, n := range s.get(t, "/calc/welds/weld", "Accept-Language", "en-US").elements("a") {
		if text(n) == "Try an example" {
			link = attr(n, "href")
		}
	}
	// 3 mm is 0.11811 in, and 1.2344 m is 48.598 in.
	want := "throat=0.1182&throat.unit=in&gap=0.1181&gap.unit=in&sides=0.1182&sides.unit=in&length=48.59&length.unit=in&units=us"
	if _, query, _ := strings.Cut(link, "?"); query != want {
		t.Errorf("%q, want %q", query, want)
	}
	if a := s.get(t, link, "Accept-Language", "en-US"); a.result() == "" {
		t.Errorf("%s has no result: %s", link, a.text)
	}
}

// The numbers of a list that commas separate become numbers in US units.
func TestExampleOfList(t *testing.T) {
	spec := &sdk.Spec{Inputs: []sdk.Field{{Name: "sides", Type: sdk.TypeArray, Unit: "m", Items: &sdk.Field{Type: sdk.TypeNumber, Unit: "m"}}}}
	got := address.Example(spec, "sides=100%2C+220%2C+330", customary.US)
	if want := "sides=3937%3B+8661%3B+12990&sides.unit=in"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
