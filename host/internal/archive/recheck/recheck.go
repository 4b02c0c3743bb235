// Package recheck detects whether the numbers of a published release change, or are wrong, while a
// server serves it. A [Checker] does three checks, without delaying responses:
//
//   - It keeps one calculation in a hundred: a single calculation, or a row of a batch. Minutes
//     later, another process of the same engine recomputes it.
//   - It compares these calculations with the formula that the release publishes. It evaluates the
//     formula exactly and independently of the engine.
//   - Once an hour, it computes the reference vectors of each release that runs. If a release
//     becomes current, it computes the vectors of that release immediately.
//
// Processes of low priority do this work, one at a time. If a release has no running process, none
// is started for it. There are two exceptions: releases that differ, and releases that become
// current.
//
// # States
//
// A release differs from its first difference on. It agrees again after three consecutive rounds
// that computed its vectors and all its kept differences, and in which all agreed.
package recheck

import (
	"context"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/sdk/value"
)

// Engines recompute calculations.
type Engines interface {
	calc.Engines

	// Rest ends the process of a release. The next calculation starts another one.
	Rest(*catalog.Release)
	// Close ends all processes.
	Close()
}

// Options are options of [New]. Engines, Running and Catalog are required.
type Options struct {
	Engines func() (Engines, error)     // called once, before the first check
	Running func(*catalog.Release) bool // reports whether a process of the release runs for clients
	Catalog func() *catalog.Catalog     // returns the current catalog

	// Turn reports whether this server computes the vectors for the key. Among several servers, it
	// returns true on one server, and false on the others during the lifetime. If it is nil, this
	// server always computes the vectors.
	Turn func(ctx context.Context, key string, life time.Duration) bool

	Short  func() bool            // reports whether memory is short, so that no process may start; nil: it never is
	Every  int                    // one calculation in this many is kept; 100 if zero
	Round  time.Duration          // time between two rounds; 2 min if zero
	Hide   bool                   // do not log inputs, because clients may want to keep them private
	Log    *slog.Logger           // receives reports of differences; discarded if nil
	Differ func(*catalog.Release) // called after a round in which a release differed; can be nil
}

// Limits of the calculations that are kept and recomputed.
const (
	maxKept    = 64          // calculations of one release in a round
	maxBytes   = 4 << 20     // of all calculations of a round
	maxOne     = 32 << 10    // bytes of one calculation
	maxCases   = 16          // differences of one release that are recomputed in each round
	maxVectors = 100         // of one release, chosen at random if it has more
	maxLines   = 5           // log lines for one release in a round
	maxTime    = time.Minute // for one release in a round

	maxWorked = 50 * time.Millisecond // for formulas of calculations that are not known to differ

	vectorsEvery = time.Hour
	agreeAfter   = 3 // consecutive rounds that agree
)

// Checker checks the numbers of releases again. It is safe for concurrent use.
type Checker struct {
	options   Options
	published chan struct{} // has a value if the catalog has changed

	mu      sync.Mutex
	fresh   sampleSet // kept since the last round
	waiting sampleSet // kept before; due in the next round
	counts  map[count]uint64
	states  map[key]*state

	// The following belong to the goroutine of Run.
	engines  Engines
	service  *calc.Service
	current  map[string]string // current version by capability at the last look; nil at first
	inSlot   map[key]int64     // the hour in which the vectors were last checked
	promoted map[key]bool      // became current, and its vectors are not computed yet
}

// key identifies a release by its engine.
type key struct{ capability, version, engine string }

func keyOf(r *catalog.Release) key { return key{r.Capability, r.Version, r.EngineDigest} }

// sampleSet has the kept calculations of each release.
type sampleSet struct {
	of    map[key]*samples
	bytes int
}

type samples struct {
	seen  int      // number of calculations that the samples were chosen from
	texts [][]byte // see [record.AppendCalculation]
}

var _ calc.Samples = (*Checker)(nil)

