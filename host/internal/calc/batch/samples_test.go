package batch_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/sdk/value"
)

// counted counts the sampled calculations.
type counted struct{ n atomic.Int64 }

func (*counted) Every() int                                            { return 100 }
func (c *counted) Keep(*catalog.Release, value.Values, record.Outcome) { c.n.Add(1) }

// One row in a hundred of a batch is sampled at random.
func TestRowsAreSampled(t *testing.T) {
	const rows = 20_000
	kept := new(counted)
	service := newBench(&calc.Options{Samples: kept})
	if err := batch.Run(t.Context(), service, batch.NewLines(strings.NewReader(benchLines(rows)), ""), batch.LeanLine(service.BaseURL()), discard{}, nil); err != nil {
		t.Fatal(err)
	}
	if n := kept.n.Load(); n < 100 || n > 300 { // 200 on average
		t.Errorf("%d of %d rows are kept", n, rows)
	}
}
