package main

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
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/replay"
	"github.com/slipstick/slipstick/host/internal/archive/stored"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
)

// recomputing is what replay and impact have in common.
type recomputing struct {
	JSON  bool   `help:"Print one object with everything that was found."`
	JUnit string `name:"junit" help:"Write JUnit XML to this file too." placeholder:"FILE"`
	Data  string `default:"${data}" env:"SLIPSTICK_DATA" help:"Data directory of a host, with the snapshots of short ids." placeholder:"DIR"`

	Of      string         `help:"What computed tables that do not say it, as CSV does not: CAPABILITY@VERSION." placeholder:"RELEASE" complete:"release"`
	Decimal typed.Decimals `enum:",point,comma" default:"" help:"The mark before the decimals of such a table, as it was declared to slipstick calc --batch." placeholder:"comma|point"`
	Tag     []string       `sep:"none" help:"A column of such a table that is no input, whatever it is called. Can be given several times." placeholder:"COLUMN"`

	origin
	trusting
	confinement
}

// stored says what is read.
func (c *recomputing) stored() (o stored.Options, err error) {
	o.Data = c.Data
	if c.Of == "" {
		if c.Decimal != "" || len(c.Tag) > 0 {
			return o, &failure{exitMisuse, errors.New("--decimal and --tag go with --of")}
		}
		return o, nil
	}
	id, version, named := strings.Cut(c.Of, "@")
	if !named {
		return o, &failure{exitMisuse, fmt.Errorf("--of %s names no version; write it as %s@1.0.0", c.Of, c.Of)}
	}
	o.Of = &table.Origin{Capability: id, Version: version, Decimals: cmp.Or(c.Decimal, typed.ByFile), Tags: c.Tag}
	return o, nil
}

// engineTime is that of a command whose results nobody waits for: on a busy machine an engine that
// is silent for a moment is not replaced.
const engineTime = 5 * time.Second

// begin reads the registry and makes what computes.
func (c *recomputing) begin(ctx context.Context, s streams) (*catalog.Catalog, *calc.Service, *pool.Pool, error) {
	published, err := c.catalog(ctx, s.err, true, c.trusting)
	if err != nil {
		return nil, nil, nil, err
	}
	own := c.origin.own()
	own.Data, own.Trust = cmp.Or(c.Data, own.Data), c.Trust
	running, err := c.startWith(s.err, &pool.Options{ProbeEvery: engineTime, ProbeTimeout: engineTime}, own)
	if err != nil {
		return nil, nil, nil, err
	}
	return published, calc.New(published, running, nil), running, nil
}

// write writes a report in every form that is asked for.
func (c *recomputing) write(s streams, report any, text func(io.Writer) error, junit func(io.Writer) error) error {
	if c.JUnit != "" {
		if err := writeFile(c.JUnit, junit); err != nil {
			return err
		}
	}
	if !c.JSON {
		return text(s.out)
	}
	return json.NewEncoder(terminal.Plain(s.out)).Encode(report)
}

// writeFile writes a file, once all of it is there.
func writeFile(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// notWhole says that not everything was computed, nil if it was.
func notWhole(r *replay.Report) error {
	switch {
	case r.Whole():
		return nil
	case r.Holes == 0:
		return fmt.Errorf("%d of %d results were not computed", r.Blocked(), r.Read)
	}
	return fmt.Errorf("%d of %d results were not computed; %s found", r.Blocked(), r.Read, terminal.Count(int(r.Holes), "gap"))
}

type replayCmd struct {
	Target   []string `arg:"" help:"Directory of a ledger, data directory of a host, file of a snapshot or of the answers of a batch (CSV, Parquet, Arrow, or NDJSON of output=attributed or whole ones), directory of such files, or id of a snapshot."`
	Forensic bool     `help:"Execute releases that were revoked, too. They run in the sandbox, and not without one."`

	recomputing
}

func (c *replayCmd) Run(ctx context.Context, s streams) error {
	from, err := c.stored()
	if err != nil {
		return err
	}
	catalog, service, running, err := c.begin(ctx, s)
	if err != nil {
		return err
	}
	defer running.Close()
	if box := running.Sandbox(); c.Forensic && (box.Absence() != sandbox.NotAbsent || len(box.Missing()) > 0) {
		return &failure{exitMisuse, errors.New("--forensic executes releases that were revoked, which needs a whole sandbox, and there is none here")}
	}
	show, end := terminal.Replaying(s.err)
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
		return &failure{exitFailed, fmt.Errorf("%d of %d results are different", n, report.Read)}
	case report.Read == 0 && report.Holes == 0:
		return &failure{exitMisuse, errors.New("nothing was stored there")}
	}
	return notWhole(report)
}
