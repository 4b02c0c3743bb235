package audit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/record"
	"github.com/slipstick/slipstick/host/internal/table"
	"github.com/slipstick/slipstick/registry"
)

// Errors of the rows of a batch. Findings have them.
var (
	errOtherOutcomes = errors.New("some rows come to other outcomes than those that were recorded; compare the answers (slipstick replay) to find which")
	errOtherReleases = errors.New("the rows were answered by other releases than they are now: the pins of the request are not recorded, so write them into the rows")
)

// FailedRowsError says that engines gave no answer to some rows.
type FailedRowsError struct{ Rows int }

func (e *FailedRowsError) Error() string {
	return fmt.Sprintf("the service failed to answer %d of the rows", e.Rows)
}

// batchOf is the record of a batch, with the catalog in which the releases that answered it are the
// current ones of their capabilities.
type batchOf struct {
	*record.Record
	catalog *calc.Catalog
	file    string
}

// catalogOf returns the catalog in which the releases that answered a batch are the current ones,
// where only one of a capability did.
func (a *Audit) catalogOf(r *record.Record) *calc.Catalog {
	answered := map[string][]string{}
	for _, release := range r.Releases {
		answered[release.Capability] = append(answered[release.Capability], release.Version)
	}
	var list []registry.Capability
	for _, e := range a.catalog.All() {
		published := e.Capability
		if versions := answered[e.ID]; len(versions) == 1 {
			published.Current = versions[0]
		}
		list = append(list, published)
	}
	return calc.NewCatalog(list)
}

// capability returns the one that answered, "" if there were several.
func (b *batchOf) capability() (id string) {
	for _, release := range b.Releases {
		if id != "" && id != release.Capability {
			return ""
		}
		id = release.Capability
	}
	return id
}

// open opens the file of rows, and returns what closes it. The rows of a table are of the capability
// that answered.
func (b *batchOf) open() (calc.Input, func(), error) {
	f, err := os.Open(b.file)
	if err != nil {
		return nil, nil, err
	}
	format := table.FormatOf(b.file)
	if !format.IsTable() {
		return calc.NewLines(f, b.capability()), func() { _ = f.Close() }, nil
	}
	sheet, err := table.Open(b.catalog, format, b.capability(), nil, f, nil)
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return sheet, func() { _, _ = sheet.Close(), f.Close() }, nil
}

// isOf examines whether the rows of a file are those of the batch.
func (b *batchOf) isOf(file string) (f Finding, err error) {
	b.file = file
	in, closes, err := b.open()
	if err != nil {
		return f, err
	}
	defer closes()
	text := sha256.New()
	var rows uint64
	for err == nil {
		var chunk calc.Chunk
		err = in.Next(&chunk)
		for row := range chunk.Rows() {
			rows++
			text.Write(row)
			text.Write([]byte{'\n'})
		}
	}
	if !errors.Is(err, io.EOF) {
		return f, err
	}
	f = Finding{Kind: Rows, Answered: b.Record}
	if sum := [sha256.Size]byte(text.Sum(nil)); rows != b.Rows || sum != b.Text {
		f.Err = fmt.Errorf("the file has %d rows with the digest %x, and %d with %x were answered", rows, sum, b.Rows, b.Text)
	}
	return f, nil
}

// recomputeRows computes all rows of a batch again, and compares the digest of their outcomes.
func (a *Audit) recomputeRows(ctx context.Context, b *batchOf) (Finding, error) {
	for _, one := range b.Releases {
		if r := a.catalog.Known(one.Capability, one.Version); r != nil && !r.Available() {
			return Finding{Kind: Withheld, Outcome: Unchecked, Release: r}, nil
		}
	}
	f := Finding{Kind: Outcomes, Answered: b.Record}
	calculator, end, err := a.options.Start()
	if err != nil {
		return f, err
	}
	defer end()
	in, closes, err := b.open()
	if err != nil {
		return f, err
	}
	defer closes()
	now, failed, err := calculator.Batch(ctx, b.catalog, in)
	switch {
	case err != nil:
		return f, err
	case now.Outcomes == b.Outcomes:
	case failed > 0:
		f.Outcome, f.Err = Unchecked, &FailedRowsError{failed}
	case !sameReleases(now.Releases, b.Releases):
		f.Outcome, f.Err = Unchecked, errOtherReleases
	default:
		f.Err = errOtherOutcomes
	}
	return f, nil
}

// sameReleases reports whether the same releases answered, on whatever platform.
func sameReleases(a, b []*record.Release) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Capability != b[i].Capability || a[i].Version != b[i].Version {
			return false
		}
	}
	return true
}
