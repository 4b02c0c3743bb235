// Package recheck notices when the numbers of a published release change, or are wrong, while it is
// served. It does three things, next to the answers and never in their way:
//
//   - It keeps one calculation in a hundred, single or row of a batch. Minutes later another process
//     of the same engine computes it again.
//   - It compares these calculations with the formula that the release publishes, which it evaluates
//     exactly and independently of the engine.
//   - It computes the reference vectors of each release that runs once an hour, and those of a
//     release that becomes current at once.
//
// The work is done by processes that give way to all others, one at a time. None is started for a
// release without a running process, except for one that differs and for one that becomes current.
//
// # States
//
// A release differs from the first difference on. It agrees again after three rounds in a row in
// which its vectors and all kept differences of it were computed and agreed.
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

// Engines compute again.
type Engines interface {
	calc.Engines

	// Rest ends the process of a release. The next calculation starts another one.
	Rest(*catalog.Release)
	// Close ends all processes.
	Close()
}

// Options of a Checker. Engines, Running and Catalog are required.
type Options struct {
	Engines func() (Engines, error)     // called once, when there is work for the first time
	Running func(*catalog.Release) bool // whether a process of the release runs that answers callers
	Catalog func() *catalog.Catalog     // what is served now

	// Turn reports whether this server computes the vectors that the key names. Of several servers
	// one does, and none of the others for the time. nil: this server always does.
	Turn func(ctx context.Context, key string, life time.Duration) bool

	Short  func() bool            // whether memory is short, so that no process may be started; nil: it never is
	Every  int                    // one of so many calculations is kept; 100 if zero
	Round  time.Duration          // between two rounds; 2 min if zero
	Hide   bool                   // do not log inputs, which callers may want to keep private
	Log    *slog.Logger           // where differences are reported; discarded if nil
	Differ func(*catalog.Release) // called after a round in which a release differed; may be nil
}

// Bounds of what is kept and computed.
const (
	maxKept    = 64          // calculations of one release in a round
	maxBytes   = 4 << 20     // of all calculations of a round
	maxOne     = 32 << 10    // bytes of one calculation
	maxCases   = 16          // differences of one release that are computed again in each round
	maxVectors = 100         // of one release, chosen at random if it has more
	maxLines   = 5           // of the log for one release in a round
	maxTime    = time.Minute // for one release in a round

	maxWorked = 50 * time.Millisecond // for formulas of calculations that are not known to differ

	vectorsEvery = time.Hour
	agreeAfter   = 3 // rounds in a row that agree
)

// Checker checks the numbers of releases again. It is safe for concurrent use.
type Checker struct {
	options   Options
	published chan struct{} // has a value if the catalog has changed

	mu      sync.Mutex
	fresh   kept // taken since the last round
	waiting kept // taken before; due in the next round
	counts  map[count]uint64
	states  map[key]*state

	// The following belong to the goroutine of Run.
	engines  Engines
	service  *calc.Service
	current  map[string]string // version by capability, as it was seen last; nil at first
	inSlot   map[key]int64     // the hour in which the vectors were last looked at
	promoted map[key]bool      // became current, and its vectors were not computed yet
}

// key identifies a release by what it computes.
type key struct{ capability, version, engine string }

func keyOf(r *catalog.Release) key { return key{r.Capability, r.Version, r.EngineDigest} }

// kept are calculations by release.
type kept struct {
	of    map[key]*samples
	bytes int
}

type samples struct {
	seen  int      // how many there were to choose from
	texts [][]byte // see [record.AppendCalculation]
}

var _ calc.Samples = (*Checker)(nil)

// New returns a Checker. It keeps samples at once, and checks them while Run runs.
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

// Keep implements [calc.Samples]. Of many calculations of one round each is kept with the same
// probability.
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

func (k *kept) samplesOf(of key) *samples {
	s := k.of[of]
	if s == nil {
		s = new(samples)
		k.of[of] = s
	}
	return s
}

