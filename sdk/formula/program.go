package formula

import (
	"math"
	"slices"
	"sync"

	"github.com/slipstick/slipstick/sdk/doubled"
	"github.com/slipstick/slipstick/sdk/value"
)

// Program computes some of the definitions of a text, each number as the nearest binary64. Use [Text.Evaluate] where
// bounds, reasons or steps are needed. A Program can be used by several goroutines.
//
// It has a fast path: closures that compute with numbers of twice the precision and proved bounds. Where they leave
// something open, the exact evaluator decides. So both give the same outcomes, unless the exact evaluator runs out of
// work: then the fast path can still give a value.
type Program struct {
	text    *Text
	symbols []Symbol
	results []string // also the later ones
	now     int      // results that Evaluate computes

	fast    []result // at least now of them; nil if there is no fast path
	loads   []func(*machine)
	slots   slots
	members [][]string // of the symbols
	listed  int        // definitions of lists
	firsts  int        // first items of them
	pool    sync.Pool
}

// Outcome is the outcome of one definition.
type Outcome struct {
	State State       // Undecided also if the nearest binary64 is
	Sent  bool        // the input is used instead of the definition
	Case  int         // index of the case that holds; -1 if none does or it is not known
	Value value.Value // of a Known result
	Why   string      // of a Fault or Undecided
	Cause *CallError  // of a Fault because a call failed
	Most  string      // of an Undecided: the definition that took most of the work, if it was more than allowed

	Vanishes bool // the number is not 0, and rounds to 0
}

// Compile makes a program for definitions of the text. [Evaluation.Later] computes the later ones, after the others.
// Check must have found no mistake. It is false if a part of the text has no fast path: then the exact evaluator
// computes all.
func (t *Text) Compile(symbols []Symbol, results []string, later ...string) (p *Program, fast bool) {
	p = &Program{text: t, symbols: symbols, results: slices.Concat(results, later), now: len(results)}
	for i := range symbols {
		p.members = append(p.members, symbols[i].memberNames())
	}
	p.pool.New = func() any { return p.newMachine() }
	return p, p.compile(len(p.results)) || p.compile(p.now)
}

// memberNames returns the names of the fields of a record, or of the records in a list.
func (s *Symbol) memberNames() (names []string) {
	for s.Item != nil {
		s = s.Item
	}
	for i := range s.Members {
		names = append(names, s.Members[i].Name)
	}
	return names
}

// nearestDecided returns the binary64 number nearest to the value, and whether its bounds decide it.
func (x number) nearestDecided() (float64, bool) {
	if x.exact != nil {
		return x.nearest(), true
	}
	low, _ := x.low.Float64()
	high, _ := x.high.Float64()
	return low + 0, low == high
}

// Evaluate computes the results once. See [Evaluation.Evaluate].
func (p *Program) Evaluate(into []Outcome, inputs []value.Value) (fast bool) {
	e := p.Evaluation()
	fast = e.Evaluate(into, inputs)
	e.Close()
	return fast
}

// Evaluation evaluates a Program at one set of inputs after the other, in the same memory. It is not safe for
// concurrent use.
type Evaluation struct {
	program *Program
	machine *machine // nil if there is no fast path
	inputs  []value.Value
	places  places
	left    int       // work, after the last Evaluate
	fast    bool      // the machine has the values of the inputs
	later   []Outcome // by the exact evaluator, for the inputs; empty if it was not asked
}

// Evaluation returns a new evaluation of the program. Its Close returns its memory to the program.
func (p *Program) Evaluation() *Evaluation {
	e := &Evaluation{program: p, places: p.text.newPlaces()}
	if p.fast != nil {
		e.machine = p.pool.Get().(*machine)
		e.machine.places = e.places
	}
	return e
}

// Close ends the evaluation.
func (e *Evaluation) Close() {
	if e.machine != nil {
		e.machine.inputs, e.machine.places = nil, nil
		e.program.pool.Put(e.machine)
	}
	*e = Evaluation{}
}

// Evaluate computes the results into memory of the caller, one Outcome for each, without the later ones. Inputs have the
// order of the symbols. The value of a symbol that is only an output is ignored, and values at the end can be missing.
// Evaluate reports whether the fast path decided all.
func (e *Evaluation) Evaluate(into []Outcome, inputs []value.Value) (fast bool) {
	fast, _ = e.EvaluateWithin(into, inputs, MaxWork)
	return fast
}

