package formula

import (
	"slices"

	"github.com/slipstick/slipstick/sdk/spelling"
	"github.com/slipstick/slipstick/sdk/units"
)

// scope is a parameter, an index or the unknown of an equation, with the outer ones.
type scope struct {
	name  string
	shape shape
	outer *scope
}

func (s *scope) find(name string) *scope {
	for ; s != nil && s.name != name; s = s.outer {
	}
	return s
}

// infer returns the shape of an expression, and records its mistakes.
func (c *checker) infer(x *Expr, within *scope) shape {
	switch x.Op {
	case Number:
		return c.literal(x)
	case Name:
		return c.name(x, within)
	case Literal:
		return shape{kind: textKind, of: &Symbol{Kind: WordField, Values: []string{x.Name}}}
	case And, Or, Not:
		for _, arg := range x.Args {
			c.want(arg, truth, within)
		}
		return truth
	case Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual:
		return c.comparison(x, within)
	case Call:
		return c.call(x, within)
	case Index:
		return c.item(x, within)
	case Member:
		return c.member(x, within)
	case Fold:
		return c.fold(x, within)
	case Ask:
		return c.ask(x, within)
	}
	return c.arithmetic(x, within)
}

// want fails unless an expression has a kind and a dimension.
func (c *checker) want(x *Expr, needed shape, within *scope) shape {
	got, _ := c.alike(x.pos, needed, c.infer(x, within), "%s is needed here, and this is %s")
	return got
}

// alike fails unless two shapes have the same kind and dimension. It returns the shape with
// more known facts.
func (c *checker) alike(pos int32, a, b shape, format string) (shape, bool) {
	if !a.fits(b) {
		return c.fail(pos, format, a, b), false
	}
	return a.or(b), true
}

// literal checks that the unit of a number is known, and that the number can be converted to
// SI.
func (c *checker) literal(x *Expr) shape {
	u, ok := c.unit(x.Unit)
	listed, known := units.Lookup(x.Unit)
	switch {
	case !ok:
		return c.fail(x.pos, "unit %q is not factors with blanks between them, such as W/(m2 K)", x.Unit)
	case u.unknown != "":
		return c.fail(x.pos, "unit %q is not known: %s is none", x.Unit, u.unknown)
	case !known && !u.coherent && x.Unit != "%":
		return c.fail(x.pos, "a number in %s has to be converted: write %s", x.Unit, inSI(u, listed))
	}
	return shape{kind: numberKind, dim: u.dim, unit: x.Unit, open: x.Value.Sign() == 0 && x.Unit == "", point: listed.Offset != nil}
}

// inSI describes the unit in which to write a number instead.
func inSI(u unit, listed units.Unit) string {
	switch {
	case listed.ID != "":
		return "it in " + units.SI(listed.Quantity).ID
	case len(u.dim) == 0:
		return "a plain number"
	}
	return "it in " + u.dim.String()
}

// name returns the shape of a name at this place.
func (c *checker) name(x *Expr, within *scope) shape {
	if l := within.find(x.Name); l != nil {
		return l.shape
	}
	switch x.Name {
	case "pi":
		return plain
	case "true", "false":
		return truth
	}
	c.used[x.Name] = true
	d, s := c.text.Definition(x.Name), c.symbols[x.Name]
	above, defined := c.defined[x.Name]
	switch {
	case d != nil && d.Kind == Function:
		return c.fail(x.pos, "%s is a function: its arguments are missing", x.Name)
	case d != nil && d == c.current:
		return c.fail(x.pos, "%s is used in its own definition", x.Name)
	case d != nil && c.rows != nil && hasKey(c.rows.items, x.Name):
		return c.fail(x.pos, "%s is computed row by row with %s: use its items, such as %s[%s-1]", x.Name, c.current.Name, x.Name, c.rows.index)
	case defined:
		return above
	case s != nil && (s.Input != "" || s.Constant):
		return c.shape(s)
	case d != nil:
		return c.fail(x.pos, "%s is used above its definition: change the order", x.Name)
	case len(c.errs) == maxMistakes:
		return shape{}
	}
	return c.failAt(x.Name, x.pos, "%s is not an input, and nothing above defines it%s", x.Name, c.nearest(x.Name))
}

// maxGuess bounds the pairs of bytes that are compared for suggestions, in one text.
const maxGuess = 100_000

// nearest suggests a name.
func (c *checker) nearest(name string) string {
	var names []string
	for _, d := range c.text.Definitions {
		if _, above := c.defined[d.Name]; above {
			names = append(names, d.Name)
		}
	}
	for i := range c.fields {
		if c.fields[i].Input != "" {
			names = append(names, c.fields[i].Name)
		}
	}
	for i := range c.fields {
		if slices.Contains(c.fields[i].Values, name) {
			return `: a word is written in quotation marks, "` + name + `"`
		}
	}
	return c.guess(name, names)
}

