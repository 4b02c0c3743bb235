package main

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
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/registry/hostkeys"
	"github.com/slipstick/slipstick/registry/regular"
	"github.com/slipstick/slipstick/sdk"
)

// ledgerCmd is about the records of what a host has answered.
type ledgerCmd struct {
	List   ledgerListCmd   `cmd:"" help:"List the segments of a ledger."`
	Find   ledgerFindCmd   `cmd:"" help:"Show records, a line for each."`
	Check  ledgerCheckCmd  `cmd:"" help:"Say whether a ledger is whole and unchanged."`
	Export ledgerExportCmd `cmd:"" help:"Write records to a file: NDJSON, Parquet or Arrow."`
}

type ledgerDir struct {
	Dir string `arg:"" help:"Directory of the ledger, or a copy of it. A host may write to it meanwhile."`
}

// vouching says which keys are a host's.
type vouching struct {
	Keys        string   `env:"SLIPSTICK_KEYS" help:"Public keys of the host: the document that it publishes, or the host itself (https://HOST), or a registry that has them." placeholder:"FILE|URL|REGISTRY"`
	Data        string   `env:"SLIPSTICK_DATA" help:"Data directory of the host instead, which has its keys." placeholder:"DIR"`
	SnapshotKey []string `env:"SLIPSTICK_SNAPSHOT_KEY" help:"Keys that are configured, as for serve, instead." placeholder:"SEED"`
	reach
}

// vouch returns what says whether a key is the host's, nil if no keys are given.
func (v *vouching) vouch(ctx context.Context) (ledger.Vouch, error) {
	var keys hostkeys.Set
	switch {
	case v.Keys != "":
		files, err := source.ReadHostKeys(ctx, v.Keys, *v.place(""))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			document, err := hostkeys.Parse(f.Data)
			if err != nil {
				return nil, &failure{exitFailed, fmt.Errorf("the keys %s: %w", f.Name, err)}
			}
			keys = append(keys, hostkeys.Named{Name: f.Name, Document: document})
		}
	case v.Data != "" || len(v.SnapshotKey) > 0:
		var err error
		keys, err = snapshot.KeysOf(v.Data, v.SnapshotKey...)
		if err != nil {
			return nil, &failure{exitMisuse, err}
		}
	default:
		return nil, nil
	}
	return func(key ed25519.PublicKey, at time.Time) error {
		_, err := keys.Signer(key, hostkeys.Ledger, at)
		return err
	}, nil
}

type ledgerListCmd struct {
	ledgerDir
	JSON bool `help:"Print one JSON array."`
}

func (c *ledgerListCmd) Run(s streams) error {
	report, err := ledger.Check(c.Dir, nil)
	if err != nil {
		return &failure{exitMisuse, err}
	}
	return terminal.Segments(s.out, report, c.JSON)
}

type ledgerCheckCmd struct {
	ledgerDir
	vouching
	Roots string `name:"tsa-roots" type:"existingfile" help:"Certificates, in PEM, of those whose time stamps count. Without them time stamps are not looked at." placeholder:"FILE"`
	JSON  bool   `help:"Print one object with every finding."`
}

// maxRoots bounds the file of certificates, in bytes.
const maxRoots = 1 << 20

func (c *ledgerCheckCmd) Run(ctx context.Context, s streams) error {
	vouch, err := c.vouch(ctx)
	if err != nil {
		return err
	}
	o := &ledger.CheckOptions{Vouch: vouch}
	if c.Roots != "" {
		pem, err := regular.Read(c.Roots, maxRoots)
		if err != nil {
			return &failure{exitMisuse, err}
		}
		roots, err := timestamp.Roots(pem)
		if err != nil {
			return &failure{exitMisuse, fmt.Errorf("--tsa-roots %s: %w", c.Roots, err)}
		}
		o.Stamped = func(stamp []byte, digest [32]byte) (time.Time, error) { return timestamp.Verify(stamp, digest, roots) }
	}
	report, err := ledger.Check(c.Dir, o)
	if err != nil {
		return &failure{exitMisuse, err}
	}
	failed, unchecked, err := terminal.Checked(s.out, report, vouch != nil, c.JSON)
	switch {
	case err != nil:
		return err
	case failed > 0:
		return &failure{exitFailed, fmt.Errorf("%s found", terminal.Count(failed, "fault"))}
	case unchecked > 0:
		return errors.New("not everything could be checked")
	}
	return nil
}

