package formula

import (
	"fmt"
	"math/big"
	"slices"
)

// List is the form of a [Listed] definition, whose Cases give one item. Items are computed in order, and an
// item can use earlier ones: T[i in 1..n] = T[i-1] - q*R[i].
type List struct {
	Index     string // the name of the index, or of the item of Over
	Over      *Expr  // the list whose items it runs over; nil for a range
	Low, High *Expr  // the ends of the range
	First     []First

	group []*Definition // the lists that are computed row by row with this one, in the order of the text
}

// First is an item before the range of a list: T[0] = T_i.
type First struct {
	Index int
	Cases []Case

	pos int32
}

const (
	maxFirst     = 1_000  // the largest index of a First
	maxListItems = 20_000 // of all lists of a text
)

// ends returns the list, or both ends of the range.
func (l *List) ends() []*Expr {
	if l.Over != nil {
		return []*Expr{l.Over}
	}
	return []*Expr{l.Low, l.High}
}

// base returns the index of the first item, where from is the start of the range.
func (l *List) base(from int) int {
	if len(l.First) > 0 {
		return l.First[0].Index
	}
	return from
}

// sameRange reports whether two lists have the same index and range.
func (l *List) sameRange(o *List) bool {
	return l.Index == o.Index && (l.Over == nil) == (o.Over == nil) && slices.EqualFunc(l.ends(), o.ends(), same)
}

// walk calls visit for each node of a definition.
func (d *Definition) walk(visit func(*Expr)) {
	if d.List != nil {
		for _, x := range d.List.ends() {
			x.walk(visit)
		}
		for i := range d.List.First {
			for k := range d.List.First[i].Cases {
				d.List.First[i].Cases[k].walk(visit)
			}
		}
	}
	for i := range d.Cases {
		d.Cases[i].walk(visit)
	}
}

// list reads what follows the name of a list: the index of a first item, or its range.
func (p *parser) list(start int, d *Definition) {
	if p.token.kind == numberToken {
		p.first(start, d.Name)
		return
	}
	list := &List{Index: p.local()}
	p.locals = nil // it has no meaning in its range
	p.expect("in")
	list.Low = p.sum()
	if p.accept("..") {
		list.High = p.sum()
	} else {
		list.Over, list.Low = list.Low, nil
		if list.Over.Op != Name && list.Over.Op != Member {
			p.fail(int(list.Over.from), "a list goes over another list, or from one number to another: %s[i in 1..n] = ...", d.Name)
		}
	}
	p.expect("]")
	p.expect("=")
	p.locals = []string{list.Index}
	d.Kind, d.List = Listed, list
	d.Cases = []Case{p.ending(Case{Value: p.expr()})}
	p.locals = nil
	if p.text.Definition(d.Name) == nil {
		list.First = p.firsts[d.Name]
		delete(p.firsts, d.Name)
		p.checkFirst(list, d.Name)
	} else if len(p.firsts[d.Name]) > 0 {
		p.fail(start, "%s[%d] comes before the range of %s", d.Name, p.firsts[d.Name][0].Index, d.Name)
	}
	p.add(start, *d)
}

// first reads an item before the range of a list, which follows.
func (p *parser) first(start int, name string) {
	x := p.number(p.token)
	p.next()
	p.expect("]")
	p.expect("=")
	c := p.ending(Case{Value: p.expr()})
	if !x.Value.IsInt() || x.Value.Cmp(big.NewRat(maxFirst, 1)) > 0 {
		p.fail(start, "the index of an item is an integer of at most %d: %s[0] = ...", maxFirst, name)
	}
	index := int(x.Value.Num().Int64())
	list := p.firsts[name]
	last := len(list) - 1
	switch {
	case last >= 0 && list[last].Index == index && list[last].Cases[len(list[last].Cases)-1].When == nil:
		p.fail(start, "%s[%d] is defined for every case by the line above: a case before the last one needs an if", name, index)
	case last >= 0 && list[last].Index == index:
		list[last].Cases = append(list[last].Cases, c)
		return
	case last >= 0 && list[last].Index != index-1:
		p.fail(start, "%s[%d] follows %s[%d]: items before the range have no gap", name, index, name, list[last].Index)
	}
	p.firsts[name] = append(list, First{Index: index, Cases: []Case{c}, pos: int32(start)})
}

