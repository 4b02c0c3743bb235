package publish

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/slipstick/slipstick/conformance/tables"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/preset"
)

// The files in the directory of a table.
const (
	tableFile = "table.json"
	rowsFile  = "rows.csv"
)

// IsTable reports whether a path is the directory of a table.
func IsTable(path string) bool {
	_, err := os.Stat(filepath.Join(path, tableFile))
	return err == nil
}

// ReadTable reads the table in a directory.
func ReadTable(dir string) (*preset.Table, error) {
	spec, err := readFile(filepath.Join(dir, tableFile))
	if err != nil {
		return nil, err
	}
	rows, err := readFile(filepath.Join(dir, rowsFile))
	if err != nil {
		return nil, err
	}
	t, err := preset.Parse(spec, rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return t, nil
}

// readFile reads a file of a table. It stops at a size that is too large for a table.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, preset.MaxRowText+1))
}

// NotSoundError means that the values of a table contradict each other.
type NotSoundError struct{ Report *tables.Report }

// Error does not contain the findings; they are in the report.
func (*NotSoundError) Error() string { return "its table values are not sound; nothing was published" }

// NotCompatibleTableError means that the changes of a table are too big for its version.
type NotCompatibleTableError struct{ Comparison *tables.Comparison }

// Error names the bump that the changes need. The changes are in the comparison.
func (e *NotCompatibleTableError) Error() string {
	c := e.Comparison
	return fmt.Sprintf("compared with %s, %s needs a %s bump, to %s; nothing was published", c.Old, c.New, c.Needed, c.Smallest)
}

// runTable publishes the table in a directory.
func runTable(ctx context.Context, to *Target, dir string, o *Options) (Result, error) {
	t, err := ReadTable(dir)
	if err != nil {
		return Result{}, err
	}
	if report := tables.Judge(t); !report.Passed() {
		return Result{}, &NotSoundError{report}
	}
	to.storing.Lock()
	defer to.storing.Unlock()
	spec := sdk.Spec{Contract: sdk.ContractVersion, Capability: t.ID, Version: t.Version, Title: t.Title, Summary: t.Summary, Changes: t.Changes}
	for _, below := range []bool{true, false} {
		if err := compareTable(ctx, to.Registry, t, &spec, below); err != nil {
			return Result{}, err
		}
	}
	if err := checkChanges(ctx, to.Registry, &spec); err != nil {
		return Result{}, err
	}
	c := registry.Candidate{Table: t, Revision: o.Revision, Created: o.Created}
	if c.Created.IsZero() {
		c.Created = time.Now()
	}
	publication, err := to.Registry.Publish(ctx, c)
	if err == nil && to.Draft != nil {
		err = to.Draft.Push(ctx, t.ID)
	}
	if err != nil {
		return Result{}, err
	}
	return Result{Publication: publication, Spec: spec}, nil
}

// compareTable returns an error if a table is not compatible with the nearest published version.
func compareTable(ctx context.Context, reg *registry.Registry, t *preset.Table, spec *sdk.Spec, below bool) error {
	release, err := neighbour(ctx, reg, spec, below)
	if err != nil || release == nil || release.Table == nil {
		return err
	}
	older, newer := release.Table, t
	if !below {
		older, newer = newer, older
	}
	c, err := tables.Diff(older, newer)
	if err == nil && !c.Legal {
		err = &NotCompatibleTableError{c}
	}
	return err
}
