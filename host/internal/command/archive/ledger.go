package archive

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/export"
	"github.com/slipstick/slipstick/host/internal/archive/ledger"
	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/archive/timestamp"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/registry/hostkeys"
	"github.com/slipstick/slipstick/registry/regular"
	"github.com/slipstick/slipstick/sdk"
)

// vouch returns a function that checks whether a key is a key of the server. It returns nil if no keys are given.
func (c *CheckLedger) vouch(ctx context.Context) (ledger.Vouch, error) {
	var keys hostkeys.Set
	switch {
	case c.Keys != "":
		files, err := source.ReadHostKeys(ctx, c.Keys, *c.RemoteFlags.PlaceAt(""))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			document, err := hostkeys.Parse(f.Data)
			if err != nil {
				return nil, command.Refused(fmt.Errorf("the keys %s: %w", f.Name, err))
			}
			keys = append(keys, hostkeys.Named{Name: f.Name, Document: document})
		}
	case c.Data != "" || len(c.SnapshotKey) > 0:
		var err error
		keys, err = snapshot.KeysOf(c.Data, c.SnapshotKey...)
		if err != nil {
			return nil, command.Misuse(err)
		}
	default:
		return nil, nil
	}
	return func(key ed25519.PublicKey, at time.Time) error {
		_, err := keys.Signer(key, hostkeys.Ledger, at)
		return err
	}, nil
}

// ListLedger has the options of slipstick ledger list.
type ListLedger struct {
	Dir  string
	JSON bool
}

// Run lists the segments of a ledger.
func (c *ListLedger) Run(s command.Streams) error {
	report, err := ledger.Check(c.Dir, nil)
	if err != nil {
		return command.Misuse(err)
	}
	return terminal.Segments(s.Out, report, c.JSON)
}

// CheckLedger has the options of slipstick ledger check.
type CheckLedger struct {
	Dir string

	Keys        string
	Data        string
	SnapshotKey []string
	command.RemoteFlags
	Roots string
	JSON  bool
}

// maxRoots bounds the file of certificates, in bytes.
const maxRoots = 1 << 20

// Run reports faults of a ledger.
func (c *CheckLedger) Run(ctx context.Context, s command.Streams) error {
	vouch, err := c.vouch(ctx)
	if err != nil {
		return err
	}
	o := &ledger.CheckOptions{Vouch: vouch}
	if c.Roots != "" {
		pem, err := regular.Read(c.Roots, maxRoots)
		if err != nil {
			return command.Misuse(err)
		}
		roots, err := timestamp.Roots(pem)
		if err != nil {
			return command.Misuse(fmt.Errorf("--tsa-roots %s: %w", c.Roots, err))
		}
		o.Stamped = func(stamp []byte, digest [32]byte) (time.Time, error) { return timestamp.Verify(stamp, digest, roots) }
	}
	report, err := ledger.Check(c.Dir, o)
	if err != nil {
		return command.Misuse(err)
	}
	failed, unchecked, err := terminal.Checked(s.Out, report, vouch != nil, c.JSON)
	switch {
	case err != nil:
		return err
	case failed > 0:
		return command.Refused(fmt.Errorf("%s found", terminal.Count(failed, "fault")))
	case unchecked > 0:
		return errors.New("not everything could be checked")
	}
	return nil
}

// RecordFlags has the members of [ledger.Filter], and the help of each.
type RecordFlags struct {
	Capability string     `help:"Only records of this capability." placeholder:"ID"`
	Version    string     `name:"calculation-version" help:"Only records of this version." placeholder:"VERSION"`
	Request    string     `help:"Only records of the call with this X-Request-Id." placeholder:"ID"`
	Receipt    string     `help:"Only the record with this receipt, or with the part SEGMENT/LEAF of a receipt." placeholder:"RECEIPT"`
	Code       string     `help:"Only records that were rejected with this code." placeholder:"CODE"`
	Since      *time.Time `format:"2006-01-02T15:04:05Z07:00" help:"Only answers at this time or later." placeholder:"TIME"`
	Until      *time.Time `format:"2006-01-02T15:04:05Z07:00" help:"Only answers before this time." placeholder:"TIME"`
}

// FindRecords has the options of slipstick ledger find.
type FindRecords struct {
	Dir string
	RecordFlags
}

// Run prints the records that match.
func (c *FindRecords) Run(s command.Streams) error {
	found := 0
	filter := ledger.Filter(c.RecordFlags)
	err := filter.Each(c.Dir, func(segment *ledger.Segment, leaf uint64, r *record.Record) error {
		found++
		return terminal.Record(s.Out, segment, leaf, r)
	})
	switch {
	case err != nil:
		return command.Refused(err)
	case found == 0:
		return command.Refused(errors.New("no record is as you ask for"))
	}
	return nil
}

// ExportRecords has the options of slipstick ledger export.
type ExportRecords struct {
	Dir string
	RecordFlags
	Format string
	Out    string

	command.RegistryFlags
}

// Run writes records to a file.
func (c *ExportRecords) Run(ctx context.Context, s command.Streams) error {
	format := cmp.Or(table.Format(c.Format), table.FormatOf(c.Out), table.NDJSON)
	if format != table.NDJSON && !format.IsColumns() {
		return command.Misuse(fmt.Errorf("records are written as ndjson, parquet, arrow or arrows, and not as %s", format))
	}
	err := table.WriteFile(c.Out, terminal.Plain(s.Out), func(w io.Writer) error {
		if format == table.NDJSON {
			return c.each(func(place string, r *record.Record) error { return terminal.RecordJSON(w, place, r) })
		}
		spec, err := c.spec(ctx, s.Err)
		if err != nil {
			return err
		}
		to, err := export.NewWriter(w, format.WriterFunc(), spec)
		if err != nil {
			return err
		}
		if err := c.each(to.Add); err != nil {
			return err
		}
		return to.Close()
	})
	if command.Is[*table.OutputError](err) {
		return command.Misuse(fmt.Errorf("--out %w", err))
	}
	return err
}

// each calls do with the records that are asked for.
func (c *ExportRecords) each(do func(place string, r *record.Record) error) error {
	filter := ledger.Filter(c.RecordFlags)
	err := filter.Each(c.Dir, func(segment *ledger.Segment, leaf uint64, r *record.Record) error {
		return do(segment.Place(leaf), r)
	})
	if err != nil {
		return command.Refused(err)
	}
	return nil
}

// spec is the Spec of the release that is asked for, nil if none is.
func (c *ExportRecords) spec(ctx context.Context, warn io.Writer) (*sdk.Spec, error) {
	if c.Capability == "" || c.Version == "" {
		return nil, nil
	}
	catalog, err := c.Catalog(ctx, warn, false)
	if err != nil {
		return nil, err
	}
	of := catalog.Known(c.Capability, c.Version)
	if of == nil {
		return nil, command.Refused(fmt.Errorf("the registry does not have %s %s, which defines the columns", c.Capability, c.Version))
	}
	return &of.Spec, nil
}
