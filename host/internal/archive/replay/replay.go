// Package replay recomputes stored results, and compares them bit by bit. [Run] recomputes results
// with the releases that computed them. [Impact] recomputes them with another release. Both compute
// in columns, release by release, and need bounded memory for any number of results.
package replay

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/archive/stored"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/value"
)

// Obstacle is the reason why a stored result cannot be recomputed.
type Obstacle string

// The obstacles.
const (
	NotPublished Obstacle = "not_published" // the registry does not have the capability or version
	OtherRelease Obstacle = "other_release" // the release in the registry has other bytes than the release that computed
	Revoked      Obstacle = "revoked"
	Platform     Obstacle = "platform" // no engine for this platform
	Damaged      Obstacle = "damaged"  // the release cannot be served
	Hashed       Obstacle = "hashed"   // the file has only the hash of the inputs, not the inputs
	Unreadable   Obstacle = "unreadable"
	NotAnswered  Obstacle = "not_answered"  // there was no answer, for a reason other than the inputs
	Figures      Obstacle = "figures"       // the version of a table with values of the inputs is not known, or not published
	Failed       Obstacle = "failed"        // the engine failed
	InputRemoved Obstacle = "input_gone"    // the other release has no such input
	InputNew     Obstacle = "input_new"     // the other release needs an input that was not stored
	OtherForm    Obstacle = "other_form"    // an input has another type, unit or form in the other release
	OtherDefault Obstacle = "other_default" // the input has its default, and the other release has another default
	OtherUnit    Obstacle = "other_unit"    // a result has another unit in the other release
	NotMade      Obstacle = "not_made"      // the release cannot be made again with the other release of a step
)

// Calculator recomputes many calculations with a release. A rejection is an outcome, not an error.
type Calculator interface {
	RecomputeAll(ctx context.Context, r *registry.Release, rows []value.Values) ([]calc.Recomputed, error)
}

// Options are options of [Run] and [Impact]. The zero value is usable.
type Options struct {
	Stored   stored.Options
	Forensic bool // also compute with revoked releases

	// Progress receives the number of compared results, and the part of the files that was read,
	// from 0 to 1.
	Progress func(compared uint64, read float64)

	// Replace makes a release again, in which the release of [Impact] replaces every version of a
	// step. Without it, Impact leaves out the releases that use the capability.
	Replace func(ctx context.Context, r *registry.Release) (*registry.Release, error)
}

// Run recomputes stored results with the releases that computed them. The error is as from
// [stored.Read], or the error of the context.
func Run(ctx context.Context, catalog *catalog.Catalog, calculator Calculator, targets []string, o *Options) (*Report, error) {
	s := newStream(ctx, catalog, calculator, o)
	s.plan = func(of stored.Release) *lot {
		l := &lot{Group: &Group{Release: of}}
		r, obstacle, why := published(catalog, of)
		if obstacle == "" {
			obstacle, why = runnable(r, s.options.Forensic)
		}
		if obstacle == "" {
			obstacle, why = l.compare(r, r)
		}
		l.Obstacle, l.Why = obstacle, why
		return l
	}
	return s.run(targets)
}

// published finds the release that computed a stored result.
func published(catalog *catalog.Catalog, of stored.Release) (*registry.Release, Obstacle, string) {
	entry, err := catalog.Find(of.Capability)
	if err != nil {
		return nil, NotPublished, "the registry does not have the capability"
	}
	i := slices.IndexFunc(entry.Releases, func(r *registry.Release) bool { return r.Version == of.Version })
	if i < 0 {
		return nil, NotPublished, "the registry does not have the version"
	}
	r := entry.Releases[i]
	if of.Digest != "" && r.Digest != of.Digest {
		return nil, OtherRelease, "it was computed by the release " + of.Digest + ", and the registry has " + r.Digest
	}
	if of.Engine == "" {
		return r, "", ""
	}
	for _, engine := range r.Engines {
		if engine == of.Engine {
			return r, "", ""
		}
	}
	if len(r.Engines) == 0 && r.EngineDigest == of.Engine {
		return r, "", ""
	}
	return nil, OtherRelease, "it was computed by the engine " + of.Engine + ", which the release does not have"
}

