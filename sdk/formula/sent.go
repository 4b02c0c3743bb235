package formula

import (
	"maps"
	"slices"
)

// Sent is the use of the sent inputs by a text, for all values. All are names of the text,
// sorted.
type Sent struct {
	Unused []string // were sent, and no output depends on them: others replace them
	Given  []string // were sent, and also follow from others that were sent
	Needed []string // were not sent, and an output depends on them
}

// Sent returns how the text uses the sent inputs. Conditions count only if given decides them:
// a case that the values decide may hold. Outputs are names of the text.
//
// With it, callers find inputs that replace each other. With r = rho/A, if r is sent, rho and
// A are unused. If rho and A are also sent, r is given.
func (t *Text) Sent(outputs []string, sent map[string]bool) Sent {
	w := &sentWalk{text: t, sent: sent, seen: map[string]bool{}, used: map[string]bool{}, needed: map[string]bool{}}
	for _, name := range outputs {
		w.name(name)
	}
	s := Sent{Needed: slices.Sorted(maps.Keys(w.needed))}
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		switch d := t.Definition(name); {
		case !sent[name]:
		case !w.used[name]:
			s.Unused = append(s.Unused, name)
		case d != nil && w.gives(d):
			s.Given = append(s.Given, name)
		}
	}
	return s
}

// Repeats returns the inputs that determine how often a definition repeats a computation. These are the inputs of the ranges
// and lists that it goes over, also in functions that it calls. All are names of the text, sorted.
func (t *Text) Repeats(name string) []string {
	var ends []string
	seen := map[string]bool{}
	collect := func(list []*Expr) {
		for _, end := range list {
			end.walk(func(x *Expr) {
				if x.Op == Name {
					ends = append(ends, x.Name)
				}
			})
		}
	}
	var visit func(name string)
	visit = func(name string) {
		d := t.Definition(name)
		if d == nil || seen[name] {
			return
		}
		seen[name] = true
		if d.List != nil {
			collect(d.List.ends())
		}
		d.walk(func(x *Expr) {
			switch x.Op {
			case Fold:
				collect(x.ends())
			case Call:
				visit(x.Name)
			}
		})
	}
	visit(name)
	return t.Sent(ends, nil).Needed
}

// sentWalk visits the inputs that outputs depend on.
type sentWalk struct {
	text               *Text
	sent               map[string]bool
	seen, used, needed map[string]bool
}

func (w *sentWalk) name(name string) {
	if w.seen[name] {
		return
	}
	w.seen[name] = true
	d := w.text.Definition(name)
	switch {
	case w.sent[name]:
		w.used[name] = true
	case d == nil:
		w.needed[name] = true
	case d.List != nil:
		w.usesAll(d)
	default:
		for i := range d.Cases {
			c := &d.Cases[i]
			holds, known := w.decides(c)
			if !known || holds {
				w.uses(d, c, known, w.name)
			}
			if known && holds {
				return
			}
		}
	}
}

// decides reports whether a case holds, and whether that is known without values.
func (w *sentWalk) decides(c *Case) (holds, known bool) {
	if c.When == nil {
		return true, true
	}
	return w.truth(c.When)
}

func (w *sentWalk) truth(x *Expr) (is, known bool) {
	switch {
	case x.Op == Call && x.Name == "given":
		return !slices.ContainsFunc(x.Args, func(arg *Expr) bool { return !w.sent[arg.Name] }), true
	case x.Op == Not:
		is, known = w.truth(x.Args[0])
		return !is, known
	case x.Op == And || x.Op == Or:
		a, knowsA := w.truth(x.Args[0])
		b, knowsB := w.truth(x.Args[1])
		decides := x.Op == Or
		if knowsA && a == decides || knowsB && b == decides {
			return decides, true
		}
		return !decides, knowsA && knowsB
	}
	return false, false
}

// usesAll visits each name that a list uses.
func (w *sentWalk) usesAll(d *Definition) {
	for _, x := range d.List.ends() {
		w.uses(d, &Case{Value: x}, false, w.name)
	}
	for i := range d.List.First {
		for k := range d.List.First[i].Cases {
			w.uses(d, &d.List.First[i].Cases[k], false, w.name)
		}
	}
	for i := range d.Cases {
		w.uses(d, &d.Cases[i], false, w.name)
	}
}

// uses calls visit for each name that a case uses, without its condition if that is known. It
// skips names in calls of given, parameters and indexes.
func (w *sentWalk) uses(d *Definition, c *Case, known bool, visit func(name string)) {
	one := *c
	if known {
		one.When = nil
	}
	own, asked := append([]string{"pi", "true", "false", d.Name}, d.Params...), map[*Expr]bool{}
	if d.List != nil {
		own = append(own, d.List.Index)
	}
	one.walk(func(x *Expr) {
		switch {
		case x.Op == Fold:
			own = append(own, x.Name)
		case x.Op == Call && x.Name == "given":
			for _, arg := range x.Args {
				asked[arg] = true
			}
		}
	})
	one.walk(func(x *Expr) {
		isName := x.Op == Name || x.Op == Call && w.text.Definition(x.Name) != nil
		if isName && !asked[x] && !slices.Contains(own, x.Name) {
			visit(x.Name)
		}
	})
}

// gives reports whether a case of a definition certainly holds and uses inputs, and whether
// they were all sent.
func (w *sentWalk) gives(d *Definition) bool {
	for i := range d.Cases {
		c := &d.Cases[i]
		holds, known := w.decides(c)
		if !known || !holds {
			continue
		}
		uses, all := false, true
		w.uses(d, c, known, func(name string) { uses, all = true, all && w.sent[name] })
		return uses && all
	}
	return false
}
