// Package archive implements the commands for stored results. [Replay] computes them again, and [Impact] computes
// them with another release. [Verify] checks snapshots, receipts and releases, and [Lock] writes lock files. The
// other commands read a ledger, and back up snapshots. The fields of a command are its arguments and flags, and
// Run executes it.
package archive

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/slipstick/slipstick/host/internal/archive/replay"
	"github.com/slipstick/slipstick/host/internal/archive/stored"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
)

// RecomputeFlags is what replay and impact have in common.
type RecomputeFlags struct {
	JSON  bool   `help:"Print one JSON object with all findings."`
	JUnit string `name:"junit" help:"Also write JUnit XML to this file." placeholder:"FILE"`
	Data  string `default:"${data}" env:"SLIPSTICK_DATA" help:"Data directory of a server, with the snapshots of short ids." placeholder:"DIR"`

	Of      string         `help:"Release that computed the tables, if they do not name it (as in CSV): CAPABILITY@VERSION." placeholder:"RELEASE" complete:"release"`
	Decimal typed.Decimals `enum:",point,comma" default:"" help:"Decimal separator of the table, as in slipstick calc --batch." placeholder:"comma|point"`
	Tag     []string       `sep:"none" help:"Column of the table that is not an input, whatever its name is. Can be given several times." placeholder:"COLUMN"`

	command.RegistryFlags
	command.TrustFlags
	command.SandboxFlags
}

// stored returns the options for reading stored results.
func (c *RecomputeFlags) stored() (o stored.Options, err error) {
	o.Data = c.Data
	if c.Of == "" {
		if c.Decimal != "" || len(c.Tag) > 0 {
			return o, command.Misuse(errors.New("--decimal and --tag go with --of"))
		}
		return o, nil
	}
	id, version, named := strings.Cut(c.Of, "@")
	if !named {
		return o, command.Misuse(fmt.Errorf("--of %s names no version; write it as %s@1.0.0", c.Of, c.Of))
	}
	o.Of = &table.Origin{Capability: id, Version: version, Decimals: cmp.Or(c.Decimal, typed.ByFile), Tags: c.Tag}
	return o, nil
}

// start reads the registry and starts a service for its engines.
func (c *RecomputeFlags) start(ctx context.Context, s command.Streams) (*catalog.Catalog, *calc.Service, *pool.Pool, error) {
	published, err := c.Catalog(ctx, s.Err, true, c.TrustFlags)
	if err != nil {
		return nil, nil, nil, err
	}
	own := c.RegistryFlags.Own()
	own.Data, own.Trust = cmp.Or(c.Data, own.Data), c.Trust
	running, err := c.NewPool(s.Err, &pool.Options{ProbeEvery: command.EngineTime, ProbeTimeout: command.EngineTime}, own)
	if err != nil {
		return nil, nil, nil, err
	}
	return published, calc.New(published, running, nil), running, nil
}

// write writes a report in every form that is asked for.
func (c *RecomputeFlags) write(s command.Streams, report any, text func(io.Writer) error, junit func(io.Writer) error) error {
	if c.JUnit != "" {
		if err := writeFile(c.JUnit, junit); err != nil {
			return err
		}
	}
	if !c.JSON {
		return text(s.Out)
	}
	return json.NewEncoder(terminal.Plain(s.Out)).Encode(report)
}

// writeFile writes a file, once all of it is there.
func writeFile(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// notWhole returns an error if some results were not computed.
func notWhole(r *replay.Report) error {
	switch {
	case r.Whole():
		return nil
	case r.Holes == 0:
		return fmt.Errorf("%d of %d results were not computed", r.Blocked(), r.Read)
	}
	return fmt.Errorf("%d of %d results were not computed; %s found", r.Blocked(), r.Read, terminal.Count(int(r.Holes), "gap"))
}

// Replay has the options of slipstick replay.
type Replay struct {
	Target   []string
	Forensic bool

	RecomputeFlags
}

// Run computes stored results again and compares them.
func (c *Replay) Run(ctx context.Context, s command.Streams) error {
	from, err := c.stored()
	if err != nil {
		return err
	}
	catalog, service, running, err := c.start(ctx, s)
	if err != nil {
		return err
	}
	defer running.Close()
	if box := running.Sandbox(); c.Forensic && (box.Absence() != sandbox.NotAbsent || len(box.Missing()) > 0) {
		return command.Misuse(errors.New("--forensic executes releases that were revoked, which needs a whole sandbox, and there is none here"))
	}
	show, end := terminal.Replaying(s.Err)
	report, err := replay.Run(ctx, catalog, service, c.Target, &replay.Options{
		Stored: from, Forensic: c.Forensic, Progress: show,
	})
	end()
	if err != nil {
		return err
	}
	if err := c.write(s, report, func(w io.Writer) error { return terminal.Replayed(w, report) }, report.WriteJUnit); err != nil {
		return err
	}
	switch n := report.Different(); {
	case n > 0:
		return command.Refused(fmt.Errorf("%d of %d results are different", n, report.Read))
	case report.Read == 0 && report.Holes == 0:
		return command.Misuse(errors.New("nothing was stored there"))
	}
	return notWhole(report)
}