// runnable returns the obstacle that prevents a release from running here, and why.
func runnable(r *registry.Release, forensic bool) (Obstacle, string) {
	if platform, missing := errors.AsType[*registry.PlatformError](r.Problem); missing {
		return Platform, platform.Error()
	}
	switch {
	case r.Problem != nil:
		return Damaged, r.Problem.Error()
	case r.Lifecycle.State == evidence.Revoked && !forensic:
		return Revoked, r.Lifecycle.Reason
	}
	return "", ""
}

// Limits of the calculations that wait to be computed.
const (
	chunkRows  = 2048
	chunkBytes = 4 << 20
	maxRows    = 1 << 15
	maxBytes   = 64 << 20
	maxGroups  = 10_000 // of unknown releases; a registry has fewer
)

// lot collects the calculations of one release.
type lot struct {
	*Group
	by       *registry.Release // computed the stored results
	with     *registry.Release // computes now
	results  *table.Results    // form of the stored results
	comparer *compare.Comparer

	inputs *compare.Inputs // adapts inputs to the release with; nil if they stay as they are

	mu      sync.Mutex
	waiting []*numbered
	bytes   int
}

// compare prepares the lot to compare stored results of the release by with results of the release
// with.
func (l *lot) compare(by, with *registry.Release) (Obstacle, string) {
	was, err := l.Form.Of(&by.Spec)
	if err != nil {
		return Unreadable, err.Error()
	}
	is, err := l.Form.Of(&with.Spec)
	if err != nil {
		return OtherUnit, err.Error()
	}
	l.by, l.with, l.results = by, with, is
	l.comparer = compare.New(&sdk.Spec{Outputs: was.Outputs()}, &sdk.Spec{Outputs: is.Outputs()})
	return "", ""
}

// numbered is a stored calculation with its number in the order of reading.
type numbered struct {
	*stored.Calculation
	n uint64
}

// stream groups calculations by release, and passes them to workers.
type stream struct {
	ctx        context.Context
	end        context.CancelCauseFunc
	calculator Calculator
	options    Options
	notMade    error                                              // why the release of an Effect cannot be made
	plan       func(stored.Release) *lot                          // nil if the release is not part of the replay
	changed    func(n uint64, name string, c *compare.Comparison) // replaces Examples if it is set
	others     map[version]bool                                   // the first releases that are not part of the replay

	report  *Report
	lots    map[stored.Release]*lot // several stored releases can lead to the same lot
	all     []*lot
	unknown *lot // collects further unknown releases after the first maxGroups
	read    float64
	rows    int
	bytes   int
	work    chan *chunk

	mu       sync.Mutex
	compared uint64
}

// version is a version of a capability.
type version struct{ capability, version string }

// chunk is the part of a lot that one worker computes at a time.
type chunk struct {
	lot  *lot
	rows []*numbered
}

func newStream(ctx context.Context, catalog *catalog.Catalog, calculator Calculator, o *Options) *stream {
	s := &stream{calculator: calculator, report: &Report{}, lots: map[stored.Release]*lot{}, others: map[version]bool{}, work: make(chan *chunk)}
	s.ctx, s.end = context.WithCancelCause(ctx)
	if o != nil {
		s.options = *o
	}
	s.options.Stored.Catalog = catalog
	return s
}

func (s *stream) run(targets []string) (*Report, error) {
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) + 1 { // while one worker waits for an engine, others read and compare
		workers.Go(func() {
			for c := range s.work {
				s.compute(c)
			}
		})
	}
	err := stored.Read(s.ctx, targets, s, &s.options.Stored)
	for _, l := range s.all {
		if err == nil && len(l.waiting) > 0 {
			err = s.send(l)
		}
	}
	close(s.work)
	workers.Wait()
	if cause := context.Cause(s.ctx); cause != nil {
		err = cause
	}
	s.end(nil)
	if err != nil {
		return nil, err
	}
	for _, l := range s.all {
		s.report.Groups = append(s.report.Groups, l.Group)
	}
	s.report.finish()
	return s.report, nil
}