// EvaluateWithin is Evaluate with a limit on the work, in the units of [MaxWork]. It returns the work that is
// left.
func (e *Evaluation) EvaluateWithin(into []Outcome, inputs []value.Value, most int) (fast bool, rest int) {
	p := e.program
	e.inputs, e.later = inputs, e.later[:0]
	e.left = most
	e.places.forget()
	if e.machine != nil {
		e.machine.steps = most / stepWork
		e.fast = e.machine.run(p, into, inputs)
	}
	if e.fast {
		e.left = e.machine.steps * stepWork
	} else {
		e.left = e.exact(into, p.results[:p.now], inputs, most)
	}
	return e.fast, e.left
}

// Later computes one of the later results, by its index among them, at the inputs of the last Evaluate.
func (e *Evaluation) Later(i int) Outcome {
	p := e.program
	if e.fast && p.now+i < len(p.fast) {
		o := p.fast[p.now+i].of(e.machine)
		if !e.machine.open {
			return o
		}
		e.fast = false // the values of the machine cannot be used further
	}
	if len(e.later) == 0 {
		names := p.results[p.now:]
		e.later = slices.Grow(e.later, len(names))[:len(names)]
		e.left = e.exact(e.later, names, e.inputs, e.left)
	}
	return e.later[i]
}

// exact computes the results with these names with the exact evaluator. It returns the rest of the work.
func (e *Evaluation) exact(into []Outcome, names []string, inputs []value.Value, most int) (rest int) {
	p := e.program
	var sent []Input
	for i := range min(len(inputs), len(p.symbols)) {
		v := inputs[i]
		if s := &p.symbols[i]; s.Input != "" && v.Kind() != value.Absent {
			sent = append(sent, Input{Name: s.Name, Value: v, Members: p.members[i]})
		}
	}
	r := p.text.evaluateAt(e.places, sent, nil, most, func(v *Value) bool {
		return !slices.Contains(names, v.Name) || v.Rounded() && v.vanishDecided()
	})
	for i, name := range names {
		v, o := r.Value(name), &into[i]
		*o = p.outcome(v)
		if o.State == Undecided && !v.final {
			o.Most = r.env.work.most()
		}
		if o.Most != "" {
			o.Why = tooMuchWork // more precision could decide it
		}
	}
	return max(0, r.env.work.left)
}

// outcome returns what is known of a value.
func (p *Program) outcome(v *Value) Outcome {
	o := Outcome{State: v.State, Sent: v.Sent, Case: v.Case, Why: v.Why, Cause: v.Cause}
	if v.State != Known {
		return o
	}
	o.Vanishes = v.Vanishes()
	var ok bool
	o.Value, ok = p.toValue(v.value, p.symbol(v.Name))
	if !ok {
		o.State, o.Why = Undecided, "its bounds do not decide which binary64 number is nearest"
	}
	return o
}

func (p *Program) symbol(name string) *Symbol {
	for i := range p.symbols {
		if p.symbols[i].Name == name {
			return &p.symbols[i]
		}
	}
	return nil
}

// toValue returns a value for callers. It is false if the nearest binary64 of a number is not decided.
func (p *Program) toValue(v val, s *Symbol) (value.Value, bool) {
	switch v.kind {
	case numberKind:
		f, ok := v.number.nearestDecided()
		return value.NumberOf(f), ok
	case boolKind:
		return value.BoolOf(v.is), true
	case textKind:
		return value.TextOf(v.text), true
	case absentKind:
		return value.Value{}, true
	case recordKind:
		if s == nil { // a step: its members are results of their own
			return value.Value{}, true
		}
	}
	var parts []val
	var of []*Symbol
	if v.kind == listKind {
		for _, item := range v.list {
			parts = append(parts, item)
			if s != nil {
				of = append(of, s.Item)
			}
		}
	} else if s != nil {
		for i := range s.Members {
			parts = append(parts, v.fields[s.Members[i].Name])
			of = append(of, &s.Members[i])
		}
	}
	items, all := make([]value.Value, len(parts)), true
	for i, part := range parts {
		var one *Symbol
		if of != nil {
			one = of[i]
		}
		var ok bool
		items[i], ok = p.toValue(part, one)
		all = all && ok
	}
	if v.kind == recordKind {
		return value.RecordOf(items...), all
	}
	return value.ListOf(items...), all
}