// checkFirst fails unless the range of a list starts after its first items.
func (p *parser) checkFirst(l *List, name string) {
	if len(l.First) == 0 {
		return
	}
	last := l.First[len(l.First)-1]
	if l.Over != nil || l.Low.Op != Number || l.Low.Value.Cmp(big.NewRat(int64(last.Index+1), 1)) != 0 {
		p.fail(int(last.pos), "%s[%d] needs a range that starts at %d: %s[i in %d..n] = ...", name, last.Index, last.Index+1, name, last.Index+1)
	}
}

// groups finds the lists that are computed row by row: adjacent ones with one range, if one uses items of a list below
// it. It fails for first items without a list.
func (p *parser) groups() {
	for name, list := range p.firsts {
		p.fail(int(list[0].pos), "%s[%d] is an item before a list: write the list below it, %s[i in %d..n] = ...", name, list[0].Index, name, list[len(list)-1].Index+1)
	}
	all := p.text.Definitions
	for from := 0; from < len(all); from++ {
		d := all[from]
		if d.List == nil {
			continue
		}
		to := from + 1
		for to < len(all) && all[to].List != nil && d.List.Over == nil && d.List.sameRange(all[to].List) {
			to++
		}
		run := all[from:to:to]
		joint := refersBelow(run)
		for i, one := range run {
			one.List.group = run[i : i+1 : i+1]
			if joint {
				one.List.group = run
			}
		}
		from = to - 1
	}
}

// refersBelow reports whether a definition uses the name of a later one.
func refersBelow(run []*Definition) (below bool) {
	for i, d := range run {
		d.walk(func(x *Expr) {
			below = below || x.Op == Name && slices.ContainsFunc(run[i+1:], func(o *Definition) bool { return o.Name == x.Name })
		})
	}
	return below
}

// list returns a list. It computes the lists of the group row by row.
func (e *env) list(d *Definition) val {
	if v, ok := e.lists[d.Name]; ok {
		return v
	}
	e.rows(d.List.group)
	return e.lists[d.Name]
}

// rows computes lists with one range. If one of them fails, none has a value.
func (e *env) rows(group []*Definition) {
	done := false
	defer func() {
		if !done {
			for _, d := range group {
				delete(e.lists, d.Name)
			}
		}
	}()
	l := group[0].List
	items, from, ok := e.indexes(l)
	for _, d := range group {
		in, sent := e.inputs[d.Name]
		switch {
		case sent:
			e.lists[d.Name] = in
		case !ok:
			e.lists[d.Name] = val{}
		default:
			e.lists[d.Name] = val{kind: listKind, before: 1 - d.List.base(from)}
			for i := range d.List.First {
				e.extend(d, d.List.First[i].Cases, nil)
			}
		}
	}
	for _, item := range items {
		at := &local{l.Index, item, nil}
		for _, d := range group {
			if _, sent := e.inputs[d.Name]; !sent {
				e.extend(d, d.Cases, at)
			}
		}
	}
	done = true
}

// extend computes the next item of a list.
func (e *env) extend(d *Definition, cases []Case, l *local) {
	e.items++
	if e.items > maxListItems {
		panic(undecided{why: fmt.Sprintf("the lists have more than %d items", maxListItems), final: true})
	}
	item := val{}
	if i := e.branch(cases, l); i >= 0 {
		item = e.value(d, &cases[i], l)
	}
	list := e.lists[d.Name]
	list.list = append(list.list, item)
	e.lists[d.Name] = list
}

// indexes returns the values of the index of a list, and the first one. It is false if an end of the range is absent.
func (e *env) indexes(l *List) (items []val, from int, ok bool) {
	ends, ok := e.operands(&Expr{Op: Fold, Args: l.ends()}, nil)
	if !ok {
		return nil, 1, false
	}
	if l.Over != nil {
		return ends[0].want(listKind).list, 1, true
	}
	from, to := e.whole(ends[0]), e.whole(ends[1])
	return e.integers(from, to, "a list of more than %d items"), from, true
}

// integers returns the integers of a range, and fails if there are too many.
func (e *env) integers(from, to int, why string) (items []val) {
	if to-from >= max(maxTerms, e.longest()) {
		panic(undecided{why: fmt.Sprintf(why, maxTerms), final: true})
	}
	for i := from; i <= to; i++ {
		items = append(items, ofNumber(integer(int64(i))))
	}
	return items
}
