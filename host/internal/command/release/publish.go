// Package release implements the commands for the way of an engine to its release. [New], [Dev], [Build] and [Fmt]
// are for development. [Check] and [Diff] judge an engine, and [Publish] adds it to a registry. [Client],
// [Rebuild] and [SBOM] work on published releases.
//
// The fields of a command are its arguments and flags, which package main declares. Run executes the command. It
// writes results to the streams, and returns an error with an exit code: see [command.End].
package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/publish"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

// Publish has the options of slipstick publish.
type Publish struct {
	Engines  []string
	To       string
	Revision string
	Source   string
	Platform []string
	Link     bool
	Keep     bool

	command.LibraryFlag
	command.RemoteFlags
	command.JudgingFlags
	command.SigningFlag
}

// Run judges engines and adds them to the registry.
func (c *Publish) Run(ctx context.Context, s command.Streams) error {
	engines, err := withDocuments(c.Engines)
	if err == nil {
		err = existing(engines)
	}
	if err != nil {
		return err
	}
	c.Engines = engines
	platforms, named, err := publish.Platforms(c.Platform)
	if err != nil {
		return command.Misuse(fmt.Errorf("--platform %w", err))
	}
	if len(named) > 0 && len(c.Engines) != 1 {
		return command.Misuse(errors.New("--platform OS/ARCH=PATH adds to one engine: publish the engines one by one"))
	}
	if i := slices.IndexFunc(c.Engines, func(path string) bool { return !publish.IsSource(path) }); i >= 0 && len(platforms) > 0 {
		return command.Misuse(fmt.Errorf("--platform %s: %s is an executable for this platform. Name the one for that platform with --platform OS/ARCH=PATH", platforms[0], c.Engines[i]))
	}
	others, err := publish.ReadOthers(ctx, named)
	if command.Is[*build.FailedError](err) {
		return err
	}
	if err != nil {
		return command.Misuse(fmt.Errorf("--platform %w", err))
	}
	created, err := sourceDate()
	if err != nil {
		return command.Misuse(err)
	}
	to, launch, end, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	defer end()
	show := terminal.Progress(s.Err)
	refused := 0
	for path, one := range publish.All(ctx, to, c.Engines, &publish.Options{
		Launch: launch, Revision: c.Revision, Record: true, Source: c.Source, Others: others, Platforms: platforms, Link: c.Link, Created: created,
		Progress: func(spec *sdk.Spec, rule string) { show(spec.Capability + " " + spec.Version + ": " + rule) },
	}) {
		show("")
		if c.report(ctx, s, path, one) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		refused++
	}
	if refused > 0 {
		return command.Refused(fmt.Errorf("refused: %d of %s", refused, terminal.Count(len(c.Engines), "engine")))
	}
	return nil
}

// sourceDate returns the time in SOURCE_DATE_EPOCH, or zero. With it, building the same engines again gives the
// same bytes.
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

// report prints the outcome for an engine, and reports whether the engine is published.
func (c *Publish) report(ctx context.Context, s command.Streams, path string, one publish.Outcome) bool {
	if one.Err == nil {
		terminal.Published(s.Out, one.Result)
		if one.Unrecorded != nil {
			fmt.Fprintf(s.Err, "slipstick: %v\n", one.Unrecorded)
		}
		return true
	}
	var exists *registry.ExistsError
	if c.Keep && errors.As(one.Err, &exists) && ctx.Err() == nil {
		terminal.Kept(s.Err, exists, path)
		return true
	}
	terminal.Refusal(s.Err, one.Err)
	if ctx.Err() == nil {
		fmt.Fprintf(s.Err, "refused %s: %s\n", path, strings.TrimPrefix(one.Err.Error(), path+": "))
	}
	return false
}

// open opens the registry to publish to, and makes the sandbox of the engines, until end is
// called.
func (c *Publish) open(ctx context.Context, s command.Streams) (target *publish.Target, launch process.Options, end func(), err error) {
	by, err := c.SigningFlag.RegistryOptions(s)
	if err != nil {
		return nil, launch, nil, err
	}
	to := c.PlaceAt(c.To)
	to.Library = c.Library
	reg, err := to.Store(ctx, by)
	if err != nil {
		return nil, launch, nil, err
	}
	own := c.RemoteFlags.OwnAt(c.To)
	own.Key = c.Sign
	launch, leave, err := c.JudgingFlags.Enter(s.Err, own)
	if err != nil {
		reg.Close()
		return nil, launch, nil, err
	}
	return &publish.Target{Registry: reg.Registry, Draft: reg}, launch, func() { leave(); reg.Close() }, nil
}