// slots are how many values of each kind a machine has.
type slots struct{ numbers, truths, words, lists, records, definitions int }

// machine has the values of one evaluation on the fast path.
type machine struct {
	inputs   []value.Value
	places   places
	decimals bool
	rounds   bool

	open  bool // something is left to the exact evaluator
	steps int  // that are left for folds

	numbers []doubled.Ball
	truths  []logic
	words   []word
	lists   []list
	records []record
	done    []bool // definitions that are computed
	cases   []int  // of the definitions

	items  int // of lists that were computed
	listed int // lists that were computed or sent

	arena  []doubled.Ball // items of lists
	nested []list
}

// maxFast bounds the steps of folds on the fast path. The exact evaluator has no work left after as many.
const maxFast = MaxWork / stepWork

// stepWork is the work of a step of a fold on the fast path.
const stepWork = 3

func (p *Program) newMachine() *machine {
	s := &p.slots
	return &machine{
		decimals: p.text.decimals, rounds: p.text.rounds,
		numbers: make([]doubled.Ball, s.numbers), truths: make([]logic, s.truths), words: make([]word, s.words),
		lists: make([]list, s.lists), records: make([]record, s.records),
		done: make([]bool, s.definitions), cases: make([]int, s.definitions),
	}
}

// run computes the results. It is false if something is open.
func (m *machine) run(p *Program, into []Outcome, inputs []value.Value) bool {
	m.inputs, m.open = inputs, false
	m.items, m.listed = 0, 0
	m.arena, m.nested = m.arena[:0], m.nested[:0]
	clear(m.done)
	for _, load := range p.loads {
		load(m)
	}
	for i := 0; i < p.now && !m.open; i++ {
		into[i] = p.fast[i].of(m)
	}
	left := p.listed - m.listed
	return !m.open && (left == 0 || m.items+p.firsts+left*max(maxTerms, m.longest()) <= maxListItems)
}

// result computes the outcome of one definition.
type result struct {
	definition int
	value      func(*machine) (v value.Value, absent bool)
}

func (r *result) of(m *machine) Outcome {
	v, absent := r.value(m)
	o := Outcome{State: Known, Case: m.cases[r.definition], Value: v}
	if absent {
		o.State, o.Value = Absent, value.Value{}
	}
	if o.Case == sentCase {
		o.Case, o.Sent = -1, true
	}
	return o
}

const (
	noCase   = -1
	sentCase = -2 // the definition was sent
)

// number returns the value of an input or an item. Numbers that are not finite are left to the exact evaluator.
func (m *machine) number(v value.Value) doubled.Ball {
	return m.known(m.ball(v))
}

// ball returns a number that need not be known.
func (m *machine) ball(v value.Value) doubled.Ball {
	switch v.Kind() {
	case value.Number:
		if m.decimals {
			return doubled.OfDecimal(v.Number())
		}
		return doubled.Of(v.Number())
	case value.Exact:
		return doubled.OfLiteral(v.Text())
	case value.Absent:
		return doubled.None
	}
	return doubled.Unknown
}

// item returns an item of a list, which has a value.
func (m *machine) item(x doubled.Ball) doubled.Ball {
	m.open = m.open || x.IsNone()
	return m.known(x)
}

// reserve returns an empty list in the memory of the machine.
func (m *machine) reserve(n int) []doubled.Ball {
	from := len(m.arena)
	m.arena = slices.Grow(m.arena, n)[:from+n]
	return m.arena[from:from:len(m.arena)]
}

// known returns x, which the evaluation needs.
func (m *machine) known(x doubled.Ball) doubled.Ball {
	if !x.IsKnown() {
		m.open = true
	}
	return x
}

// whole returns an integer.
func (m *machine) whole(x doubled.Ball) int {
	i, ok := x.Integer()
	if !ok || max(i, -i) > 1<<40 {
		m.open = true
		return 0
	}
	return int(i)
}

