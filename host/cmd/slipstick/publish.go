package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/publish"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

type publishCmd struct {
	Engines  []string `arg:"" name:"engines" help:"Engine executables for this platform, and directories of programs in Go and of tables."`
	To       string   `default:"${registry}" env:"SLIPSTICK_REGISTRY" help:"The registry: a directory, created if absent, or oci://HOST/PREFIX." placeholder:"DIR|oci://..."`
	Revision string   `help:"Source revision that the engines were built from." placeholder:"REV"`
	Source   string   `type:"existingdir" help:"Directory with the source that the executables were built from, to be recorded so that others can rebuild them. That of a program's directory is recorded anyway. A version that is published without its source gets it." placeholder:"DIR"`
	Platform []string `sep:"none" help:"The same engine for another platform, its executable or the directory of its program, and the report of slipstick check --json that was made there. Without a report it is a candidate there. May be repeated." placeholder:"OS/ARCH=PATH[,report=FILE]"`
	Link     bool     `help:"Replace each file by a hard link to the published engine, so that the disk has it once. Nothing may write into such a file. Where the file system cannot link, there are two copies."`
	Keep     bool     `help:"Keep a version that is already published with other bytes, and say so, instead of failing."`

	reach
	judging
	signing
}

func (c *publishCmd) Run(ctx context.Context, s streams) error {
	if err := existing(c.Engines); err != nil {
		return err
	}
	if len(c.Platform) > 0 && len(c.Engines) != 1 {
		return &failure{exitMisuse, errors.New("--platform adds to one engine: publish the engines one by one")}
	}
	others, err := publish.ReadOthers(ctx, c.Platform)
	if is[*build.FailedError](err) {
		return err
	}
	if err != nil {
		return &failure{exitMisuse, fmt.Errorf("--platform %w", err)}
	}
	created, err := sourceDate()
	if err != nil {
		return &failure{exitMisuse, err}
	}
	to, launch, end, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	defer end()
	show := terminal.Progress(s.err)
	refused := 0
	for path, one := range publish.All(ctx, to, c.Engines, &publish.Options{
		Launch: launch, Revision: c.Revision, Record: true, Source: c.Source, Others: others, Link: c.Link, Created: created,
		Progress: func(spec *sdk.Spec, rule string) { show(spec.Capability + " " + spec.Version + ": " + rule) },
	}) {
		show("")
		if c.tell(ctx, s, path, one, others) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		refused++
	}
	if refused > 0 {
		return &failure{exitFailed, fmt.Errorf("refused: %d of %s", refused, terminal.Count(len(c.Engines), "engine"))}
	}
	return nil
}

// sourceDate is the time that SOURCE_DATE_EPOCH gives to everything that is built, so that who
// builds it again gets the same bytes; zero if it is not set.
func sourceDate() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Time{}, nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds < 0 {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH=%q is not a number of seconds since 1970", text)
	}
	return time.Unix(seconds, 0), nil
}

// tell says what became of an engine, and reports whether it is published now.
func (c *publishCmd) tell(ctx context.Context, s streams, path string, one publish.Outcome, others []publish.Other) bool {
	if one.Err == nil {
		terminal.Published(s.out, one.Result, others)
		if one.Unrecorded != nil {
			fmt.Fprintf(s.err, "slipstick: %v\n", one.Unrecorded)
		}
		return true
	}
	var exists *registry.ExistsError
	if c.Keep && errors.As(one.Err, &exists) && ctx.Err() == nil {
		terminal.Kept(s.err, exists, path)
		return true
	}
	terminal.Refusal(s.err, one.Err)
	if ctx.Err() == nil {
		fmt.Fprintf(s.err, "refused %s: %v\n", path, one.Err)
	}
	return false
}

// open opens the registry to publish to, and makes the sandbox of the engines, until end is
// called.
func (c *publishCmd) open(ctx context.Context, s streams) (to *publish.Target, launch process.Options, end func(), err error) {
	by, err := c.signing.options(s)
	if err != nil {
		return nil, launch, nil, err
	}
	reg, err := c.place(c.To).Store(ctx, by)
	if err != nil {
		return nil, launch, nil, err
	}
	own := c.reach.own(c.To)
	own.Key = c.Sign
	launch, leave, err := c.judging.enter(s.err, own)
	if err != nil {
		reg.Close()
		return nil, launch, nil, err
	}
	return &publish.Target{Registry: reg.Registry, Draft: reg}, launch, func() { leave(); reg.Close() }, nil
}
