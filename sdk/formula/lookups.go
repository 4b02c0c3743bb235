package formula

import "slices"

// Lookup is a fold that chooses a row of a constant table.
type Lookup struct {
	Definition string   // that has it
	Names      []string // that its condition uses, in their order
	Ordered    []string // columns that the condition of a first or last compares by size
	Same       []string // columns that the condition compares with ==

	text *Text
	pos  int32
}

// choosers are the folds that choose an item.
var choosers = []string{"first", "last", "argmin", "argmax"}

// Lookups returns the folds that choose a row of a table, in the order of the text.
func (t *Text) Lookups(table string) (list []Lookup) {
	for _, d := range t.Definitions {
		d.walk(func(x *Expr) {
			if x.Op == Fold && slices.Contains(choosers, x.Fold.Func) && x.Args[0].Op == Name && x.Args[0].Name == table {
				list = append(list, t.lookup(d, x))
			}
		})
	}
	return list
}

// lookup describes a fold.
func (t *Text) lookup(d *Definition, x *Expr) Lookup {
	l := Lookup{Definition: d.Name, text: t, pos: x.pos}
	x.condition().walk(func(part *Expr) {
		if part.Op == Name && part.Name != x.Name {
			l.Names = append(l.Names, part.Name)
		}
	})
	isOrder := x.Fold.Func == "first" || x.Fold.Func == "last"
	for _, c := range conjuncts(x.condition()) {
		for _, side := range c.Args {
			switch {
			case side.Op != Member || side.Args[0].Op != Name || side.Args[0].Name != x.Name:
			case c.Op == Equal:
				l.Same = append(l.Same, side.Name)
			case isOrder && c.Op >= Less && c.Op <= GreaterEqual:
				l.Ordered = append(l.Ordered, side.Name)
			}
		}
	}
	return l
}

// conjuncts returns the conditions that all hold if a condition holds.
func conjuncts(x *Expr) []*Expr {
	if x == nil {
		return nil
	}
	if x.Op == And {
		return append(conjuncts(x.Args[0]), conjuncts(x.Args[1])...)
	}
	return []*Expr{x}
}

// Mistake returns a mistake at the fold.
func (l *Lookup) Mistake(format string, args ...any) *Error {
	return (&lexer{source: l.text.source}).mistake(int(l.pos), format, args...)
}

// DependsOn reports whether a definition uses another one, directly or through others.
func (t *Text) DependsOn(name, other string) bool {
	seen := map[string]bool{}
	var visit func(string) bool
	visit = func(name string) (found bool) {
		d := t.Definition(name)
		if name == other || d == nil || seen[name] {
			return name == other
		}
		seen[name] = true
		d.Uses(func(used string) { found = found || visit(used) })
		return found
	}
	return visit(name)
}