// New returns a Checker. It keeps samples immediately, and checks them while [Checker.Run] runs.
func New(o *Options) *Checker {
	c := &Checker{options: *o, published: make(chan struct{}, 1)}
	if c.options.Log == nil {
		c.options.Log = slog.New(slog.DiscardHandler)
	}
	if c.options.Turn == nil {
		c.options.Turn = func(context.Context, string, time.Duration) bool { return true }
	}
	if c.options.Short == nil {
		c.options.Short = func() bool { return false }
	}
	if c.options.Differ == nil {
		c.options.Differ = func(*catalog.Release) {}
	}
	if c.options.Every <= 0 {
		c.options.Every = 100
	}
	if c.options.Round <= 0 {
		c.options.Round = 2 * time.Minute
	}
	c.fresh.of, c.waiting.of = map[key]*samples{}, map[key]*samples{}
	c.counts, c.states = map[count]uint64{}, map[key]*state{}
	c.inSlot, c.promoted = map[key]int64{}, map[key]bool{}
	return c
}

// Every implements [calc.Samples].
func (c *Checker) Every() int { return c.options.Every }

// Keep implements [calc.Samples]. Each calculation of a round is kept with the same probability.
func (c *Checker) Keep(r *catalog.Release, inputs value.Values, o record.Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.fresh.samplesOf(keyOf(r))
	s.seen++
	place := len(s.texts)
	if place >= maxKept {
		place = rand.IntN(s.seen)
		if place >= maxKept {
			return
		}
	}
	text, _ := record.AppendCalculation(nil, inputs, o)
	c.fresh.put(s, place, text)
}

func (k *sampleSet) samplesOf(of key) *samples {
	s := k.of[of]
	if s == nil {
		s = new(samples)
		k.of[of] = s
	}
	return s
}

// put stores a calculation at its place, unless it takes too many bytes.
func (k *sampleSet) put(s *samples, place int, text []byte) {
	grown := k.bytes + len(text)
	if place < len(s.texts) {
		grown -= len(s.texts[place])
	}
	switch {
	case len(text) > maxOne || grown > maxBytes:
		return
	case place < len(s.texts):
		s.texts[place] = text
	default:
		s.texts = append(s.texts, text)
	}
	k.bytes = grown
}

// next returns the calculations that are due, and starts to collect for another round.
func (c *Checker) next() sampleSet {
	c.mu.Lock()
	defer c.mu.Unlock()
	due := c.waiting
	c.waiting, c.fresh = c.fresh, sampleSet{of: map[key]*samples{}}
	return due
}

// postpone keeps calculations of a release for the next round.
func (c *Checker) postpone(of key, s *samples) {
	c.mu.Lock()
	defer c.mu.Unlock()
	to := c.waiting.samplesOf(of)
	for _, text := range s.texts {
		if len(to.texts) < maxKept {
			c.waiting.put(to, len(to.texts), text)
		}
	}
}

// Published notes that the server has another catalog. It does not wait.
func (c *Checker) Published() {
	select {
	case c.published <- struct{}{}:
	default:
	}
}

// Run checks releases until the context ends. It must be called only once.
func (c *Checker) Run(ctx context.Context) {
	defer func() {
		if c.engines != nil {
			c.engines.Close()
		}
	}()
	c.notePromotions()
	round := time.NewTicker(c.options.Round)
	defer round.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.published:
			c.notePromotions()
			c.checkReleases(ctx, sampleSet{}, func(r *catalog.Release) bool { return c.promoted[keyOf(r)] })
		case <-round.C:
			c.notePromotions()
			c.checkReleases(ctx, c.next(), func(*catalog.Release) bool { return true })
		}
	}
}

// notePromotions notes which releases have become current. Releases that were current at the start
// do not count.
func (c *Checker) notePromotions() {
	current := map[string]string{}
	for _, e := range c.options.Catalog().Entries() {
		current[e.ID] = e.Current
		r := e.Version(e.Current)
		if c.current != nil && r != nil && c.current[e.ID] != e.Current {
			c.promoted[keyOf(r)] = true
		}
	}
	c.current = current
}

// checkReleases checks the wanted releases, one after the other.
func (c *Checker) checkReleases(ctx context.Context, due sampleSet, wanted func(*catalog.Release) bool) {
	known := map[key]bool{}
	for _, e := range c.options.Catalog().Entries() {
		for _, r := range e.Releases {
			if !r.Available() || !r.Lifecycle.Serves() {
				continue
			}
			known[keyOf(r)] = true
			if ctx.Err() == nil && wanted(r) {
				c.checkRelease(ctx, r, due.of[keyOf(r)])
			}
		}
	}
	c.forget(known)
}

