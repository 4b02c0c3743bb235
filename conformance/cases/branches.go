package cases

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/conformance/internal/boundary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	documents "github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/value"
)

// fuel is the number of definitions that may be evaluated to find requests for one Definition.
// An item of a list counts as a part of one. Counting makes a version have the same cases on
// every machine.
const (
	fuel          = 8_000
	itemsForAUnit = 4
)

// branches adds requests at both sides of each condition of the Definition. There are numbers
// just below, at and just above the boundary of each comparison. There is every word and truth
// of a comparison, and there are optional inputs that are not given. Other kinds of cases vary
// the first example that has an input. These cases vary others, so that more combinations of
// words occur.
func (m *maker) branches() {
	text, err := documents.Formula(m.spec)
	if err != nil || text == nil {
		return
	}
	asked, left := conditionsOf(text), fuel
	inputs := m.spec.Symbols()[:len(m.spec.Inputs)]
	for i := range asked.numbers {
		c := &asked.numbers[i]
		turned := 0
		for n := 0; n < len(inputs) && turned < maxTurned; n++ {
			if c.needs[inputs[n].Name] && m.sides(c, n, inputs[n].Name, &left) {
				turned++
			}
		}
	}
	for n := range inputs {
		if slices.Contains(asked.words, inputs[n].Name) {
			m.words(n)
		}
		if slices.Contains(asked.given, inputs[n].Name) {
			m.notGiven(n)
		}
	}
}

// words adds each value of an enum, and both truths, to examples with another value.
func (m *maker) words(input int) {
	f := &m.spec.Inputs[input]
	choices := f.Enum
	if f.Type == sdk.TypeBoolean {
		choices = []string{"true", "false"}
	}
	for i, choice := range choices {
		for n := range m.examples {
			n = len(m.examples) - 1 - (i+n)%len(m.examples) // choose another example first for each choice
			p, ok := m.placeIn(n, input)
			if !ok || p.value.Text() == choice || f.Type == sdk.TypeBoolean && strconv.FormatBool(p.value.Bool()) == choice {
				continue
			}
			json := choice
			if f.Type != sdk.TypeBoolean {
				json = quoted(choice)
			}
			m.add(Case{ID: fmt.Sprintf("%s is %s, else as %s", f.Name, choice, exampleID(n)), Kind: Branch, Inputs: m.with(p, json)})
			break
		}
	}
}

// notGiven removes an input from the last example that has it.
func (m *maker) notGiven(input int) {
	for n := range slices.Backward(m.examples) {
		if p, ok := m.placeIn(n, input); ok {
			m.add(Case{ID: fmt.Sprintf("%s left out, else as %s", p.name, exampleID(n)), Kind: Branch, Inputs: m.with(p, "")})
			return
		}
	}
}

// placeIn returns the place of an input in an example, if the example has it.
func (m *maker) placeIn(example, input int) (place, bool) {
	e := m.examples[example]
	if input >= len(e) || e[input].Kind() == value.Absent {
		return place{}, false
	}
	f := &m.spec.Inputs[input]
	return place{example, input, nil, f.Name, f, f.Range, f.Unit, e[input]}, true
}

// Bounds on the attempts for one condition.
const (
	maxTurned = 3  // inputs that change the condition
	maxBases  = 12 // examples, for each input
)

// sides adds numbers of an input at both sides of a condition. It prefers an example in which
// they lead to different cases, and otherwise takes one in which the condition changes. It
// reports whether there is one.
func (m *maker) sides(c *condition, input int, name string, fuel *int) bool {
	var spare *search
	var spareAt []float64
	tried := map[string]bool{}
	for n := range m.examples {
		p, ok := m.placeIn(n, input)
		if !ok || len(tried) == maxBases {
			continue
		}
		for _, p := range within(p) {
			if !p.isNumber() {
				continue
			}
			tried[exampleID(n)] = true
			s := &search{maker: m, condition: c, place: p, input: name, fuel: fuel}
			numbers, decides := s.boundary()
			if decides {
				s.addAt(numbers)
				return true
			}
			if spare == nil && len(numbers) > 0 {
				spare, spareAt = s, numbers
			}
		}
	}
	if spare != nil {
		spare.addAt(spareAt)
	}
	return spare != nil
}

// search looks for the boundary of a condition along one number of an example.
type search struct {
	*maker
	condition *condition
	place     place
	input     string // its name in the Definition
	fuel      *int
}

// addAt adds the numbers, which are in ascending order.
func (s *search) addAt(numbers []float64) {
	for i, x := range numbers {
		s.add(Case{
			ID:   fmt.Sprintf("%s at %s, request %d", s.place.name, s.condition.id, i+1),
			Kind: Branch, Inputs: s.with(s.place, spell(x)),
		})
	}
}

// conditionState is the state of a condition for one number.
type conditionState struct {
	ok          bool // both sides are known
	sign        int  // of the left side minus the right
	gap         float64
	left, right float64
	chosen      int
}

