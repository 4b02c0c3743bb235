package formula

import (
	"maps"
	"slices"

	"github.com/slipstick/slipstick/sdk/units"
)

// stepper follows the definitions that results need.
type stepper struct {
	text   *Text
	env    *env
	o      *StepOptions
	digits map[string]int // that names need because of a later difference
	needed map[string]bool
	values map[evaluated]val
	seen   map[string]bool // calls that have a line
	out    []*line

	checked *checker // of the text, for the units of parts; nil if numbers have none
}

// line has the parts of a Step.
type line struct {
	name    *Expr // a name or a call
	def     *Definition
	index   int // index of the case
	value   val
	unit    string
	note    string
	reasons []reason

	local   *local           // parameters of a helper function
	shapes  *scope           // of the parameters
	args    map[string]*Expr // values of the parameters
	unknown string           // of an equation
	digits  int              // that its numbers need

	rule, with, result *Expr
}

// taken returns the case that counts, or nil if the line has none.
func (l *line) taken() *Case {
	if l.def == nil || l.index < 0 || l.index >= len(l.def.Cases) {
		return nil
	}
	return &l.def.Cases[l.index]
}

// eval evaluates an expression, once; false if it has no value.
func (s *stepper) eval(x *Expr, l *local) (val, bool) {
	key := evaluated{x, l}
	v, ok := s.values[key]
	if !ok {
		v, _ = s.evalOnce(x, l)
		s.values[key] = v
	}
	return v, v.kind != absentKind
}

// evaluated is an expression, with the values of parameters and indexes in it.
type evaluated struct {
	x *Expr
	l *local
}

func (s *stepper) evalOnce(x *Expr, l *local) (v val, ok bool) {
	defer func() {
		switch r := recover().(type) {
		case nil, fault, undecided, exhausted:
			ok = r == nil
		default:
			panic(r)
		}
	}()
	return s.env.eval(x, l), true
}

// need marks a name, and the names that its value depends on.
func (s *stepper) need(name string) {
	if s.needed[name] {
		return
	}
	s.needed[name] = true
	if l := s.defined(name); l != nil {
		s.fill(l)
	}
}

// lines returns the lines that results need, in the order of the text. The lines of headlines
// come first.
func (s *stepper) lines() []*line {
	for _, result := range s.o.Results {
		if result.Headline {
			s.need(result.Name)
		}
	}
	headlines := maps.Clone(s.needed)
	for _, result := range s.o.Results {
		s.need(result.Name)
	}
	s.seen, s.out = map[string]bool{}, nil
	for _, headline := range []bool{true, false} {
		for _, d := range s.text.Definitions {
			l := s.defined(d.Name)
			if l == nil || !s.needed[d.Name] || headlines[d.Name] != headline {
				continue
			}
			s.fill(l)
			if !s.nothing(l) {
				s.add(l)
			}
		}
	}
	return s.out
}

// The cost of a line and of a part of it, in units of work. Other work is counted as in an
// evaluation.
const (
	lineWork = 40
	partWork = 10
)

// spend counts work, and reports whether some is left.
func (s *stepper) spend(n int) bool {
	s.env.work.left -= n
	return s.env.work.left >= 0
}

// nothing reports whether the line only states that a term is 0 because its case is. Such a
// line is not a result, and the numbers in the outer rule show it too.
func (s *stepper) nothing(l *line) bool {
	c := l.taken()
	return c != nil && c.Value != nil && c.Value.Op == Number && c.Value.Value != nil && c.Value.Value.Sign() == 0 &&
		len(l.def.Cases) > 1 && !slices.ContainsFunc(s.o.Results, func(f Figure) bool { return f.Name == l.def.Name })
}

func (s *stepper) add(l *line) {
	if len(s.out) < maxSteps {
		s.out = append(s.out, l)
	}
}

// defined returns the line of a definition that has a value of its own.
func (s *stepper) defined(name string) *line {
	d, v := s.text.Definition(name), s.env.known[name]
	if d == nil || v == nil || v.Sent || v.State != Known && v.State != IsTaken {
		return nil
	}
	l := &line{name: &Expr{Op: Name, Name: name}, def: d, index: v.Case, value: v.value, unit: s.o.Units[name]}
	switch d.Kind {
	case Constant:
		l.unit, l.note = d.Unit, d.Note
	case Taken:
		l.note = d.Note
	}
	if c := l.taken(); c != nil && c.Solve != nil {
		l.unknown = name
	}
	return l
}

// fill finds why the line's case counts, and follows the names in its condition and its rule.
func (s *stepper) fill(l *line) {
	if l.def != nil && l.def.List != nil {
		l.def.walk(s.within)
		return
	}
	c := l.taken()
	if c == nil {
		return
	}
	l.reasons = s.because(l.def, l.index, l)
	for _, r := range l.reasons {
		for _, p := range r.pieces {
			s.follow(p.x, l)
		}
	}
	rules := []*Expr{c.Value}
	if c.Solve != nil {
		rules = []*Expr{c.Solve.Left, c.Solve.Right}
	}
	for _, x := range rules {
		s.follow(x, l)
		s.lost(x, l)
	}
}

