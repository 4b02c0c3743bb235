package about

import (
	"context"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/versions"
)

// maxQueries is the largest size of all kept queries of examples, in bytes.
const maxQueries = 1 << 20

// Example returns the query of a page with a result, for readers of a system of units; "" if there is none. An example in US
// units has rounded numbers. A number below a limit is rounded up, and a number above a limit is rounded down, so the
// calculation accepts them. If it accepts no such numbers, the query has the units of other systems.
func (p *Releases) Example(ctx context.Context, r *catalog.Release, system customary.System) string {
	query := p.Described(r).Example
	if query == "" || system != customary.US {
		return query
	}
	found, _, err := p.queries.Do(ctx, []byte(r.Digest), func() (string, int64, error) {
		var other []string
		for {
			rounded := address.Example(&r.Spec, query, customary.US, other...)
			_, err := p.CalculateExample(ctx, r, rounded)
			if err == nil {
				return rounded, int64(len(rounded)), nil
			}
			field, _, _ := strings.Cut(problem.Of(err).Field, ".")
			if field == "" {
				return "", 0, err
			}
			if slices.Contains(other, field) {
				return query, int64(len(query)), nil
			}
			other = append(other, field)
		}
	})
	if err != nil {
		return query
	}
	return found
}

// CalculateExample calculates a release with the inputs of a query.
func (p *Releases) CalculateExample(ctx context.Context, r *catalog.Release, query string) (*calc.Answer, error) {
	s := address.ReadQuery(&r.Spec, query).WithPresets(p.Service, r)
	return s.Calculate(ctx, p.Service, []versions.Pin{{Place: versions.InForm, Name: address.VersionKey, Value: r.Version}})
}
