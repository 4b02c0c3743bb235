package replay

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/archive/stored"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

// Effect is the difference that another release makes to stored results.
type Effect struct {
	*Report
	Capability, Version string // of the other release
	Outputs             []*Output

	// Dependents are the effects on the results of releases that call the capability as a step.
	Dependents []*Effect
	Step       *Step  // the changed step of a dependent; nil for the release itself
	Why        string // why a dependent cannot be made again; "" if it can
}

// Step is the release that replaces every version of a step.
type Step struct {
	Capability string `json:"capability_id"`
	Version    string `json:"calculation_version"`
}

// Output is the difference of one output over all changed results. All values within rows count for
// one Output.
type Output struct {
	Path    string // for example "delta", or "layers.*.thickness"
	Unit    string
	Changed uint64 // number of changed values
	Numbers uint64 // of these, numbers
	Up      uint64 // of the numbers, larger now
	Zeros   uint64 // of the numbers, with a stored 0, from which every relative difference is infinite

	// Of the numbers without Zeros, relative to the magnitude of the stored number; 0 if there are
	// none.
	Relative Quantiles
	Absolute float64 // largest magnitude of a difference, in Unit
	Ulps     uint64  // largest difference in units in the last place
	Decades  []Decade
	Worst    []Worst

	relative []float64
}

// Quantiles are exact: each is the smallest number that at least this share of the numbers does not
// exceed.
type Quantiles struct {
	Least  float64 `json:"min"`
	Median float64 `json:"p50"`
	P90    float64 `json:"p90"`
	P99    float64 `json:"p99"`
	Most   float64 `json:"max"`
}

// Decade counts the relative differences from 10^Power up to the next power of ten.
type Decade struct {
	Power int    `json:"power"`
	Count uint64 `json:"count"`
}

// Worst is one of the largest relative differences of an output.
type Worst struct {
	Name       string
	Difference compare.Difference
	n          uint64
}

// MaxWorst is the number of largest differences of an output that are kept.
const MaxWorst = 10

// Impact recomputes the stored results of a capability with another release of it. The release need
// not be published. Results of other capabilities are only counted. If the options have Replace, it
// also makes each release again that calls the capability and has stored results, and recomputes
// these. It reads the stored results once more for each of them. Errors are as from [Run].
func Impact(ctx context.Context, catalog *catalog.Catalog, calculator Calculator, with *registry.Release, targets []string, o *Options) (*Effect, error) {
	s := newStream(ctx, catalog, calculator, o)
	e, err := s.effect(targets, with, func(of stored.Release) bool { return of.Capability == with.Capability })
	if err != nil || s.options.Replace == nil || with.Spec.Document == "" {
		return e, err
	}
	for _, r := range dependents(catalog, with, s.others) {
		one, err := dependent(ctx, catalog, calculator, r, targets, o)
		if err != nil {
			return nil, err
		}
		one.Step = &Step{with.Capability, with.Version}
		e.Dependents = append(e.Dependents, one)
	}
	return e, nil
}

// effect compares stored results with results of a release.
func (s *stream) effect(targets []string, with *registry.Release, counts func(stored.Release) bool) (*Effect, error) {
	e := &effects{outputs: map[outputKey]*Output{}}
	s.changed = e.add
	s.plan = func(of stored.Release) *lot {
		if !counts(of) {
			return nil
		}
		l := &lot{Group: &Group{Release: of}}
		r, obstacle, why := published(s.options.Stored.Catalog, of)
		if obstacle == "" && r.Spec.Capability == "" {
			obstacle, why = Damaged, fmt.Sprint(r.Problem)
		}
		if obstacle == "" && s.notMade != nil {
			obstacle, why = NotMade, s.notMade.Error()
		}
		if obstacle == "" {
			l.inputs, obstacle, why = carrying(&r.Spec, &with.Spec)
		}
		if obstacle == "" {
			obstacle, why = l.compare(r, with)
		}
		l.Obstacle, l.Why = obstacle, why
		return l
	}
	report, err := s.run(targets)
	if err != nil {
		return nil, err
	}
	return &Effect{Report: report, Capability: with.Capability, Version: with.Version, Outputs: e.finish(&with.Spec)}, nil
}