// order returns the sign of x - y.
func (m *machine) order(x, y doubled.Ball) int {
	var order int
	var known bool
	if m.rounds {
		order, known = x.OrderRounded(y)
	} else {
		order, known = x.Order(y)
	}
	if !known {
		m.open = true
	}
	return order
}

func (m *machine) truth(v value.Value) logic {
	switch v.Kind() {
	case value.Bool:
		return truthOf(v.Bool())
	case value.Absent:
		return neither
	}
	m.open = true
	return neither
}

func (m *machine) word(v value.Value) word {
	switch v.Kind() {
	case value.Text:
		return word{v.Text(), true}
	case value.Absent:
		return word{}
	}
	m.open = true
	return word{}
}

// record returns a record with these members.
func (m *machine) record(v value.Value, s *Symbol) record {
	if v.Kind() == value.Absent {
		return record{}
	}
	return record{sent: true, values: v.Items(), numbers: m.numbersOf(m.reserve(len(s.Members)), m.fields(v), s)}
}

// fields returns the fields of a record.
func (m *machine) fields(v value.Value) []value.Value {
	m.open = m.open || v.Kind() != value.Record
	return v.Items()
}

// numbersOf appends the numbers of a record to a list, and an absent one for each other member.
func (m *machine) numbersOf(list []doubled.Ball, items []value.Value, s *Symbol) []doubled.Ball {
	for i := range s.Members {
		x := doubled.None
		if i < len(items) && s.Members[i].Kind == NumberField {
			x = m.ball(items[i])
		}
		list = append(list, x)
	}
	return list
}

// list returns a list with items of this kind.
func (m *machine) list(v value.Value, item *Symbol) list {
	if v.Kind() == value.Absent {
		return list{}
	}
	if v.Kind() != value.List {
		m.open = true
		return list{}
	}
	l := list{sent: true, values: v.Items()}
	switch item.Kind {
	case NumberField:
		l.numbers = m.reserve(len(l.values))
		for _, one := range l.values {
			l.numbers = append(l.numbers, m.item(m.ball(one)))
		}
	case ListField:
		from := len(m.nested)
		for range l.values {
			m.nested = append(m.nested, list{})
		}
		l.lists = m.nested[from:len(m.nested):len(m.nested)]
		for i, one := range l.values {
			l.lists[i] = m.list(one, item.Item)
			m.open = m.open || !l.lists[i].sent
		}
	case RecordField:
		l.width = len(item.Members)
		l.members = m.reserve(len(l.values) * l.width)
		for _, one := range l.values {
			l.members = m.numbersOf(l.members, m.fields(one), item)
		}
	default:
		for _, one := range l.values {
			m.open = m.open || one.Kind() == value.Absent
		}
	}
	return l
}

// longest returns the length of the longest list among the inputs.
func (m *machine) longest() (n int) {
	for _, v := range m.inputs {
		if v.Kind() == value.List {
			n = max(n, len(v.Items()))
		}
	}
	return n
}

// logic is the value of a condition.
type logic int8

const (
	no logic = iota
	yes
	neither // it is absent
)

func truthOf(is bool) logic {
	if is {
		return yes
	}
	return no
}

// word is a word, absent unless sent.
type word struct {
	text string
	sent bool
}

// list is a list, absent unless sent. Its items are values, and also in numbers, lists or members if they are that. A
// list that is computed has numbers alone.
type list struct {
	sent     bool
	computed bool
	before   int // how many items are before item 1
	values   []value.Value
	numbers  []doubled.Ball
	lists    []list
	members  []doubled.Ball // numbers of records, width of each
	width    int
}

// record is a record, absent unless sent. Its members are values, and the numbers among them also numbers.
type record struct {
	sent    bool
	values  []value.Value
	numbers []doubled.Ball
}

func (l *list) record(i int) record {
	return record{true, l.values[i].Items(), l.members[i*l.width : (i+1)*l.width]}
}

func (l *list) length() int { return max(len(l.values), len(l.numbers)) }

// isFinite reports whether an input is present for the exact evaluator.
func isFinite(v value.Value) bool {
	return v.Kind() != value.Number || !math.IsInf(v.Number(), 0) && !math.IsNaN(v.Number())
}
