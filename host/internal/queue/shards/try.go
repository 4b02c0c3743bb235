package shards

import (
	"context"
	"io"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
)

// Try returns an error that affects all rows, and computes none of them. Examples are a column that the
// capability does not know, and two output columns with the same name.
func (p *Plan) Try(ctx context.Context, catalog *catalog.Catalog, file string) error {
	own, err := p.catalog(catalog)
	if err != nil {
		return err
	}
	b := p.batch(file)
	b.Only, b.Out, b.Observer = []batch.Span{{}}, io.Discard, &tally{}
	return b.Run(ctx, calc.New(own, nil, nil))
}