// guess suggests one of the known words, unless there are too many of them.
func (c *checker) guess(word string, known []string) string {
	for _, k := range known {
		c.guesses += 1 + len(word)*len(k)
	}
	if c.guesses <= maxGuess {
		if likely, ok := spelling.Guess(word, known); ok {
			return ": is it " + likely + "?"
		}
	}
	return ""
}

// comparison checks that two values can be compared.
func (c *checker) comparison(x *Expr, within *scope) shape {
	a, b := c.infer(x.Args[0], within), c.infer(x.Args[1], within)
	same, ok := c.alike(x.pos, a, b, "%s is compared with %s")
	equality := x.Op == Equal || x.Op == NotEqual
	switch {
	case !ok:
	case same.kind == listKind || same.kind == recordKind:
		c.fail(x.pos, "%v cannot be compared", same)
	case same.kind != numberKind && same.kind != absentKind && !equality:
		c.fail(x.pos, "%v has no order: compare it with == or !=", same)
	case a.kind == textKind && b.kind == textKind:
		c.words(x.Args[0], a, b)
		c.words(x.Args[1], b, a)
	}
	return truth
}

// words fails for a word that is compared with a field that never has it.
func (c *checker) words(x *Expr, word, other shape) {
	if x.Op != Literal || other.of.Values == nil || slices.Contains(other.of.Values, x.Name) {
		return
	}
	c.fail(x.pos, "%q is not a value of %s%s", x.Name, other.of.Name, c.guess(x.Name, other.of.Values))
}

// item checks list[number].
func (c *checker) item(x *Expr, within *scope) shape {
	if item, ok := c.inRow(x); ok {
		return item
	}
	list := c.infer(x.Args[0], within)
	c.want(x.Args[1], plain, within)
	if n, ok := c.constant(x.Args[1]); ok && list.item == nil && (n.d != 1 || n.n < 1) {
		c.fail(x.Args[1].pos, "items are numbered from 1")
	}
	switch list.kind {
	case absentKind:
		return list
	case listKind:
		return c.itemShape(list)
	}
	return c.fail(x.pos, "only a list has items, and this is %v", list)
}

// member checks record.name.
func (c *checker) member(x *Expr, within *scope) shape {
	of := c.infer(x.Args[0], within)
	record := of
	if of.kind == listKind {
		record = c.itemShape(of)
	}
	if record.kind == absentKind {
		return record
	}
	if record.kind != recordKind {
		return c.fail(x.pos, "only a record has fields, and this is %v", of)
	}
	m := record.of.member(x.Name)
	if m == nil {
		return c.fail(x.pos, "the record has no field %s", x.Name)
	}
	field := c.shape(m)
	if of.kind == listKind {
		return shape{kind: listKind, item: &field}
	}
	return field
}

// fold checks a fold over a list or a range. Its index is a name of its own.
func (c *checker) fold(x *Expr, within *scope) shape {
	if c.symbols[x.Name] != nil || c.text.Definition(x.Name) != nil {
		c.fail(x.pos, "the %s calls its index %s, which is a name already: give the index another one", x.Fold.Func, x.Name)
	}
	index := &scope{name: x.Name, shape: plain, outer: within}
	if x.Fold.Range {
		c.want(x.Args[0], plain, within)
		c.want(x.Args[1], plain, within)
	} else {
		index.shape = c.itemsOf(x.Args[0], c.infer(x.Args[0], within), "a "+x.Fold.Func+" goes over a list, and this is %v")
	}
	if condition := x.condition(); condition != nil {
		c.want(condition, truth, index)
	}
	body := x.body()
	switch x.Fold.Func {
	case "any", "all", "count":
		if body != nil {
			c.want(body, truth, index)
		}
		if x.Fold.Func == "count" {
			return plain
		}
		return truth
	case "first", "last":
		if body == nil {
			return index.shape
		}
		return c.infer(body, index)
	}
	of := index.shape
	if body != nil {
		of = c.wantNumber(body, index)
	} else if of.kind != numberKind && of.kind != absentKind {
		of = c.fail(x.pos, "%s takes numbers, and the items are %v: write what is to be folded after :", x.Fold.Func, of)
	}
	switch {
	case x.Fold.Func == "argmin" || x.Fold.Func == "argmax":
		return plain
	case x.Fold.Func == "sum" && body != nil:
		return c.noPoint(body, of, x)
	case x.Fold.Func == "sum":
		return c.noPoint(x.Args[0], of, x)
	}
	return of
}

// wantNumber fails unless an expression is a number, of any dimension.
func (c *checker) wantNumber(x *Expr, within *scope) shape {
	got := c.infer(x, within)
	if got.kind != numberKind && got.kind != absentKind {
		return c.fail(x.pos, "%s is needed here, and this is %s", plain, got)
	}
	return got
}