// forget removes the state of releases that are not served any more.
func (c *Checker) forget(known map[key]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range c.states {
		if !known[k] {
			delete(c.states, k)
		}
	}
	for k := range c.inSlot {
		if !known[k] {
			delete(c.inSlot, k)
		}
	}
	for k := range c.promoted {
		if !known[k] {
			delete(c.promoted, k)
		}
	}
}

// checkRelease does the checks that are due for one release.
func (c *Checker) checkRelease(ctx context.Context, r *catalog.Release, due *samples) {
	k := keyOf(r)
	vectors, differs := c.vectorsDue(k), c.differing(k)
	switch {
	case due == nil && !vectors && differs == nil:
		return
	case differs == nil && !c.promoted[k] && !c.options.Running(r), c.options.Short():
		if due != nil {
			c.postpone(k, due)
		}
		return
	}
	vectors = vectors && c.turn(ctx, k) || differs != nil
	v := &releaseCheck{checker: c, release: r, vectors: vectors}
	if due != nil {
		v.texts = due.texts
	}
	if differs != nil {
		v.cases = differs.cases
	}
	if len(v.texts) == 0 && !vectors || !c.ready() {
		return
	}
	defer c.engines.Rest(r)
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	v.run(ctx)
	c.conclude(v)
}

// ready starts the engines and the service if necessary, and reports whether they run.
func (c *Checker) ready() bool {
	if c.engines != nil {
		return true
	}
	engines, err := c.options.Engines()
	if err != nil {
		c.options.Log.Error("the server cannot check results again", "error", err)
		return false
	}
	c.engines = engines
	c.service = calc.New(catalog.New(nil), engines, &calc.Options{Timeout: maxTime / 2})
	return true
}

// slot returns the number of the current hour for a release. Hours start at different times for
// different engines, and at the same time on all servers.
func slot(k key) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(k.engine))
	shift := time.Duration(h.Sum64() % uint64(vectorsEvery))
	return time.Now().Add(shift).UnixNano() / int64(vectorsEvery)
}

// vectorsDue reports whether the vectors of a release are due. They are not due in the hour in
// which the Checker first sees the release.
func (c *Checker) vectorsDue(k key) bool {
	last, seen := c.inSlot[k]
	if !seen {
		c.inSlot[k] = slot(k)
	}
	return c.promoted[k] || seen && last != slot(k)
}

// turn reports whether this server computes the vectors now, and notes that the hour is done.
func (c *Checker) turn(ctx context.Context, k key) bool {
	name, life := "hour."+time.Unix(0, slot(k)*int64(vectorsEvery)).UTC().Format("2006-01-02T15"), 2*vectorsEvery
	if c.promoted[k] {
		name, life = "promoted", time.Minute
	}
	delete(c.promoted, k)
	c.inSlot[k] = slot(k)
	return c.options.Turn(ctx, k.engine+":"+name, life)
}

// Difference is a release that differs.
type Difference struct {
	Capability, Version string
	Since               time.Time
	Why                 string // the first difference in words, without inputs or results
}

// Differences lists the releases that differ and are served, sorted by capability and version. It
// omits withdrawn releases.
func (c *Checker) Differences() (list []Difference) {
	catalog := c.options.Catalog()
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, s := range c.states {
		e, err := catalog.Find(k.capability)
		if err != nil {
			continue
		}
		r := e.Version(k.version)
		if r != nil && r.Lifecycle.Serves() && r.EngineDigest == k.engine {
			list = append(list, Difference{k.capability, k.version, s.since, s.why})
		}
	}
	slices.SortFunc(list, func(a, b Difference) int {
		return slices.Compare([]string{a.Capability, a.Version}, []string{b.Capability, b.Version})
	})
	return list
}

// count is the key of a counter: checks of a release, by kind and result.
type count struct{ capability, version, check, result string }

// Counts calls add with the number of checks for each combination of the labels capability,
// version, check and result.
func (c *Checker) Counts(add func(n float64, labels ...string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for of, n := range c.counts {
		add(float64(n), of.capability, of.version, of.check, of.result)
	}
}