// Calculation implements [stored.Reader].
func (s *stream) Calculation(c *stored.Calculation) error {
	s.report.Read++
	l := s.lot(c.Release)
	if l == nil {
		s.report.Others++
		return nil
	}
	one := &numbered{c, s.report.Read}
	switch {
	case l.Obstacle != "":
		l.obstruct(one, l.Obstacle, l.Why)
	case c.Hashed:
		l.obstruct(one, Hashed, "the ledger has the hash of the inputs, and not the inputs")
	default:
		l.waiting = append(l.waiting, one)
		l.bytes += c.Bytes
		s.rows, s.bytes = s.rows+1, s.bytes+c.Bytes
		if len(l.waiting) >= chunkRows || l.bytes >= chunkBytes {
			return s.send(l)
		}
		if s.rows >= maxRows || s.bytes >= maxBytes {
			return s.send(s.fullest())
		}
	}
	return nil
}

// Gap implements [stored.Reader].
func (s *stream) Gap(g stored.Gap) error {
	s.report.gap(g)
	return nil
}

// Progress implements [stored.Reader].
func (s *stream) Progress(done, all int64) {
	s.mu.Lock()
	compared := s.compared
	s.mu.Unlock()
	if all > 0 {
		s.read = min(1, float64(done)/float64(all))
	}
	if s.options.Progress != nil {
		s.options.Progress(compared, s.read)
	}
}

// lot returns the lot of the release, nil if the release is not part of the replay.
func (s *stream) lot(of stored.Release) *lot {
	l, known := s.lots[of]
	if known {
		return l
	}
	l = s.plan(of)
	if l != nil {
		l = s.join(l)
	} else if len(s.others) < maxGroups {
		s.others[version{of.Capability, of.Version}] = true
	}
	if len(s.lots) < maxGroups {
		s.lots[of] = l
	}
	return l
}

// join returns the existing lot of the same release, or else l. Several names can lead to one
// release, because stored results do not always have all digests of their release.
func (s *stream) join(l *lot) *lot {
	if l.by != nil {
		if i := slices.IndexFunc(s.all, func(other *lot) bool { return other.by == l.by && other.Form == l.Form }); i >= 0 {
			return s.all[i]
		}
		l.Release = stored.Release{Capability: l.by.Capability, Version: l.by.Version, Digest: l.by.Digest, Form: l.Form}
		l.With = l.with.Version
	} else if len(s.lots) >= maxGroups {
		if s.unknown != nil {
			return s.unknown
		}
		l.Release, s.unknown = stored.Release{}, l
	}
	s.all = append(s.all, l)
	return l
}

// fullest returns the lot with the most waiting bytes.
func (s *stream) fullest() *lot {
	var most *lot
	for _, l := range s.all {
		if most == nil || l.bytes > most.bytes {
			most = l
		}
	}
	return most
}

