package publish

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk/enginefile"
	"github.com/slipstick/slipstick/sdk/text"
)

// checkUses returns an error unless the tables that a document uses are published with the same values, and are what the
// engine describes.
func (p *publication) checkUses(ctx context.Context) error {
	spec := &p.engine.spec
	if len(spec.Uses) == 0 {
		return nil
	}
	file, err := enginefile.Read(bytes.NewReader(p.engine.bytes), int64(len(p.engine.bytes)))
	if err != nil {
		return fmt.Errorf("%s uses tables, which only a document can: %w", p.engine.path, err)
	}
	bound, err := text.BindWith(p.engine.path, &file.Text)
	if err != nil {
		return err
	}
	own := bound.Spec()
	if !reflect.DeepEqual(own.Uses, spec.Uses) || !reflect.DeepEqual(own.Tables, spec.Tables) {
		return fmt.Errorf("%s describes other tables than its document: make the engine again", p.engine.path)
	}
	for _, u := range spec.Uses {
		if p.to.Draft != nil {
			if err := p.to.Draft.Engines(ctx, u.ID); err != nil {
				return err
			}
		}
		table, err := p.to.Registry.Release(ctx, u.ID, u.Version)
		if err != nil {
			return fmt.Errorf("%s uses %s %s: publish the table first: %w", p.engine.path, u.ID, u.Version, err)
		}
		if err := sameTable(table, u.Digest); err != nil {
			return fmt.Errorf("%s uses %s %s, and %w", p.engine.path, u.ID, u.Version, err)
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

// sameTable returns an error unless a release is a table with that digest that a new document may use.
func sameTable(r *registry.Release, digest string) error {
	switch {
	case r.Problem != nil:
		return r.Problem
	case r.State() == evidence.Revoked || r.State() == evidence.Yanked:
		return fmt.Errorf("this version is %s: use another one", r.State())
	case r.Table.Digest() != digest:
		return fmt.Errorf("this registry has it with the digest %s: run slipstick fmt, and check what changed", r.Table.Digest())
	}
	return nil
}
