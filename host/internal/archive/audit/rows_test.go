package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/versions"
)

// fixedCalculator is a Calculator that returns a fixed record for every batch.
type fixedCalculator struct {
	Calculator
	whole record.Record
	err   error
}

func (c *fixedCalculator) Batch(context.Context, *catalog.Catalog, batch.Input, []versions.Pin, []record.Span) (*record.Record, error) {
	return &c.whole, c.err
}

// Missed rows are not recomputed, even if all rows were missed.
func TestAnsweredRows(t *testing.T) {
	for name, tt := range map[string]struct{ missed, answered []record.Span }{
		"all":        {nil, nil},
		"none":       {[]record.Span{{First: 0, Count: 9}}, []record.Span{}},
		"the middle": {[]record.Span{{First: 0, Count: 2}, {First: 7, Count: 2}}, []record.Span{{First: 2, Count: 5}}},
		"the ends":   {[]record.Span{{First: 3, Count: 1}}, []record.Span{{First: 0, Count: 3}, {First: 4, Count: 5}}},
	} {
		b := &recordedBatch{Record: &record.Record{Rows: 9, Missed: tt.missed}}
		if got := b.answered(); !slices.Equal(got, tt.answered) || (got == nil) != (tt.answered == nil) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRecomputeRows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.ndjson")
	if err := os.WriteFile(file, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	releases := func(version string) []*record.Release {
		return []*record.Release{{Capability: "a.b.c", Version: version}}
	}
	broken := errors.New("no sandbox")
	for name, tt := range map[string]struct {
		state   evidence.State
		now     fixedCalculator
		kind    Kind
		outcome Outcome
		err     error
	}{
		"the same":                {now: fixedCalculator{whole: record.Record{Outcomes: [32]byte{1}, Releases: releases("1.0.0")}}, kind: Outcomes},
		"failed in the same way":  {now: fixedCalculator{whole: record.Record{Outcomes: [32]byte{1}, Releases: releases("1.0.0"), Rows: 5, Missed: []record.Span{{First: 4, Count: 1}}}}, kind: Outcomes},
		"another number":          {now: fixedCalculator{whole: record.Record{Outcomes: [32]byte{2}, Releases: releases("1.0.0")}}, kind: Outcomes, err: errOtherOutcomes},
		"by another release":      {now: fixedCalculator{whole: record.Record{Outcomes: [32]byte{2}, Releases: releases("2.0.0")}}, kind: Outcomes, outcome: Unchecked, err: errOtherReleases},
		"by more releases":        {now: fixedCalculator{whole: record.Record{Outcomes: [32]byte{2}, Releases: append(releases("1.0.0"), releases("2.0.0")...)}}, kind: Outcomes, outcome: Unchecked, err: errOtherReleases},
		"without an answer":       {now: fixedCalculator{whole: record.Record{Outcomes: [32]byte{2}, Releases: releases("1.0.0"), Rows: 5, Missed: []record.Span{{First: 1, Count: 3}}}}, kind: Outcomes, outcome: Unchecked, err: &FailedRowsError{3}},
		"of what must not be run": {state: evidence.Revoked, kind: Withheld, outcome: Unchecked},
		"not at all":              {now: fixedCalculator{err: broken}, err: broken},
	} {
		t.Run(name, func(t *testing.T) {
			r := &registry.Release{Capability: "a.b.c", Version: "1.0.0", Spec: sdk.Spec{Capability: "a.b.c", Version: "1.0.0", Tool: "c"}}
			r.Lifecycle.State = tt.state
			a := &Audit{catalog: catalog.New([]registry.Capability{{ID: "a.b.c", Current: "1.0.0", Releases: []*registry.Release{r}}})}
			a.options.Start = func() (Calculator, func(), error) { return &tt.now, func() {}, nil }
			stored := &record.Record{Kind: record.Batch, Outcomes: [32]byte{1}, Releases: releases("1.0.0")}
			f, err := a.recomputeRows(t.Context(), &recordedBatch{Record: stored, catalog: a.catalogOf(stored), file: file})
			if err != nil {
				f = Finding{Kind: tt.kind, Err: err}
			}
			if f.Kind != tt.kind || f.Outcome != tt.outcome || fmt.Sprint(f.Err) != fmt.Sprint(tt.err) {
				t.Errorf("kind %d, outcome %q: %v", f.Kind, f.Outcome, f.Err)
			}
		})
	}
}