// send passes the waiting calculations of a lot to a worker.
func (s *stream) send(l *lot) error {
	c := &chunk{l, l.waiting}
	s.rows, s.bytes = s.rows-len(l.waiting), s.bytes-l.bytes
	l.waiting, l.bytes = make([]*numbered, 0, cap(l.waiting)), 0
	select {
	case s.work <- c:
		return nil
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}

// compute recomputes a chunk, and compares the results.
func (s *stream) compute(c *chunk) {
	l := c.lot
	var (
		rows  = make([]value.Values, 0, len(c.rows))
		asked = make([]*numbered, 0, len(c.rows))
		was   = make([]record.Outcome, 0, len(c.rows))
	)
	for _, one := range c.rows {
		inputs, before, err := one.Values(&l.by.Spec)
		p, refused := errors.AsType[*problem.Problem](err)
		_, figures := errors.AsType[calc.TableError](err)
		switch {
		case refused && l.inputs == nil:
			s.settle(l, one, &before, &record.Outcome{Code: p.Code, Field: p.Field})
			continue
		case errors.Is(err, table.ErrNotComputed):
			l.obstruct(one, NotAnswered, err.Error())
			continue
		case figures:
			l.obstruct(one, Figures, err.Error())
			continue
		case err != nil:
			l.obstruct(one, Unreadable, err.Error())
			continue
		}
		if l.inputs != nil {
			carried, missing := l.inputs.Carry(inputs)
			switch {
			case missing == nil:
				inputs = carried
			case missing.Reason == compare.Choice:
				s.settle(l, one, &before, &record.Outcome{Code: request.CodeInvalidMode, Field: missing.Field})
				continue
			default:
				l.obstruct(one, obstacles[missing.Reason], "the input "+missing.Field+": "+missing.Reason.Words())
				continue
			}
		}
		rows, asked, was = append(rows, inputs), append(asked, one), append(was, before)
	}
	results, err := s.recompute(l.with, rows)
	if err != nil {
		s.end(err)
		return
	}
	same := uint64(0)
	for i := range results {
		if err := results[i].Err; err != nil {
			l.obstruct(asked[i], Failed, err.Error())
			continue
		}
		is := l.results.Outcome(rows[i], results[i].Outcome)
		if found := l.comparer.Compare(&was[i], &is); found != nil {
			s.differs(l, asked[i], found)
		} else {
			same++
		}
	}
	l.mu.Lock()
	l.Verdicts[compare.Same] += same
	l.mu.Unlock()
	s.mu.Lock()
	s.compared += uint64(len(c.rows))
	s.mu.Unlock()
}

// attempts is the maximum number of times that a row is computed. On a busy machine, a process may
// be replaced because it did not answer in time.
const attempts = 3

// recompute recomputes rows, and tries failed rows again.
func (s *stream) recompute(with *registry.Release, rows []value.Values) ([]calc.Recomputed, error) {
	results, err := s.calculator.RecomputeAll(s.ctx, with, rows)
	for n := 1; n < attempts && err == nil; n++ {
		var failed []int
		var again []value.Values
		for i := range results {
			if results[i].Err != nil {
				failed, again = append(failed, i), append(again, rows[i])
			}
		}
		if len(failed) == 0 {
			break
		}
		var second []calc.Recomputed
		second, err = s.calculator.RecomputeAll(s.ctx, with, again)
		if err != nil {
			break
		}
		for k, i := range failed {
			results[i] = second[k]
		}
	}
	return results, err
}

// settle compares one outcome that needed no engine.
func (s *stream) settle(l *lot, one *numbered, was, is *record.Outcome) {
	if found := l.comparer.Compare(was, is); found != nil {
		s.differs(l, one, found)
		return
	}
	l.mu.Lock()
	l.Verdicts[compare.Same]++
	l.mu.Unlock()
}

func (s *stream) differs(l *lot, one *numbered, found *compare.Comparison) {
	l.mu.Lock()
	l.Verdicts[found.Verdict]++
	if s.changed == nil || found.Verdict != compare.Changed {
		l.Examples = insert(l.Examples, Example{Name: one.Name, Comparison: found, n: one.n}, MaxExamples)
	}
	l.mu.Unlock()
	if s.changed != nil && found.Verdict == compare.Changed {
		s.changed(one.n, one.Name, found)
	}
}

func (l *lot) obstruct(one *numbered, obstacle Obstacle, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.Obstructed, func(o *Obstructed) bool { return o.Obstacle == obstacle })
	if i < 0 {
		i = len(l.Obstructed)
		l.Obstructed = append(l.Obstructed, &Obstructed{Obstacle: obstacle})
	}
	o := l.Obstructed[i]
	o.Count++
	o.Examples = insert(o.Examples, Example{Name: one.Name, Why: why, n: one.n}, maxObstructed)
}

// insert keeps the examples that were read first, in order. The order in which workers finish does
// not matter.
func insert(list []Example, e Example, most int) []Example {
	at, _ := slices.BinarySearchFunc(list, e, func(a, b Example) int { return cmp.Compare(a.n, b.n) })
	if at >= most {
		return list
	}
	if e.Comparison != nil {
		e.Comparison.Was.Result, e.Comparison.Is.Result = nil, nil
		for i := range e.Comparison.Differences {
			detach(&e.Comparison.Differences[i])
		}
	}
	list = slices.Insert(list, at, e)
	return list[:min(len(list), most)]
}

// detach copies the values of a kept difference. Otherwise they share memory with thousands of
// results, and the engine gets no more memory until that memory is garbage.
func detach(d *compare.Difference) { d.Old, d.New = apart(d.Old), apart(d.New) }

func apart(v value.Value) value.Value {
	switch v.Kind() {
	case value.Number:
		return value.NumberOf(v.Number())
	case value.Text:
		return value.TextOf(strings.Clone(v.Text()))
	case value.Exact:
		return value.ExactOf(strings.Clone(v.Text()))
	case value.List:
		return value.ListOf(allApart(v.Items())...)
	case value.Record:
		return value.RecordOf(allApart(v.Items())...)
	}
	return v
}

func allApart(list []value.Value) []value.Value {
	list = slices.Clone(list)
	for i := range list {
		list[i] = apart(list[i])
	}
	return list
}