// put puts a calculation into its place, unless that takes too many bytes.
func (k *kept) put(s *samples, place int, text []byte) {
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

// next returns the calculations that are due.
func (c *Checker) next() kept {
	c.mu.Lock()
	defer c.mu.Unlock()
	due := c.waiting
	c.waiting, c.fresh = c.fresh, kept{of: map[key]*samples{}}
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

// Published tells that another catalog is served. It does not wait.
func (c *Checker) Published() {
	select {
	case c.published <- struct{}{}:
	default:
	}
}

// Run checks until the context ends. It is called once.
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
			c.visit(ctx, kept{}, func(r *catalog.Release) bool { return c.promoted[keyOf(r)] })
		case <-round.C:
			c.notePromotions()
			c.visit(ctx, c.next(), func(*catalog.Release) bool { return true })
		}
	}
}

// notePromotions notes which releases have become current. Those that were current at the start
// have not.
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

// visit looks at the releases that are wanted, one after the other.
func (c *Checker) visit(ctx context.Context, due kept, wanted func(*catalog.Release) bool) {
	known := map[key]bool{}
	for _, e := range c.options.Catalog().Entries() {
		for _, r := range e.Releases {
			if !r.Available() || !r.Lifecycle.Serves() {
				continue
			}
			known[keyOf(r)] = true
			if ctx.Err() == nil && wanted(r) {
				c.look(ctx, r, due.of[keyOf(r)])
			}
		}
	}
	c.forget(known)
}

// forget forgets releases that are not served any more.
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

// look does what is due for one release.
func (c *Checker) look(ctx context.Context, r *catalog.Release, due *samples) {
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
	v := &visit{checker: c, release: r, vectors: vectors}
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

// ready makes ready what computes, and reports whether that can.
func (c *Checker) ready() bool {
	if c.engines != nil {
		return true
	}
	engines, err := c.options.Engines()
	if err != nil {
		c.options.Log.Error("numbers cannot be checked again", "error", err)
		return false
	}
	c.engines = engines
	c.service = calc.New(catalog.New(nil), engines, &calc.Options{Timeout: maxTime / 2})
	return true
}

// slot returns the hour that it is for a release. Hours begin at different times for different
// engines, and at the same time on all servers.
func slot(k key) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(k.engine))
	shift := time.Duration(h.Sum64() % uint64(vectorsEvery))
	return time.Now().Add(shift).UnixNano() / int64(vectorsEvery)
}

// vectorsDue reports whether the vectors of a release are due. A release that is seen for the
// first time has had its hour.
func (c *Checker) vectorsDue(k key) bool {
	last, seen := c.inSlot[k]
	if !seen {
		c.inSlot[k] = slot(k)
	}
	return c.promoted[k] || seen && last != slot(k)
}

// turn reports whether this server computes the vectors now, and notes that it was asked.
func (c *Checker) turn(ctx context.Context, k key) bool {
	name, life := "hour."+time.Unix(0, slot(k)*int64(vectorsEvery)).UTC().Format("2006-01-02T15"), 2*vectorsEvery
	if c.promoted[k] {
		name, life = "promoted", time.Minute
	}
	delete(c.promoted, k)
	c.inSlot[k] = slot(k)
	return c.options.Turn(ctx, k.engine+":"+name, life)
}

// Difference is a release whose numbers are not what they should be.
type Difference struct {
	Capability, Version string
	Since               time.Time
	Why                 string // the first difference in words, without inputs or results
}

// Differences lists the releases that differ and are served, sorted by capability and version. One
// that was withdrawn since is left out.
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

// count is what is counted: checks of a release, by kind and result.
type count struct{ capability, version, check, result string }

// Counts gives how many checks there were, with the labels capability, version, check and result.
func (c *Checker) Counts(add func(n float64, labels ...string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for of, n := range c.counts {
		add(float64(n), of.capability, of.version, of.check, of.result)
	}
}
