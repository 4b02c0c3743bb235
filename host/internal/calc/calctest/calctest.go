// Package calctest has a calculation service for tests of the interfaces. [NewService] serves a chain of documents
// that call each other, and computes in the process of the test.
package calctest

import (
	"context"
	"embed"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/enginefile"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/value"
)

//go:embed beam.calc.md chain.calc.md deck.calc.md girder.calc.md
var documents embed.FS

// The chain calls the beam once or twice. The deck calls the chain, and so does the girder, whose steps
// take much work.
var order = []string{"beam", "chain", "deck", "girder"}

const digest = "sha256:1111111111111111111111111111111111111111111111111111111111111111"

// NewService returns a service of the sheets. Its engines run in this process.
func NewService(t testing.TB, o *calc.Options) *calc.Service {
	t.Helper()
	published, engines := new(text.Closure), inProcess{}
	var list []registry.Capability
	for _, name := range order {
		source, err := documents.ReadFile(name + ".calc.md")
		if err != nil {
			t.Fatal(err)
		}
		pinned, closure, err := text.Pin(name, source, published)
		if err != nil {
			t.Fatal(err)
		}
		e, err := text.BindWith(name, &enginefile.Text{Document: pinned, Closure: closure})
		if err != nil {
			t.Fatal(err)
		}
		spec := e.Spec()
		published.Documents = append(published.Documents, text.Source{ID: spec.Capability, Version: spec.Version, Text: string(pinned)})
		engines[spec.Capability] = e
		list = append(list, registry.Capability{ID: spec.Capability, Current: spec.Version, Releases: []*registry.Release{{
			Capability: spec.Capability, Version: spec.Version, EngineDigest: digest, Digest: digest, Spec: spec, Vectors: []byte("[]"), Report: []byte(`{"passed":true}`),
		}}})
	}
	return calc.New(catalog.New(list), engines, o)
}

// inProcess has the engines by their ids.
type inProcess map[string]sdk.Engine

func (p inProcess) Calculate(ctx context.Context, _ time.Duration, r *catalog.Release, in value.Values) (sdk.Outcome, error) {
	return p[r.Capability].Calculate(ctx, in)
}

func (p inProcess) CalculateBatch(ctx context.Context, limit time.Duration, r *catalog.Release, rows []value.Values) ([]response.Result, error) {
	results := make([]response.Result, len(rows))
	for i, row := range rows {
		results[i].Outcome, results[i].Err = p.Calculate(ctx, limit, r, row)
	}
	return results, nil
}

func (p inProcess) Draw(ctx context.Context, _ time.Duration, r *catalog.Release, plot string, in value.Values) (*sdk.Figure, error) {
	return p[r.Capability].(sdk.Plotter).Draw(ctx, plot, in)
}
