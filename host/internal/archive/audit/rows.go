package audit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/versions"
)

// Errors in findings about the rows of a batch.
var (
	errOtherOutcomes = errors.New("some recomputed rows differ from the recorded outcomes; run slipstick replay on the results to find them")
	errOtherReleases = errors.New("the version of each row is not known: the current version changed during the batch, or the transparency log here does not show it")
)

// FailedRowsError means that some rows had no outcome because an engine failed.
type FailedRowsError struct{ Rows uint64 }

func (e *FailedRowsError) Error() string {
	return fmt.Sprintf("the service failed to answer %d of the rows", e.Rows)
}

// recordedBatch is the record of a batch, with a catalog in which the releases that computed the batch
// are current.
type recordedBatch struct {
	*record.Record
	catalog *catalog.Catalog
	file    string
}

// catalogOf returns a copy of the catalog for the batch of a record. A release that alone computed
// the rows of its capability is current there, and the tables are as they were.
func (a *Audit) catalogOf(r *record.Record) *catalog.Catalog {
	answered := map[string][]string{}
	for _, release := range r.Named() {
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
	return catalog.New(list)
}

// open opens the file of rows, and returns a function that closes it. The file is read with the
// options of the recorded request.
func (b *recordedBatch) open() (batch.Input, func(), error) {
	f, err := os.Open(b.file)
	if err != nil {
		return nil, nil, err
	}
	format := table.FormatOf(b.file)
	if !format.IsTable() {
		return batch.NewLines(f, b.Terms.Capability), func() { _ = f.Close() }, nil
	}
	o := &table.Options{Decimals: typed.Decimals(b.Terms.Decimals), Tags: b.Terms.Tags, Version: b.version()}
	sheet, err := table.Open(b.catalog, format, b.Terms.Capability, b.pins(), f, o)
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return sheet, func() { _, _ = sheet.Close(), f.Close() }, nil
}

// pins returns the pins of all rows. If one release computed the rows of a table without pins, the
// pin is the version of that release. So no log is needed to find the version that was current.
func (b *recordedBatch) pins() []versions.Pin {
	if b.version() != "" {
		return slices.DeleteFunc(slices.Clone(b.Terms.Pins), isOfTable)
	}
	if table.FormatOf(b.file).IsTable() && len(b.Releases) == 1 {
		return []versions.Pin{{Place: versions.InHeader, Name: versions.HeaderName, Value: b.Releases[0].Version}}
	}
	return b.Terms.Pins
}

// version returns the version that computed the unpinned rows of a table with pins; otherwise "".
func (b *recordedBatch) version() string {
	if i := slices.IndexFunc(b.Terms.Pins, isOfTable); i >= 0 {
		version, _ := b.Terms.Pins[i].Value.(string)
		return version
	}
	return ""
}

func isOfTable(p versions.Pin) bool { return p.Place == versions.InTable }

// severalVersions reports whether several versions of one capability or table computed the batch. Then the
// version of a row without a pin is unknown.
func (b *recordedBatch) severalVersions() bool {
	names := map[string]bool{}
	for _, r := range b.Named() {
		names[r.Capability] = true
	}
	return len(names) < len(b.Named())
}

// answered returns the spans of rows that have outcomes, nil if all rows have.
func (b *recordedBatch) answered() []record.Span {
	if len(b.Missed) == 0 {
		return nil
	}
	list, from := []record.Span{}, uint64(0)
	for _, s := range append(slices.Clone(b.Missed), record.Span{First: b.Rows}) {
		if s.First > from {
			list = append(list, record.Span{First: from, Count: s.First - from})
		}
		from = s.First + s.Count
	}
	return list
}

// checkTable checks the release of a table that the batch read.
func (a *Audit) checkTable(used *record.Release) Finding {
	f := Finding{Kind: Tabled, Release: a.catalog.KnownTable(used.Capability, used.Version)}
	switch {
	case f.Release == nil:
		f.Err = fmt.Errorf("%s %s is not published here", used.Capability, used.Version)
	case f.Release.Digest != used.Digest:
		f.Err = fmt.Errorf("%s %s was the release %s, but the release here is %s", used.Capability, used.Version, used.Digest, f.Release.Digest)
	}
	return f
}

// checkRows checks that the rows of a file are the rows of the batch.
func (b *recordedBatch) checkRows(file string) (f Finding, err error) {
	b.file = file
	in, closes, err := b.open()
	if err != nil {
		return f, err
	}
	defer closes()
	text := sha256.New()
	var rows uint64
	for err == nil {
		var chunk batch.Chunk
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
		f.Err = fmt.Errorf("the file has %d rows with the digest %x, but the batch has %d rows with the digest %x", rows, sum, b.Rows, b.Text)
	} else if asked, ok := in.(batch.Asking); ok {
		f.Err = b.sameColumns(asked.Terms().Columns)
	}
	return f, nil
}

// sameColumns returns an error that names the first column in which the file differs from the
// batch.
func (b *recordedBatch) sameColumns(columns []string) error {
	for i := range max(len(columns), len(b.Terms.Columns)) {
		if is, was := columnAt(columns, i), columnAt(b.Terms.Columns, i); is != was {
			return fmt.Errorf("column %d of the file is %s, but was %s in the batch", i+1, is, was)
		}
	}
	return nil
}

func columnAt(columns []string, i int) string {
	switch {
	case i >= len(columns):
		return "missing"
	case columns[i] == "":
		return "no input"
	}
	return columns[i]
}

// recomputeRows recomputes all rows of a batch, and compares the digest of their outcomes.
func (a *Audit) recomputeRows(ctx context.Context, b *recordedBatch) (Finding, error) {
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
	now, err := calculator.Batch(ctx, b.catalog, in, b.pins(), b.answered())
	switch {
	case err != nil:
		return f, err
	case now.Outcomes == b.Outcomes:
	case len(now.Missed) > 0:
		f.Outcome, f.Err = Unchecked, &FailedRowsError{now.Rows - now.Answered()}
	case !sameReleases(now.Releases, b.Releases), b.severalVersions():
		f.Outcome, f.Err = Unchecked, errOtherReleases
	default:
		f.Err = errOtherOutcomes
	}
	return f, nil
}

// sameReleases reports whether two lists have the same releases. It ignores platforms.
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