// dependents returns the releases with stored results that call another version of the capability,
// directly or through others.
func dependents(published *catalog.Catalog, with *registry.Release, have map[version]bool) (list []*registry.Release) {
	for _, e := range published.Entries() {
		if e.ID == with.Capability {
			continue
		}
		for _, r := range e.Releases {
			if !have[version{r.Capability, r.Version}] {
				continue
			}
			for u := range catalog.AllUses(r) {
				if u.ID == with.Capability && u.Spec != nil && u.Spec.Document != with.Spec.Document {
					list = append(list, r)
					break
				}
			}
		}
	}
	return list
}

// dependent recomputes the stored results of a release after it is made again.
func dependent(ctx context.Context, catalog *catalog.Catalog, calculator Calculator, r *registry.Release, targets []string, o *Options) (*Effect, error) {
	s := newStream(ctx, catalog, calculator, o)
	made, err := o.Replace(ctx, r)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		made, s.notMade = r, err
	}
	e, err := s.effect(targets, made, func(of stored.Release) bool { return of.Capability == r.Capability && of.Version == r.Version })
	if err != nil {
		return nil, err
	}
	if s.notMade != nil {
		e.Why = s.notMade.Error()
	}
	e.Read, e.Others = e.Read-e.Others, 0
	e.Gaps, e.Missed, e.Holes = nil, 0, 0 // the effect of the release itself has them
	return e, nil
}

// All returns the effect, and the effects on dependents.
func (e *Effect) All() []*Effect { return append([]*Effect{e}, e.Dependents...) }

// Beyond reports whether any number differs by more than this part of the stored number. If a value
// other than a number differs, it also returns true. It includes dependents.
func (e *Effect) Beyond(part float64) bool {
	return slices.ContainsFunc(e.All(), func(one *Effect) bool {
		return slices.ContainsFunc(one.Outputs, func(o *Output) bool {
			return o.Relative.Most > part || o.Zeros > 0 || o.Changed > o.Numbers
		})
	})
}

// Count returns how many results have the verdict, without dependents.
func (e *Effect) Count(v compare.Verdict) uint64 {
	return e.sum(func(g *Group) uint64 { return g.Verdicts[v] })
}

// effects collects the differences of all outputs.
type effects struct {
	mu      sync.Mutex
	outputs map[outputKey]*Output
}

// outputKey identifies an output in one unit. Tables can have an output in another unit than the
// Spec.
type outputKey struct{ path, unit string }

func (e *effects) add(n uint64, name string, c *compare.Comparison) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range c.Differences {
		d := &c.Differences[i]
		key := outputKey{general(d.Path), d.Was.Unit}
		o := e.outputs[key]
		if o == nil {
			o = &Output{Path: key.path, Unit: key.unit}
			e.outputs[key] = o
		}
		o.add(n, name, d)
	}
}

// general returns a path with * for each row number.
func general(path string) string {
	if !strings.Contains(path, ".") {
		return path
	}
	steps := strings.Split(path, ".")
	for i, step := range steps {
		if strings.Trim(step, "0123456789") == "" {
			steps[i] = "*"
		}
	}
	return strings.Join(steps, ".")
}

func (o *Output) add(n uint64, name string, d *compare.Difference) {
	o.Changed++
	if d.Numbers {
		o.number(d)
	}
	w := Worst{name, *d, n}
	if at, _ := slices.BinarySearchFunc(o.Worst, w, worseFirst); at < MaxWorst {
		detach(&w.Difference)
		o.Worst = slices.Insert(o.Worst, at, w)
		o.Worst = o.Worst[:min(len(o.Worst), MaxWorst)]
	}
}

func (o *Output) number(d *compare.Difference) {
	o.Numbers++
	if d.Absolute > 0 {
		o.Up++
	}
	if math.IsInf(d.Relative, 0) {
		o.Zeros++
	} else {
		o.relative = append(o.relative, d.Relative)
	}
	o.Absolute = max(o.Absolute, math.Abs(d.Absolute))
	o.Ulps = max(o.Ulps, d.Ulps)
}

