package formula

import (
	"strconv"
)

// reason explains in words and signs why a condition holds or does not, with values.
type reason struct {
	pieces []piece

	left  string // of a comparison by size, like op and bound
	op    Op
	bound float64
}

// piece is a word or an expression of a reason.
type piece struct {
	word string
	x    *Expr
}

// say makes a reason of expressions and words.
func say(parts ...any) reason {
	var r reason
	for _, part := range parts {
		switch p := part.(type) {
		case string:
			r.pieces = append(r.pieces, piece{word: p})
		case *Expr:
			r.pieces = append(r.pieces, piece{x: p})
		}
	}
	return r
}

func (r reason) String() string {
	text := ""
	for _, p := range r.pieces {
		if p.x != nil && p.x.Op == Number {
			text += quantityText(p.x)
		} else if p.x != nil && p.x.Op == Literal {
			text += p.x.Name
		} else if p.x != nil {
			text += p.x.String()
		} else {
			text += p.word
		}
	}
	return text
}

// because explains why the case of a definition counts: its condition holds, and the earlier
// ones do not. For a case with a condition, only the previous one matters to readers: it is
// the other end of an interval.
func (s *stepper) because(d *Definition, index int, l *line) []reason {
	c := &d.Cases[index]
	from := 0
	if c.When != nil {
		from = max(0, index-1)
	}
	var all []reason
	for i := from; i < index; i++ {
		all = append(all, s.explain(d.Cases[i].When, false, l)...)
	}
	if c.When != nil {
		all = append(all, s.explain(c.When, true, l)...)
	}
	return distinct(all)
}

// distinct leaves out repeated reasons, and reasons that follow from another one: H >= 11000
// if H >= 20000 is in the list.
func distinct(all []reason) []reason {
	var out []reason
	before := map[string]bool{}
	for i := range all[:min(maxReasons, len(all))] {
		r := &all[i]
		text := r.String()
		implied := before[text]
		for j := range all {
			implied = implied || i != j && all[j].implies(r)
		}
		before[text] = true
		if !implied {
			out = append(out, *r)
		}
	}
	return out
}

// maxReasons is the largest number of comparisons for one condition.
const maxReasons = 20

func (r *reason) implies(o *reason) bool {
	if r.left == "" || r.left != o.left || r.op != o.op {
		return false
	}
	if r.op == Less || r.op == LessEqual {
		return r.bound < o.bound
	}
	return r.bound > o.bound
}

// explain returns the reasons why a condition is true, or false. For an and that is false, and
// an or that is true, one operand decides.
func (s *stepper) explain(x *Expr, is bool, l *line) []reason {
	if !s.spend(partWork) {
		return nil
	}
	switch {
	case x.Op == Not:
		return s.explain(x.Args[0], !is, l)
	case x.Op == And || x.Op == Or:
		if is == (x.Op == And) {
			return append(s.explain(x.Args[0], is, l), s.explain(x.Args[1], is, l)...)
		}
		for _, arg := range x.Args {
			if v, ok := s.eval(arg, l.local); ok && v.kind == boolKind && v.is == is {
				return s.explain(arg, is, l)
			}
		}
		return s.explain(x.Args[0], is, l) // it is absent
	case x.Op.compares():
		return []reason{s.compared(x, is, l)}
	case x.Op == Call && x.Name == "given":
		return s.sent(x, is)
	}
	if d, v := s.text.Definition(x.Name), s.env.known[x.Name]; x.Op == Name && d != nil && v != nil && !v.Sent && v.Case >= 0 {
		return s.explain(d.Cases[v.Case].Value, is, &line{}) // a condition with a name
	}
	v, ok := s.eval(x, l.local)
	if !ok || v.kind != boolKind {
		return []reason{say(x, " is not given")}
	}
	return []reason{say(x, " is "+strconv.FormatBool(v.is))}
}

func (s *stepper) sent(x *Expr, is bool) []reason {
	var out []reason
	for _, arg := range x.Args {
		_, sent := s.env.inputs[arg.Name]
		if !is && !sent {
			return []reason{say(arg, " is not given")}
		}
		out = append(out, say(arg, " is given"))
	}
	return out
}

// turned is the comparison that holds if another does not.
var turned = map[Op]Op{Less: GreaterEqual, LessEqual: Greater, Greater: LessEqual, GreaterEqual: Less, Equal: NotEqual, NotEqual: Equal}

// compared describes the result of a comparison: lambda = 14.757283 < C_c = 125.66371.
func (s *stepper) compared(x *Expr, is bool, l *line) reason {
	a, b := x.Args[0], x.Args[1]
	va, okA := s.eval(a, l.local)
	vb, okB := s.eval(b, l.local)
	switch {
	case !okA || va.kind == absentKind:
		return say(a, " is not given")
	case !okB || vb.kind == absentKind:
		return say(b, " is not given")
	case va.kind == textKind && a.Op == Literal:
		return say(b, " is ", &Expr{Op: Literal, Name: vb.text})
	case va.kind == textKind:
		return say(a, " is ", &Expr{Op: Literal, Name: va.text})
	case va.kind != numberKind || vb.kind != numberKind:
		return say(a, " is "+strconv.FormatBool(va.is))
	}
	op := x.Op
	if !is {
		op = turned[op]
	}
	left, right := va.number, vb.number
	digits := max(figures, l.digits)
	for digits < 17 && op != Equal && Rounded(left.nearest(), digits) == Rounded(right.nearest(), digits) {
		digits++
	}
	first, second := s.valued(a, left, digits, l), s.valued(b, right, digits, l)
	switch {
	case op == Equal && b.Op == Number:
		return say(first...)
	case op == Equal:
		return say(append([]any{a, " = "}, second...)...)
	case op == NotEqual:
		return say(append(append(first, " is not "), second...)...)
	}
	r := say(append(append(first, operators[op]), second...)...)
	r.left, r.op, r.bound = a.String(), op, right.nearest()
	return r
}

// valued returns x = value unit, or only the value if x is a number.
func (s *stepper) valued(x *Expr, v number, digits int, l *line) []any {
	unit := s.unitOf(x, l)
	if unit == "" {
		unit = s.unitOfPart(x, l)
	}
	value := s.shown(v, digits, s.nameOf(x, l), unit)
	switch {
	case x.Op == Number && x.Unit != "" && value.Unit == "":
		return []any{&Expr{Op: Number, Literal: x.Literal, Unit: x.Unit}}
	case x.Op == Number:
		return []any{value}
	case value.Unit == "":
		value.Unit = unit
	}
	return []any{x, " = ", value}
}
