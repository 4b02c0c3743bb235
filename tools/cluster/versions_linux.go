package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/tools/cluster/internal/load"
	"github.com/slipstick/slipstick/host/tools/cluster/internal/site"
)

// change is a change of the published versions.
type change struct {
	name     string
	do       func(ctx context.Context, s *site.Site) error
	from, to string        // the version of calls without a pin
	bound    time.Duration // how long servers may answer with both
}

// The bounds of docs/guides/several-servers.md. If all servers switch at one time, the bound is the precision of a clock
// and a timer, which is lower on a busy machine.
const (
	together  = 250 * time.Millisecond
	withdrawn = 1500 * time.Millisecond
)

func life(verb, version string) func(ctx context.Context, s *site.Site) error {
	return func(ctx context.Context, s *site.Site) error { return s.Life(ctx, verb, version) }
}

// changes are made one after the other, under load.
var changes = []change{
	{"publish", func(ctx context.Context, s *site.Site) error { return s.Publish(ctx, "3.0.0") }, "2.0.0", "3.0.0", together},
	{"promote", life("promote", "2.0.0"), "3.0.0", "2.0.0", together},
	{"promote back", life("promote", "3.0.0"), "2.0.0", "3.0.0", together},
	{"yank", life("yank", "3.0.0"), "3.0.0", "2.0.0", withdrawn},
	{"publish", func(ctx context.Context, s *site.Site) error { return s.Publish(ctx, "4.0.0") }, "2.0.0", "4.0.0", together},
	{"revoke", func(ctx context.Context, s *site.Site) error {
		s.Truth.Set("4.0.0", load.Changing)
		return s.Life(ctx, "revoke", "4.0.0")
	}, "4.0.0", "2.0.0", withdrawn},
}

// A watcher calls one server for the current version, without a pause.
const (
	watchRate = 200              // calls per second
	followed  = 20 * time.Second // all servers must have followed within this time
)

// versions changes the published versions, under load.
func versions(ctx context.Context, r *rig) error {
	b := r.site.HAProxy
	if err := b.Start(ctx); err != nil {
		return err
	}
	defer b.Stop()
	l := r.start(ctx, b)
	var watchers []*load.Load
	for _, h := range r.site.Servers {
		watchers = append(watchers, load.Start(ctx, h.Addr, r.site.Truth, r.site.Crowd, load.Options{Workers: 1, Rate: watchRate, Patience: patience, Current: true}))
	}
	var figures, faults []string
	for _, c := range changes {
		figure, two, err := r.change(ctx, c, append([]*load.Load{l}, watchers...))
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		figures = append(figures, figure)
		if two > c.bound {
			faults = append(faults, fmt.Sprintf("%s: two versions for longer than %s", c.name, c.bound))
		}
	}
	r.site.Truth.Set("4.0.0", load.Revoked)
	if err := pause(ctx, time.Second); err != nil {
		return err
	}
	t := l.Stop()
	for _, w := range watchers {
		seen := w.Stop()
		t.Failures = append(t.Failures, seen.Failures...)
		t.Calls[load.Current] += seen.Total()
	}
	r.site.Truth.Unpin("4.0.0")
	row := r.row("publish, promote, yank, revoke", "HAProxy", &t)
	r.none(row)
	row.Faults = append(row.Faults, faults...)
	row.Figures = append(row.Figures, figures...)
	row.Figures = append(row.Figures, fmt.Sprintf("%d pinned calls reached a server that did not know a new version yet, or knew that it was revoked", t.Changing))
	r.add(row, &t, b)
	return nil
}

// change makes one change and reports how the servers followed, and how long they answered with two versions.
func (r *rig) change(ctx context.Context, c change, loads []*load.Load) (figure string, two time.Duration, err error) {
	r.site.Truth.SetCurrent(c.from, c.to)
	began := time.Now()
	known := r.learn(ctx, c)
	if err := c.do(ctx, r.site); err != nil {
		return "", 0, err
	}
	made := time.Now()
	var seen []load.Sample
	_, err = until(ctx, "every server answers with "+c.to, followed, func() bool {
		seen = nil
		for i, l := range loads {
			s := l.Now().Current
			if i > 0 && (len(s) == 0 || s[len(s)-1].Version != c.to) {
				return false
			}
			seen = append(seen, s...)
		}
		return true
	})
	if err != nil {
		return "", 0, err
	}
	took := time.Since(made)
	r.site.Truth.SetCurrent(c.to)
	two = load.Spread(load.Since(seen, began), c.to)
	figure = fmt.Sprintf("%s: every server followed in %s, two versions for %d ms", c.name, took.Round(10*time.Millisecond), two.Milliseconds())
	if c.name != "publish" {
		return figure, two, nil
	}
	apart, err := known()
	r.site.Truth.Set(c.to, load.Served)
	return fmt.Sprintf("%s, the last knew it %d ms after the first", figure, apart.Milliseconds()), two, err
}

// learn calls every server for the version that is about to be published. The returned function reports the time
// from the first server's answer to the last server's.
func (r *rig) learn(ctx context.Context, c change) (known func() (time.Duration, error)) {
	if c.name != "publish" {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, followed)
	at, errs := make([]time.Time, len(r.site.Servers)), make([]error, len(r.site.Servers))
	var asking sync.WaitGroup
	for i, h := range r.site.Servers {
		asking.Go(func() { at[i], errs[i] = load.Known(ctx, h.Addr, r.site.Crowd, c.to) })
	}
	return func() (time.Duration, error) {
		defer stop()
		asking.Wait()
		return slices.MaxFunc(at, time.Time.Compare).Sub(slices.MinFunc(at, time.Time.Compare)), errors.Join(errs...)
	}
}
