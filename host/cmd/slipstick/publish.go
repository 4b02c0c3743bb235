package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/process"
	"github.com/slipstick/slipstick/registry"
)

type publishCmd struct {
	Engines  []string `arg:"" type:"existingfile" help:"Engine executables for this platform."`
	To       string   `default:"${registry}" env:"SLIPSTICK_REGISTRY" help:"The registry: a directory, created if absent, or oci://HOST/PREFIX." placeholder:"DIR|oci://..."`
	Revision string   `help:"Source revision that the engines were built from." placeholder:"REV"`
	Platform []string `sep:"none" help:"The same engine, built for another platform, and the report of slipstick check --json that was made there. Without a report it is a candidate there. May be repeated." placeholder:"OS/ARCH=PATH[,report=FILE]"`
	Keep     bool     `help:"Keep a version that is already published with other bytes, and say so, instead of failing."`

	reach
	judging
	signing

	turn sync.Mutex // of what compares itself with its neighbours
}

func (c *publishCmd) Help() string {
	return `Judges each engine by the conformance rules and, if it passes, adds it to the registry
in one atomic step. A published version never changes: the same bytes again are a no-op,
other bytes are refused. The pointer "current", which calls without a pin follow, moves to
a newer version that is no pre-release.

The version must say what changed, compared with the published versions next to it: a patch
answers everything alike, a minor version gives the same numbers to what was legal, and all
else is a major version. slipstick diff shows the comparison. Nothing allows an illegal one.

One version has one engine for every platform that it is to run on. This one judges the
engine for its own platform; the others are judged where they run:

  there:  slipstick check --json ENGINE > report.json
  here:   slipstick publish ENGINE --platform linux/arm64=ENGINE-arm64,report=report.json

The exit code is 0 when every engine is published, and 1 when one is refused; the others
are published all the same.`
}

func (c *publishCmd) Run(ctx context.Context, s streams) error {
	if len(c.Platform) > 0 && len(c.Engines) != 1 {
		return &failure{exitMisuse, errors.New("--platform adds to one engine: publish the engines one by one")}
	}
	foreign, err := readForeign(c.Platform)
	if err != nil {
		return &failure{exitMisuse, err}
	}
	by, err := c.signing.option(s)
	if err != nil {
		return err
	}
	reg, err := c.store(ctx, c.To, by)
	if err != nil {
		return err
	}
	defer reg.close()
	launch, end, err := c.judging.enter(s.err, slices.Concat(registryFiles(c.To), c.reach.files(), c.signing.files()))
	if err != nil {
		return err
	}
	defer end()
	show := progress(s.err)
	refused := 0
	for path, one := range c.publishAll(ctx, reg, foreign, launch, show) {
		show("")
		_, _ = s.err.Write(one.said.err.Bytes())
		_, _ = s.out.Write(one.said.out.Bytes())
		var exists *registry.ExistsError
		switch {
		case one.err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case c.Keep && errors.As(one.err, &exists):
			fmt.Fprintf(s.err, "kept %s %s as it is published: %s has other bytes; to serve them give them a new version\n",
				exists.Capability, exists.Version, path)
		default:
			refused++
			fmt.Fprintf(s.err, "refused %s: %v\n", path, one.err)
		}
	}
	if refused > 0 {
		return &failure{exitFailed, fmt.Errorf("refused: %d of %s", refused, count(len(c.Engines), "engine"))}
	}
	return nil
}

// published is what became of one engine.
type published struct {
	said struct{ out, err bytes.Buffer }
	err  error
}

// publishAll publishes the engines, as many at once as there are processors, and yields
// what became of each, in order.
func (c *publishCmd) publishAll(ctx context.Context, reg *store, foreign []foreignEngine, launch process.Options, show func(string)) iter.Seq2[string, *published] {
	return func(yield func(string, *published) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		all := make([]chan *published, len(c.Engines))
		for i := range all {
			all[i] = make(chan *published, 1)
		}
		turns := make(chan struct{}, runtime.NumCPU())
		go func() {
			for i, path := range c.Engines {
				turns <- struct{}{}
				go func() {
					defer func() { <-turns }()
					one := new(published)
					one.err = c.publish(ctx, streams{out: &one.said.out, err: &one.said.err}, reg, path, foreign, launch, show)
					all[i] <- one
				}()
			}
		}()
		for i, path := range c.Engines {
			if !yield(path, <-all[i]) {
				cancel()
				for _, rest := range all[i+1:] { // no process outlives the command
					<-rest
				}
				return
			}
		}
	}
}

func (c *publishCmd) publish(ctx context.Context, s streams, reg *store, path string, foreign []foreignEngine, launch process.Options, show func(string)) error {
	e, err := readExecutable(path, launch)
	if err != nil {
		return err
	}
	defer e.close()
	capability, version, found, err := reg.FindEngine(ctx, e.program.Digest())
	if err != nil {
		return err
	}
	revision := c.Revision
	if found {
		release, err := reg.Release(ctx, capability, version)
		if err != nil {
			return err
		}
		if err := sameEngines(release, foreign); err != nil {
			return err
		}
		if release.Problem == nil {
			if err := reg.push(ctx, capability); err != nil { // a publisher may have been cut off
				return err
			}
			fmt.Fprintf(s.out, "unchanged %s %s\n", capability, version)
			return nil
		}
		revision = release.Revision // what is damaged is written again as it was
	}
	spec, vectors, err := e.describe(ctx)
	if err != nil {
		return err
	}
	if !found { // then bytes under this version are others: no need to judge these
		published, taken, err := reg.FindVersion(ctx, spec.Capability, spec.Version)
		if err != nil {
			return err
		}
		if taken {
			return fmt.Errorf("publish %s %s: %w", spec.Capability, spec.Version, &registry.ExistsError{
				Capability: spec.Capability, Version: spec.Version, Published: published, Offered: "engine " + e.program.Digest(),
			})
		}
	}
	report := e.judge(ctx, vectors, func(rule string) { show(spec.Capability + " " + spec.Version + ": " + rule) })
	if !report.Passed {
		if err := report.WriteText(s.err); err != nil {
			return err
		}
		return errors.New("it does not conform; nothing was published")
	}
	if !found { // what is published already may be written again
		c.turn.Lock() // until it is published: the next is compared with it
		defer c.turn.Unlock()
		if err := reg.engines(ctx, spec.Capability); err != nil {
			return err
		}
		if err := mayStand(ctx, s, reg.Registry, e.compared(spec, vectors), launch); err != nil {
			return err
		}
	}
	document, err := reportJSON(report)
	if err != nil {
		return err
	}
	candidate := registry.Candidate{
		Spec: spec, Engines: map[string][]byte{ownPlatform: e.bytes},
		Vectors: vectors, Report: document, Revision: revision, Created: time.Now(),
	}
	if err := addForeign(&candidate, foreign); err != nil {
		return err
	}
	publication, err := reg.Publish(ctx, candidate)
	if err == nil {
		err = reg.push(ctx, spec.Capability)
	}
	if err != nil {
		return err
	}
	status := string(publication.Status)
	if publication.Restored > 0 {
		status = "restored"
	}
	fmt.Fprintf(s.out, "%s %s %s (%d vectors, engine %s)\n", status, spec.Capability, spec.Version,
		report.Vectors.Passed, e.program.Digest())
	for _, f := range foreign {
		fmt.Fprintf(s.out, "  %s: %s, engine %s\n", f.platform, f.tier(), publication.Engines[f.platform])
	}
	return nil
}
