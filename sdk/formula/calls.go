package formula

import (
	"slices"

	"github.com/slipstick/slipstick/sdk/units"
)

// call checks the arguments of a function, and returns the shape of its result.
func (c *checker) call(x *Expr, within *scope) shape {
	if x.Name == "given" {
		return c.given(x)
	}
	d := c.text.Definition(x.Name)
	if d != nil && d.Kind == Function {
		return c.ofText(x, d, within)
	}
	args := make([]shape, len(x.Args))
	for i, arg := range x.Args {
		args[i] = c.infer(arg, within)
	}
	switch x.Name {
	case "factor", "zero":
		c.isUnit(x.Name, x.Args[0], args[0])
		return shape{kind: numberKind, open: true}
	case "mean", "median", "count", "min", "max":
		return c.ofList(x, args)
	case "sort":
		c.ofList(x, args)
		return args[0]
	case "interpolate":
		return c.interpolate(x, args)
	case "floor", "ceil", "round":
		return c.rounding(x, args)
	case "atan2":
		if y := c.numbers(x, args); y.kind == numberKind {
			c.alike(x.Args[1].pos, args[0], args[1], "the arguments of atan2 are alike, and these are %s and %s")
		}
		return plain
	}
	of := c.noPoint(x.Args[0], c.numbers(x, args), x)
	switch x.Name {
	case "abs":
		return of
	case "sign":
		return plain
	case "sqrt":
		if of.kind != numberKind {
			return of
		}
		return c.product(x.pos, shape{kind: numberKind, open: of.open}, of, ratio{1, 2})
	}
	if !plain.fits(of) {
		c.fail(x.Args[0].pos, "%s takes %s, and this is %s", x.Name, plain, of)
	}
	return plain
}

// numbers fails for an argument that is not a number. It returns the shape of the first one.
func (c *checker) numbers(x *Expr, args []shape) shape {
	for i, arg := range args {
		if arg.kind != numberKind && arg.kind != absentKind {
			return c.fail(x.Args[i].pos, "%s takes a number, and this is %v", x.Name, arg)
		}
	}
	return args[0]
}

// ofList checks a function of a list, and min and max of several numbers.
func (c *checker) ofList(x *Expr, args []shape) shape {
	of := args[0]
	switch {
	case len(args) > 1:
		of = c.numbers(x, args)
		for i, arg := range args[1:] {
			if !of.fits(arg) {
				return c.fail(x.Args[i+1].pos, "the arguments of %s are alike, and these are %s and %s", x.Name, of, arg)
			}
			of = of.or(arg)
		}
		return of
	case of.kind != absentKind && of.kind != listKind:
		return c.fail(x.Args[0].pos, "%s of one argument takes a list, and this is %v", x.Name, of)
	case x.Name == "count":
		return plain
	case of.kind == absentKind:
		return of
	}
	item := c.itemShape(of)
	if item.kind != numberKind {
		return c.fail(x.Args[0].pos, "%s takes a list of numbers, and this has %v in it", x.Name, item)
	}
	return item
}

// rounding checks the arguments of `floor`, `ceil` and `round`: a plain number, or a number and a step alike.
func (c *checker) rounding(x *Expr, args []shape) shape {
	of := c.noPoint(x.Args[0], c.numbers(x, args), x)
	step := plain
	if len(args) == 2 {
		step = args[1]
	}
	if !of.fits(step) {
		return c.fail(x.pos, "%s of %s needs a step in the same unit, such as %s(x, {1 mm}), and this is %s", x.Name, of, x.Name, step)
	}
	return of.or(step)
}

// interpolate checks a number and two lists of numbers. The first list is alike to the number.
func (c *checker) interpolate(x *Expr, args []shape) shape {
	var items [3]shape
	items[0] = args[0]
	for i, arg := range args[1:] {
		if arg.kind == absentKind {
			return arg
		}
		if arg.kind != listKind {
			return c.fail(x.Args[i+1].pos, "interpolate takes a number and two lists, and this is %v", arg)
		}
		items[i+1] = c.itemShape(arg)
	}
	if !items[0].fits(items[1]) {
		return c.fail(x.pos, "%s is looked up among %s", items[0], items[1])
	}
	return items[2]
}

// given checks that each argument is an optional input.
func (c *checker) given(x *Expr) shape {
	for _, arg := range x.Args {
		switch s := c.symbols[arg.Name]; {
		case s == nil || s.Input == "":
			c.fail(arg.pos, "given asks whether an input was sent, and %s is none", arg.Name)
		case s.Required:
			c.fail(arg.pos, "%s is always sent or has a default, so that this is always true", arg.Name)
		}
	}
	return truth
}

// ofText checks a call of a function of the text: its body, with the arguments of this call.
// It does so once for arguments of the same shapes.
func (c *checker) ofText(x *Expr, d *Definition, within *scope) shape {
	c.used[d.Name] = true
	var inner *scope
	key := []byte(d.Name)
	for i, arg := range x.Args {
		s := c.infer(arg, within)
		inner = &scope{name: d.Params[i], shape: s, outer: inner}
		key = s.key(key)
	}
	result, known := c.calls[string(key)]
	if !known {
		result = c.cases(d.Name, d.pos, d.Cases, shape{}, inner)
		c.calls[string(key)] = result
	}
	if before, ok := c.results[d.Name]; ok && (before.open || !slices.Equal(before.dim, result.dim)) {
		result.open = true
	}
	if result.kind == numberKind {
		c.results[d.Name] = result
	}
	return c.calls[string(key)]
}

// isUnit fails unless all values of a word are units, for factor and zero.
func (c *checker) isUnit(function string, x *Expr, s shape) {
	if s.kind == absentKind {
		return
	}
	if s.kind != textKind || len(s.of.Values) == 0 {
		c.fail(x.pos, "%s takes a word that is a unit, and this is %v", function, s)
		return
	}
	for _, id := range s.of.Values {
		if _, ok := units.Lookup(id); !ok {
			c.fail(x.pos, "%s takes a unit, and %q is none", function, id)
		}
	}
}
