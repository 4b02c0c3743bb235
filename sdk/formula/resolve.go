package formula

import "slices"

// Resolved returns the text of one formula of several. It leaves out cases of other ids. It
// also leaves out definitions that only those cases used, unless they are among the outputs.
// The remaining cases have no id. The last one of a definition has no condition if that
// condition only chose between ids.
func (t *Text) Resolved(id string, outputs ...string) *Text {
	r := t.resolve(id, t.uses(), outputs)
	r.source = r.Line()
	return r
}

// Expressed is a formula in its shown forms.
type Expressed struct{ Line, LaTeX string }

// MaxExpressed bounds the size of all formulas of a text together, in one line and in LaTeX,
// in bytes.
const MaxExpressed = 24 << 10

// Express returns each formula as [Text.Resolved] does, in one line and in LaTeX. It is false
// if they have more than MaxExpressed bytes. Typeset is as in [Text.LaTeX].
func (t *Text) Express(ids, outputs []string, typeset func(name string) string) ([]Expressed, bool) {
	before, l := t.uses(), newLayout(latex{}, typeset)
	list, left := make([]Expressed, len(ids)), MaxExpressed
	for i, id := range ids {
		r := t.resolve(id, before, outputs)
		line := r.Line()
		l.out, l.most = l.out[:0], left-len(line)
		l.text(r)
		left = l.most - len(l.out)
		if left < 0 {
			return nil, false
		}
		list[i] = Expressed{line, string(l.out)}
	}
	return list, true
}

func (t *Text) resolve(id string, before map[string]int, outputs []string) *Text {
	r := &Text{Definitions: make([]*Definition, 0, len(t.Definitions))}
	for _, d := range t.Definitions {
		if c := d.resolved(id); c != nil {
			r.Definitions = append(r.Definitions, c)
		}
	}
	r.leaveOut(before, outputs)
	return r
}

// leaveOut drops definitions that are not used any more, except outputs. The users of a
// definition come after it, so leaveOut starts with the last one.
func (t *Text) leaveOut(before map[string]int, outputs []string) {
	now := t.uses()
	for i := len(t.Definitions) - 1; i >= 0; i-- {
		d := t.Definitions[i]
		if before[d.Name] == 0 || now[d.Name] > 0 || slices.Contains(outputs, d.Name) {
			continue
		}
		d.Uses(func(name string) { now[name]-- })
		t.Definitions = slices.Delete(t.Definitions, i, i+1)
	}
}

// resolved returns the definition without the cases of other ids, or nil if no case remains.
func (d *Definition) resolved(id string) *Definition {
	if len(d.Cases) < 2 && (len(d.Cases) == 0 || d.Cases[0].ID == "" && !d.Cases[0].Otherwise) {
		return d
	}
	c := *d
	c.Cases = nil
	for _, one := range d.Cases {
		if one.ID == "" || one.ID == id {
			c.Cases = append(c.Cases, one)
		}
	}
	if len(d.Cases) > 0 && len(c.Cases) == 0 {
		return nil
	}
	if len(c.Cases) == 1 && (c.Cases[0].ID != "" || c.Cases[0].Otherwise) {
		c.Cases[0].When, c.Cases[0].Otherwise = nil, false
	}
	for i := range c.Cases {
		c.Cases[i].ID = ""
	}
	return &c
}

// uses counts how often definitions use each name of another one.
func (t *Text) uses() map[string]int {
	used := map[string]int{}
	for _, d := range t.Definitions {
		d.Uses(func(name string) { used[name]++ })
	}
	return used
}

// Uses calls visit for each use of another name.
func (d *Definition) Uses(visit func(name string)) {
	d.walk(func(x *Expr) {
		if (x.Op == Name || x.Op == Call) && x.Name != d.Name {
			visit(x.Name)
		}
	})
}

// walk calls visit for each node.
func (c *Case) walk(visit func(*Expr)) {
	roots := []*Expr{c.When, c.Value}
	if s := c.Solve; s != nil {
		roots = append(roots, s.Low, s.High, s.Left, s.Right)
	}
	for _, x := range roots {
		x.walk(visit)
	}
}

// walk calls visit for each node. It visits the b of a < b < c only once. Both comparisons have
// the same node, so visiting it twice would double the time for each nested chain.
func (x *Expr) walk(visit func(*Expr)) {
	if x == nil {
		return
	}
	visit(x)
	if x.chained {
		x.Args[0].walk(visit)
		visit(x.Args[1])
		x.Args[1].Args[1].walk(visit)
		return
	}
	for _, arg := range x.Args {
		arg.walk(visit)
	}
}
