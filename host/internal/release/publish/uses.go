package publish

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/enginefile"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/text"
)

// checkUses returns an error unless the tables and calculations that a document uses are published as the document has
// them, and the engine describes them. Each step must give the bits that the published calculation gives alone.
func (p *publication) checkUses(ctx context.Context) error {
	spec := &p.engine.spec
	if len(spec.Uses) == 0 {
		return nil
	}
	file, err := enginefile.Read(bytes.NewReader(p.engine.bytes), int64(len(p.engine.bytes)))
	if err != nil {
		return fmt.Errorf("%s uses other releases, which only a document can: %w", p.engine.path, err)
	}
	bound, err := text.BindWith(p.engine.path, &file.Text)
	if err != nil {
		return err
	}
	own := bound.Spec()
	if same, err := sameUses(&own, spec); err != nil || !same {
		return cmp.Or(err, fmt.Errorf("%s describes other tables or steps than its document: make the engine again", p.engine.path))
	}
	steps := map[string]*registry.Release{}
	for _, u := range spec.Uses {
		if p.OwnSteps && u.Spec != nil {
			continue
		}
		if p.to.Draft != nil {
			if err := p.to.Draft.Engines(ctx, u.ID); err != nil {
				return err
			}
		}
		used, err := p.to.Registry.Release(ctx, u.ID, u.Version)
		if err != nil {
			return fmt.Errorf("%s uses %s %s: publish it first: %w", p.engine.path, u.ID, u.Version, err)
		}
		if err := sameUse(used, &u); err != nil {
			return fmt.Errorf("%s uses %s %s, and %w", p.engine.path, u.ID, u.Version, err)
		}
		if u.Spec != nil {
			steps[u.ID] = used
		}
	}
	return p.compareSteps(ctx, bound, steps)
}

// sameUses reports whether two Specs have the same tables and steps.
func sameUses(a, b *sdk.Spec) (bool, error) {
	var texts [2][]byte
	for i, s := range []*sdk.Spec{a, b} {
		var err error
		texts[i], err = json.Marshal(struct {
			Uses   []sdk.Use
			Tables []formula.Table
		}{s.Uses, s.Tables})
		if err != nil {
			return false, err
		}
	}
	return bytes.Equal(texts[0], texts[1]), nil
}

// stepRequests is how many generated requests compare steps with the calculations alone, in addition to the vectors.
const stepRequests = 200

// compareSteps returns an error unless each step gives what its published engine gives for the same inputs.
func (p *publication) compareSteps(ctx context.Context, bound *text.Engine, steps map[string]*registry.Release) error {
	if len(steps) == 0 {
		return nil
	}
	alone := map[string]sdk.Engine{}
	for id, r := range steps {
		side, end, err := FromRelease(r, p.Launch)
		if err != nil {
			return err
		}
		defer end()
		engine, stop, err := side.Open(ctx)
		if err != nil {
			return err
		}
		defer stop()
		alone[id] = engine
	}
	spec := &p.engine.spec
	vectors, err := vector.ParsePublished(p.engine.vectors)
	if err != nil {
		return err
	}
	var requests []string
	for i := range vectors {
		requests = append(requests, vectors[i].Inputs)
	}
	for _, c := range compat.Legal(spec, stepRequests) {
		requests = append(requests, c.Inputs)
	}
	for _, inputs := range requests {
		object, err := strictjson.ParseObject([]byte(inputs))
		if err != nil {
			continue // some vectors are deliberately not JSON
		}
		in, _, err := request.Read(spec, object)
		if err != nil {
			continue
		}
		called, _ := bound.Steps(ctx, in) // also of a request that a later check rejects
		for i := range called {
			step := &called[i]
			o, err := alone[step.Use.ID].Calculate(ctx, step.Inputs)
			if differs := step.Differs(&o, err); differs != "" {
				return fmt.Errorf("%s: step %s, %s %s, gives something else than the published calculation for the inputs %s: %s",
					p.engine.path, step.Name, step.Use.ID, step.Use.Version, inputs, differs)
			}
			p.compared++
		}
	}
	return nil
}

// UsedTables publishes the tables next to a document, to a registry of its own. Mistakes of the document and of the file
// of tables are left to [Run].
func UsedTables(ctx context.Context, to *Target, path string) error {
	t, err := text.Read(path)
	if err != nil || len(t.Closure) == 0 {
		return nil
	}
	closure, err := text.ReadClosure(t.Closure)
	if err != nil {
		return nil
	}
	for _, table := range closure.Tables {
		_, found, err := to.Registry.FindVersion(ctx, table.ID, table.Version)
		if err == nil && !found {
			_, err = to.Registry.Publish(ctx, registry.Candidate{Table: table, Created: time.Now()})
		}
		if err != nil {
			return fmt.Errorf("publish %s %s, which %s uses: %w", table.ID, table.Version, path, err)
		}
	}
	return nil
}

// sameUse returns an error unless a release is what a new document may use, and has the digest in its head.
func sameUse(r *registry.Release, u *sdk.Use) error {
	digest := ""
	switch {
	case r.Problem != nil:
		return r.Problem
	case r.State() == evidence.Revoked || r.State() == evidence.Yanked:
		return fmt.Errorf("this version is %s: use another one", r.State())
	case r.Table != nil:
		digest = r.Table.Digest()
	case r.Spec.Document != "":
		digest = (&text.Source{Text: r.Spec.Document}).Digest()
	default:
		return errors.New("it is a program: a step is a document")
	}
	if digest != u.Digest {
		return fmt.Errorf("this registry has it with the digest %s: run slipstick fmt, and check what changed", digest)
	}
	return nil
}
