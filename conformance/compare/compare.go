// Package compare compares outcomes of one capability bit for bit, of one release twice or of two
// releases. Use it to recompute an old answer, or to try a newer release with real inputs. [New]
// makes a [Comparer] for two Specs. [Comparer.Compare] returns a [Comparison], or nil if the
// outcomes are the same; then it allocates no memory. [Inputs.Carry] converts inputs of an older
// release to inputs of a newer one, or returns the [Obstacle]. The package computes nothing, and
// judges nothing.
package compare

import (
	"math"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Outcome is the result of a calculation: numbers, or the code with which the inputs were
// refused.
type Outcome struct {
	Result      value.Values // one per output of the Spec; nil if there is a code
	Code, Field string
}

// Verdict is how one outcome relates to an older one.
type Verdict uint8

// The verdicts.
const (
	Same     Verdict = iota // bit-identical, or refused in the same way
	Changed                 // another result
	Refused                 // it was answered, and is refused now
	Answered                // it was refused, and is answered now
	Reworded                // it was refused and still is, but with another code or for another field
)

var verdictNames = [...]string{Same: "same", Changed: "changed", Refused: "refused now", Answered: "answered now", Reworded: "refused otherwise"}

// String returns the verdict in words.
func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return "verdict " + strconv.Itoa(int(v))
}

// Difference is one value that differs.
type Difference struct {
	Was, Is *sdk.Field // the field in the older and the newer Spec; Is may be nil
	Path    string     // such as "delta", or "layers.0.thickness" within a list
	Old     value.Value
	New     value.Value

	// Of two numbers in one unit.
	Numbers  bool
	Absolute float64 // new minus old; infinite if that is beyond binary64
	Relative float64 // distance as a fraction of the old one's magnitude; infinite from zero
	Ulps     uint64  // distance in units in the last place; 1 for neighbours
}

// Pair is a field in two Specs. One of them may be nil.
type Pair struct {
	Was, Is *sdk.Field
	was, is int
}

// Values returns the two values of the field. The value is absent if a Spec lacks the field.
func (p *Pair) Values(was, is value.Values) (a, b value.Value) {
	if p.Was != nil && p.was < len(was) {
		a = was[p.was]
	}
	if p.Is != nil && p.is < len(is) {
		b = is[p.is]
	}
	return a, b
}

// Fields are the fields of two Specs, by name.
type Fields []Pair

// Match pairs the fields: first all fields of the older Spec in their order, then the fields
// that only the newer one has.
func Match(was, is []sdk.Field) Fields {
	at := func(fields []sdk.Field, name string) int {
		return slices.IndexFunc(fields, func(f sdk.Field) bool { return f.Name == name })
	}
	var list Fields
	for i := range was {
		p := Pair{Was: &was[i], was: i}
		if k := at(is, was[i].Name); k >= 0 {
			p.Is, p.is = &is[k], k
		}
		list = append(list, p)
	}
	for k := range is {
		if at(was, is[k].Name) < 0 {
			list = append(list, Pair{Is: &is[k], is: k})
		}
	}
	return list
}

// Append appends the differences of the values of the fields that both Specs have. It ignores
// fields in only one of them, and fields with another unit, because these are differences of
// the Specs.
func (f Fields) Append(dst []Difference, was, is value.Values) []Difference {
	for i := range f {
		p := &f[i]
		if p.Was != nil && p.Is != nil {
			old, now := p.Values(was, is)
			dst = appendValue(dst, p.Was, p.Is, "", p.Was.Name, old, now)
		}
	}
	return dst
}

// appendValue appends the differences of one value. It makes the path only for a difference.
func appendValue(dst []Difference, was, is *sdk.Field, within, name string, old, now value.Value) []Difference {
	if old.Equal(now) {
		return dst
	}
	path := name
	if within != "" {
		path = within + "." + name
	}
	if old.Kind() == now.Kind() {
		switch old.Kind() {
		case value.Record:
			for _, p := range Match(was.Fields, is.Fields) {
				if p.Was != nil && p.Is != nil {
					a, b := p.Values(old.Items(), now.Items())
					dst = appendValue(dst, p.Was, p.Is, path, p.Was.Name, a, b)
				}
			}
			return dst
		case value.List:
			if a, b := old.Items(), now.Items(); len(a) == len(b) && was.Items != nil && is.Items != nil {
				for i := range a {
					dst = appendValue(dst, was.Items, is.Items, path, strconv.Itoa(i), a[i], b[i])
				}
				return dst
			}
		}
	}
	d := Difference{Was: was, Is: is, Path: path, Old: old, New: now}
	if was.Unit == is.Unit && old.Kind() == value.Number && now.Kind() == value.Number {
		a, b := old.Number(), now.Number()
		d.Numbers, d.Absolute, d.Relative, d.Ulps = true, b-a, relative(a, b), ulps(a, b)
	}
	return append(dst, d)
}

// Comparison is how two outcomes differ.
type Comparison struct {
	Verdict     Verdict
	Was, Is     Outcome
	Differences []Difference // of two results
}

// Comparer compares outcomes of two releases. It is safe for concurrent use.
type Comparer struct {
	outputs Fields
	removed Fields // that the newer Spec does not have
}

// New returns a Comparer for an older and a newer Spec, which may be the same.
func New(was, is *sdk.Spec) *Comparer {
	c := &Comparer{outputs: Match(was.Outputs, is.Outputs)}
	for _, p := range c.outputs {
		if p.Is == nil {
			c.removed = append(c.removed, p)
		}
	}
	return c
}

// Compare returns how the newer outcome differs from the older one, or nil if they are the
// same. An output that the newer Spec lacks differs if it had a value. An output that only the
// newer Spec has does not differ.
func (c *Comparer) Compare(was, is *Outcome) *Comparison {
	verdict := Same
	var found []Difference
	switch {
	case was.Code == "" && is.Code == "":
		found = c.outputs.Append(nil, was.Result, is.Result)
		for i := range c.removed {
			p := &c.removed[i]
			if old, _ := p.Values(was.Result, nil); old.Kind() != value.Absent {
				found = append(found, Difference{Was: p.Was, Path: p.Was.Name, Old: old})
			}
		}
		if len(found) > 0 {
			verdict = Changed
		}
	case was.Code == "":
		verdict = Refused
	case is.Code == "":
		verdict = Answered
	case was.Code != is.Code || was.Field != is.Field:
		verdict = Reworded
	}
	if verdict == Same {
		return nil
	}
	return &Comparison{verdict, *was, *is, found}
}

// relative returns the distance of b from a, as a fraction of the magnitude of a.
func relative(a, b float64) float64 {
	distance := math.Abs(b - a)
	if math.IsInf(distance, 0) {
		return 2 * (math.Abs(b/2-a/2) / math.Abs(a))
	}
	return distance / math.Abs(a)
}

// ulps counts the steps from one binary64 to another.
func ulps(a, b float64) uint64 {
	x, y := place(a), place(b)
	if x < y {
		x, y = y, x
	}
	return uint64(x) - uint64(y)
}

// place returns the position of f among all binary64 in ascending order. Zero has the
// position 0, and neighbours differ by 1.
func place(f float64) int64 {
	bits := int64(math.Float64bits(f))
	if bits < 0 {
		return math.MinInt64 - bits
	}
	return bits
}