// follow needs the names in an expression, and gives each call of a helper function a line. A
// sum would have too many such lines.
func (s *stepper) follow(x *Expr, l *line) {
	if x == nil || !s.spend(1) {
		return
	}
	switch x.Op {
	case Name:
		if _, local := l.local.find(x.Name); !local && x.Name != l.unknown {
			s.need(x.Name)
		}
	case Fold:
		x.walk(func(y *Expr) { s.within(y) })
		return
	case Call:
		for _, arg := range x.Args {
			s.follow(arg, l)
		}
		s.unfold(x, l)
		return
	}
	for _, arg := range x.Args {
		s.follow(arg, l)
	}
}

// within needs the names in the terms of a sum, also the names in helper functions.
func (s *stepper) within(x *Expr) {
	s.spend(1)
	if x.Op == Name {
		s.need(x.Name)
	}
	d := s.text.Definition(x.Name)
	if x.Op != Call || d == nil || s.needed[d.Name] {
		return
	}
	s.needed[d.Name] = true
	d.walk(s.within)
}

// unfold gives a call of a helper function a line, unless an earlier line is the same.
func (s *stepper) unfold(x *Expr, l *line) {
	d := s.text.Definition(x.Name)
	switch {
	case x.Name == "factor" || x.Name == "zero":
		s.unitLine(x, l)
		return
	case d == nil || len(s.out) >= maxSteps:
		return
	}
	call := &line{name: &Expr{Op: Call, Name: x.Name}, def: d, unit: s.o.Units[x.Name], args: map[string]*Expr{}}
	for i, parameter := range d.Params {
		v, ok := s.eval(x.Args[i], l.local)
		if !ok {
			return
		}
		if s.checked != nil {
			call.shapes = &scope{parameter, s.checked.infer(x.Args[i], l.shapes), call.shapes}
		}
		arg := x.Args[i]
		if l.local != nil {
			arg = s.substitute(arg, l)
		}
		call.local = &local{parameter, v, call.local}
		call.args[parameter] = arg
		call.name.Args = append(call.name.Args, arg)
	}
	key := call.name.String()
	if s.seen[key] {
		return
	}
	s.seen[key] = true
	if v, index, ok := s.cases(d, call.local); ok {
		call.value, call.index = v, index
		s.fill(call)
		s.add(call)
	}
}

// cases evaluates a helper function.
func (s *stepper) cases(d *Definition, l *local) (v val, index int, ok bool) {
	defer func() {
		switch r := recover().(type) {
		case nil, fault, undecided, exhausted:
			ok = r == nil && v.kind == numberKind
		default:
			panic(r)
		}
	}()
	v, index = s.env.cases(d, l)
	return v, index, true
}

// unitLine adds a line about the factor or the zero of a unit.
func (s *stepper) unitLine(x *Expr, l *line) {
	key := x.String()
	id, ok := s.eval(x.Args[0], l.local)
	v, ok2 := s.eval(x, l.local)
	if !ok || !ok2 || s.seen[key] {
		return
	}
	s.seen[key] = true
	s.digits[x.Name] = 17
	if n := v.number.nearest(); x.Name == "factor" && n == 1 || n == 0 {
		return
	}
	why := say(unitReason(x.Name, id.text))
	s.add(&line{name: x, index: -1, value: v, reasons: []reason{why}})
}

// unitOfLine returns the unit of the value of a line, or "" if it is not known.
func (s *stepper) unitOfLine(l *line) string {
	c := l.taken()
	if s.checked == nil || l.unit != "" || c == nil || c.Value == nil || l.def.Kind != Function {
		return l.unit
	}
	return s.unitOfPart(c.Value, l)
}

// unitOfPart returns the unit of a part of a rule that is a number, or "" if it is not known. It is the unit of a name if
// it has one, and otherwise the unit of SI.
func (s *stepper) unitOfPart(x *Expr, l *line) string {
	if s.checked == nil || !s.spend(partWork) {
		return ""
	}
	if _, local := l.local.find(x.Name); x.Op == Name && !local {
		return s.o.Units[x.Name]
	}
	if unit := s.unitOf(x, l); unit != "" {
		return unit
	}
	if _, listed := units.Lookup(x.Unit); x.Op == Number && !listed {
		return x.Unit
	}
	of := s.checked.infer(x, l.shapes)
	switch u, listed := units.Lookup(of.unit); {
	case of.kind != numberKind || of.open:
		return ""
	case listed:
		return units.SI(u.Quantity).ID
	}
	return of.dim.String()
}

// unitOf returns the unit of a name, or "" if it is not known.
func (s *stepper) unitOf(x *Expr, l *line) string {
	return s.o.Units[s.nameOf(x, l)]
}

// nameOf returns the name of a part, of the argument if the part is a parameter; "" if it is not a name.
func (s *stepper) nameOf(x *Expr, l *line) string {
	for x.Op == Name && l.args[x.Name] != nil {
		x, l = l.args[x.Name], &line{}
	}
	if _, local := l.local.find(x.Name); x.Op != Name || local {
		return ""
	}
	return x.Name
}