// at evaluates the condition with x in the place.
func (s *search) at(x float64) (st conditionState) {
	values := slices.Clone(s.examples[s.place.example])
	*s.fuel -= s.condition.cost*len(s.condition.text.Definitions) + items(values)/itemsForAUnit
	if *s.fuel < 0 {
		return st
	}
	values[s.place.input] = boundary.Put(values[s.place.input], s.place.path, x)
	r := s.condition.text.Evaluate(s.spec.FormulaInputs(values), nil, func(*formula.Value) bool { return true })
	number := func(name string) float64 {
		x, ok := r.Value(name).Number()
		if !ok {
			*s.fuel -= 20 // it may have been evaluated with many digits
			return math.NaN()
		}
		return x
	}
	st.left, st.right = number(leftSide), number(rightSide)
	off := number(difference)
	st.ok = !math.IsNaN(off)
	if !st.ok {
		return st
	}
	st.sign = sign(off)
	st.gap = math.Abs(off) / max(math.Abs(st.left), math.Abs(st.right))
	st.chosen = r.Value(choice).Case
	return st
}

// items counts the items of lists.
func items(values []value.Value) int {
	n := 0
	for _, v := range values {
		n += len(v.Items()) + items(v.Items())
	}
	return n
}

func sign(x float64) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

// Distances from a boundary. If a side is computed, the engine computes it with an error of
// its own. Within that error it may be on the other side.
const (
	nextTo  = 1e-9
	leastBy = 1e-11 // how far apart the sides of a condition are at that distance
)

// boundary returns up to three numbers below, at and above a boundary, and whether they choose
// different cases. It returns none if the condition does not change.
func (s *search) boundary() (numbers []float64, decides bool) {
	from := s.place.number()
	start := s.at(from)
	if !start.ok {
		return nil, false
	}
	at, exact, found := s.turn(from, start)
	if !found {
		return nil, false
	}
	for _, x := range s.around(at, exact) {
		if s.legal(x) && !slices.Contains(numbers, x) {
			numbers = append(numbers, x)
		}
	}
	slices.Sort(numbers)
	chosen := map[int]bool{}
	for _, x := range numbers {
		if st := s.at(x); st.ok {
			chosen[st.chosen] = true
		}
	}
	return numbers, len(chosen) > 1
}

// around returns the numbers to send. If both sides are plain, these are neighbors.
func (s *search) around(at float64, exact bool) []float64 {
	if s.place.field.Type == sdk.TypeInteger {
		return []float64{math.Floor(at) - 1, math.Floor(at), math.Floor(at) + 1}
	}
	var list []float64
	if exact {
		list = []float64{at}
	}
	scale := math.Abs(at)
	if scale == 0 {
		scale = math.Abs(s.place.number())
	} else if s.direct() {
		return []float64{math.Nextafter(at, math.Inf(-1)), at, math.Nextafter(at, math.Inf(1))}
	}
	for _, direction := range []float64{-1, 1} {
		for off := nextTo; off < 0.1; off *= 100 {
			x := at + direction*off*scale
			if st := s.at(x); st.ok && st.sign != 0 && st.gap >= leastBy {
				list = append(list, x)
				break
			}
		}
	}
	return list
}

// legal reports whether x lies in the range of the place.
func (s *search) legal(x float64) bool {
	if math.IsInf(x, 0) || s.place.field.Type == sdk.TypeInteger && x != math.Trunc(x) {
		return false
	}
	return s.place.bounds == nil || s.place.bounds.Within(s.inputsOf(s.place.example)).Contains(x)
}

// direct reports whether the condition compares the input as it is sent with a number that is
// not computed either. The engine then compares without an error.
func (s *search) direct() bool {
	c := s.condition
	return len(s.place.path) == 0 && (s.isPlace(c.left) && s.plain(c.right) || s.isPlace(c.right) && s.plain(c.left))
}

func (s *search) isPlace(x *formula.Expr) bool { return x.Op == formula.Name && x.Name == s.input }

func (s *search) plain(x *formula.Expr) bool {
	switch x.Op {
	case formula.Number:
		return true
	case formula.Name:
		d := s.condition.text.Definition(x.Name)
		if d == nil || d.Kind == formula.Constant {
			return true
		}
		for _, in := range s.spec.FormulaInputs(s.examples[s.place.example]) {
			if in.Name == x.Name {
				return true
			}
		}
		return !slices.ContainsFunc(d.Cases, func(c formula.Case) bool { return c.Value == nil || !s.plain(c.Value) })
	}
	return false
}

// turn returns a number at which the condition changes, and whether both sides are equal
// there. If they are not equal, it changes within a relative distance of less than nextTo.
func (s *search) turn(from float64, start conditionState) (at float64, exact, found bool) {
	if s.direct() {
		if other := start.right; s.isPlace(s.condition.left) {
			return other, s.at(other).sign == 0, true
		}
		return start.left, s.at(start.left).sign == 0, true
	}
	var examples, ends []float64
	for n := range s.examples {
		if p, ok := s.placeIn(n, s.place.input); ok && p.isNumber() && len(s.place.path) == 0 && len(examples) < maxBases {
			examples = append(examples, p.number())
		}
	}
	if r := s.place.bounds; r != nil {
		bounds := r.Within(s.inputsOf(s.place.example))
		for _, end := range []*float64{bounds.Min, bounds.Max} {
			if end != nil {
				ends = append(ends, *end)
			}
		}
	}
	line := boundary.Line{Whole: s.place.field.Type == sdk.TypeInteger, Legal: s.legal, Order: func(x float64) (int, bool) {
		st := s.at(x)
		return st.sign, st.ok
	}}
	_, at, exact, found = line.Turn(from, start.sign, examples, ends, nextTo/10)
	return at, exact, found
}