// arithmetic returns the shape of a sum, a product or a power.
func (c *checker) arithmetic(x *Expr, within *scope) shape {
	if x.Op == Pow {
		return c.power(x, within)
	}
	a := c.wantNumber(x.Args[0], within)
	if a.kind == absentKind {
		return a
	}
	if x.Op == Neg {
		return c.noPoint(x.Args[0], a, x)
	}
	b, k := c.wantNumber(x.Args[1], within), first
	if b.kind == absentKind {
		return b
	}
	if a.point || b.point {
		return c.points(x, a, b)
	}
	switch x.Op {
	case Add:
		a, _ = c.alike(x.pos, a, b, "%[2]s is added to %[1]s")
		return a
	case Sub:
		a, _ = c.alike(x.pos, a, b, "%[2]s is subtracted from %[1]s")
		return a
	case Div:
		k.n = -1
	}
	return c.product(x.pos, a, b, k)
}

// points returns the shape of the difference of two points, or of a point and a number of kelvins.
func (c *checker) points(x *Expr, a, b shape) shape {
	switch {
	case x.Op == Sub && a.point && b.point:
		return shape{kind: numberKind, dim: a.dim}
	case x.Op == Sub && a.point || x.Op == Add && a.point != b.point:
		of, other, at := a, b, x.Args[1]
		if b.point {
			of, other, at = b, a, x.Args[0]
		}
		if other.open || !slices.Equal(of.dim, other.dim) {
			return c.fail(at.pos, "only a number of kelvins is added to a point on a scale of temperature, and this is %s", other)
		}
		return of
	case x.Op == Sub:
		return c.fail(x.pos, "a point on a scale of temperature cannot be subtracted from %s: only from another point", a)
	case x.Op == Add:
		return c.fail(x.pos, "%s is a point on a scale, and so is %s: points cannot be added. Write the first one plus a difference", x.Args[0], x.Args[1])
	}
	at := x.Args[0]
	if b.point {
		at = x.Args[1]
	}
	return c.noPoint(at, shape{kind: numberKind, point: true}, x)
}

// noPoint fails for a point on a scale of temperature, in an operation that counts from its zero.
func (c *checker) noPoint(x *Expr, s shape, in *Expr) shape {
	if s.point {
		return c.fail(x.pos, "%s is a point on a scale: %s counts from -273.15 degC. If a rise of temperature is meant, give it the unit K difference; otherwise write %[1]s - {0 degC}", x, in)
	}
	return s
}

// product returns the shape of a * b^k.
func (c *checker) product(pos int32, a, b shape, k ratio) shape {
	dim, ok := a.dim.times(b.dim, k)
	if !ok {
		return c.fail(pos, "the exponents of the unit are larger than in any quantity")
	}
	return shape{kind: numberKind, dim: dim, open: a.open || b.open}
}

// power checks x^n. A base with a unit needs an exponent that is known.
func (c *checker) power(x *Expr, within *scope) shape {
	of := c.noPoint(x.Args[0], c.wantNumber(x.Args[0], within), x)
	c.want(x.Args[1], plain, within)
	switch k, ok := c.constant(x.Args[1]); {
	case of.kind == absentKind || of.open || len(of.dim) == 0:
		return shape{kind: of.kind, open: of.open}
	case ok:
		return c.product(x.pos, plain, of, k)
	}
	return c.fail(x.pos, "a power of %v needs a number as exponent, such as 2 or (3/2)", of)
}

// constant returns the value of an expression without fields, if the value is short.
func (c *checker) constant(x *Expr) (ratio, bool) {
	var a, b ratio
	var ok bool
	switch x.Op {
	case Number:
		n, d := x.Value.Num(), x.Value.Denom()
		short := x.Unit == "" && n.BitLen() < 20 && d.BitLen() < 20
		if !short {
			return a, false
		}
		return ratio{n.Int64(), d.Int64()}, true
	case Name:
		d := c.text.Definition(x.Name)
		if d == nil || d.Kind != Constant {
			return a, false
		}
		return c.constant(d.Cases[0].Value)
	case Neg, Add, Sub, Mul, Div:
		a, ok = c.constant(x.Args[0])
		if !ok {
			return a, false
		}
		b, ok = c.constant(x.Args[len(x.Args)-1])
		if !ok {
			return b, false
		}
	default:
		return a, false
	}
	switch x.Op {
	case Neg:
		a.n = -a.n
	case Add:
		a = ratioOf(a.n*b.d+b.n*a.d, a.d*b.d)
	case Sub:
		a = ratioOf(a.n*b.d-b.n*a.d, a.d*b.d)
	case Mul:
		a = ratioOf(a.n*b.n, a.d*b.d)
	case Div:
		if b.n == 0 {
			return a, false
		}
		a = ratioOf(a.n*b.d, a.d*b.n)
	}
	return a, max(a.n, -a.n, a.d) < maxRatio
}