// chosen has the members of [ledger.Filter], and the help of each.
type chosen struct {
	Capability string     `help:"Of this capability." placeholder:"ID"`
	Version    string     `name:"calculation-version" help:"Of this version." placeholder:"VERSION"`
	Request    string     `help:"Of the call with this X-Request-Id." placeholder:"ID"`
	Receipt    string     `help:"The one with this receipt, or its part before the key: SEGMENT/LEAF." placeholder:"RECEIPT"`
	Code       string     `help:"Refused with this code." placeholder:"CODE"`
	Since      *time.Time `format:"2006-01-02T15:04:05Z07:00" help:"Answered at this time or later." placeholder:"TIME"`
	Until      *time.Time `format:"2006-01-02T15:04:05Z07:00" help:"Answered before this time." placeholder:"TIME"`
}

type ledgerFindCmd struct {
	ledgerDir
	chosen
}

func (c *ledgerFindCmd) Run(s streams) error {
	found := 0
	filter := ledger.Filter(c.chosen)
	err := filter.Each(c.Dir, func(segment *ledger.Segment, leaf uint64, r *record.Record) error {
		found++
		return terminal.Record(s.out, segment, leaf, r)
	})
	switch {
	case err != nil:
		return &failure{exitFailed, err}
	case found == 0:
		return &failure{exitFailed, errors.New("no record is as you ask for")}
	}
	return nil
}

type ledgerExportCmd struct {
	ledgerDir
	chosen
	Format table.Format `enum:",ndjson,parquet,arrow,arrows" default:"" help:"How to write: ndjson, parquet, arrow or arrows (the streaming form). With --capability and --calculation-version, all but ndjson have a column for each input and result of that release, which is read from the registry. Default: as the name of --out ends; else ndjson." placeholder:"FORMAT"`
	Out    string       `short:"o" help:"Write to this file, which appears when it is complete. Default: stdout." placeholder:"FILE"`

	origin
}

func (c *ledgerExportCmd) Run(ctx context.Context, s streams) error {
	format := cmp.Or(c.Format, table.FormatOf(c.Out), table.NDJSON)
	if format != table.NDJSON && !format.IsColumns() {
		return &failure{exitMisuse, fmt.Errorf("records are written as ndjson, parquet, arrow or arrows, and not as %s", format)}
	}
	err := table.WriteFile(c.Out, terminal.Plain(s.out), func(w io.Writer) error {
		if format == table.NDJSON {
			return c.each(func(place string, r *record.Record) error { return terminal.RecordJSON(w, place, r) })
		}
		spec, err := c.spec(ctx, s.err)
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
	if is[*table.OutputError](err) {
		return &failure{exitMisuse, fmt.Errorf("--out %w", err)}
	}
	return err
}

// each calls do with the records that are asked for.
func (c *ledgerExportCmd) each(do func(place string, r *record.Record) error) error {
	filter := ledger.Filter(c.chosen)
	err := filter.Each(c.Dir, func(segment *ledger.Segment, leaf uint64, r *record.Record) error {
		return do(segment.Place(leaf), r)
	})
	if err != nil {
		return &failure{exitFailed, err}
	}
	return nil
}

// spec is the Spec of the release that is asked for, nil if none is.
func (c *ledgerExportCmd) spec(ctx context.Context, warn io.Writer) (*sdk.Spec, error) {
	if c.Capability == "" || c.Version == "" {
		return nil, nil
	}
	catalog, err := c.catalog(ctx, warn, false)
	if err != nil {
		return nil, err
	}
	of := catalog.Known(c.Capability, c.Version)
	if of == nil {
		return nil, &failure{exitFailed, fmt.Errorf("the registry does not have %s %s, which says what the columns are", c.Capability, c.Version)}
	}
	return &of.Spec, nil
}