// worseFirst orders differences: values other than numbers first, then by decreasing distance, then
// by the order of reading.
func worseFirst(a, b Worst) int {
	size := func(w Worst) float64 {
		if !w.Difference.Numbers {
			return math.Inf(1)
		}
		return w.Difference.Relative
	}
	return cmp.Or(-cmp.Compare(size(a), size(b)), cmp.Compare(a.n, b.n), strings.Compare(a.Difference.Path, b.Difference.Path))
}

// finish returns the outputs in the order of the Spec.
func (e *effects) finish(spec *sdk.Spec) []*Output {
	var list []*Output
	for _, o := range e.outputs {
		slices.Sort(o.relative)
		if all := o.relative; len(all) > 0 {
			at := func(part float64) float64 { return all[max(0, int(math.Ceil(part*float64(len(all))))-1)] }
			o.Relative = Quantiles{all[0], at(0.5), at(0.9), at(0.99), all[len(all)-1]}
		}
		o.Decades = decadesOf(o.relative)
		o.relative = nil
		list = append(list, o)
	}
	place := func(o *Output) int {
		name, _, _ := strings.Cut(o.Path, ".")
		return slices.IndexFunc(spec.Outputs, func(f sdk.Field) bool { return f.Name == name })
	}
	slices.SortFunc(list, func(a, b *Output) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), strings.Compare(a.Path, b.Path), strings.Compare(a.Unit, b.Unit))
	})
	return list
}

const firstDecade, lastDecade = -300, 300

// decadesOf counts sorted numbers by powers of ten. Numbers beyond the first or last decade count
// in that decade. Differences of two results are never that small or large.
func decadesOf(sorted []float64) (list []Decade) {
	for _, x := range sorted {
		power := firstDecade
		if x > 0 {
			power = min(max(power, int(math.Floor(math.Log10(x)))), lastDecade)
		}
		if n := len(list); n == 0 || list[n-1].Power != power {
			list = append(list, Decade{Power: power})
		}
		list[len(list)-1].Count++
	}
	return list
}

// carrying returns the adapter of inputs from one release to the other, nil if their inputs are the
// same. If a result has another unit, it returns an obstacle.
func carrying(by, with *sdk.Spec) (*compare.Inputs, Obstacle, string) {
	for _, p := range compare.Match(by.Outputs, with.Outputs) {
		if p.Was != nil && p.Is != nil {
			if path := otherUnit(p.Was, p.Is); path != "" {
				return nil, OtherUnit, fmt.Sprintf("the result %s has another unit", path)
			}
		}
	}
	if reflect.DeepEqual(by.Inputs, with.Inputs) {
		return nil, "", ""
	}
	return compare.NewInputs(by, with), "", ""
}

// obstacles are the obstacles of inputs that cannot be carried over. A removed choice is not an
// obstacle, because the release rejects it.
var obstacles = map[compare.Reason]Obstacle{
	compare.Unknown: InputRemoved, compare.Needed: InputNew, compare.Other: OtherForm, compare.Default: OtherDefault,
}

// otherUnit returns the path of a field, or of a value within its rows, that has another unit in
// the newer Spec. It returns "" if all units are the same.
func otherUnit(older, newer *sdk.Field) string {
	if older.Unit != newer.Unit || !reflect.DeepEqual(older.UnitBy, newer.UnitBy) {
		return older.Name
	}
	if older.Items != nil && newer.Items != nil {
		if path := otherUnit(older.Items, newer.Items); path != "" || older.Items.Unit != newer.Items.Unit {
			return strings.TrimSuffix(older.Name+"."+path, ".")
		}
	}
	for i := range older.Fields {
		k := slices.IndexFunc(newer.Fields, func(g sdk.Field) bool { return g.Name == older.Fields[i].Name })
		if k < 0 {
			continue
		}
		if path := otherUnit(&older.Fields[i], &newer.Fields[k]); path != "" {
			return strings.TrimPrefix(older.Name+"."+path, ".")
		}
	}
	return ""
}
