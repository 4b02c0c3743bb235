package formula

import (
	"slices"

	"github.com/slipstick/slipstick/sdk/doubled"
)

// rowing is a compiled group of lists, which are computed row by row. See env.rows.
type rowing struct {
	folding
	columns []*column
}

// column is a list of a group. Its items are numbers.
type column struct {
	definition int
	slot       int      // of the list
	input      fn[list] // nil if the list cannot be sent
	list       *List
	first      []fn[doubled.Ball]
	item       fn[doubled.Ball]
}

// lists compiles the definitions of a group of lists.
func (c *compiler) lists(d *Definition) {
	group := d.List.group
	from := slices.Index(c.text.Definitions, group[0])
	unless(from >= 0)
	c.at = from
	r := &rowing{folding: folding{size: 1}}
	index, maybe := c.indexOf(&r.folding, d.List.ends())
	for k, one := range group {
		column := &column{definition: from + k, list: one.List}
		if in, ok := c.input(one.Name); ok {
			unless(in.kind == listKind && in.of.Item.Kind == NumberField)
			column.input = in.list
		}
		var x code
		column.slot, x = c.listSlot(&Symbol{Kind: ListField, Item: &Symbol{}})
		r.columns = append(r.columns, column)
		c.memo[from+k] = x // items of the list are read while it is computed
	}
	c.at = from + len(group)
	for k, one := range group {
		column := r.columns[k]
		for i := range one.List.First {
			column.first = append(column.first, c.itemOfList(r, one.List.First[i].Cases))
		}
		c.locals = &binding{name: one.List.Index, code: index}
		column.item = c.itemOfList(r, one.Cases)
		c.locals = nil
	}
	for _, column := range r.columns {
		x := c.memo[column.definition]
		x.maybe, x.direct, x.list = maybe, false, r.read(column)
		c.memo[column.definition] = x
	}
}

// itemOfList compiles the cases of an item.
func (c *compiler) itemOfList(r *rowing, cases []Case) fn[doubled.Ball] {
	x := c.cases(&Definition{Cases: cases}, func(*machine, int) {})
	unless(x.kind == numberKind)
	r.size += x.size
	return x.number
}

// read returns the code of a list, which is an input or computed once.
func (r *rowing) read(c *column) fn[list] {
	return func(m *machine) list {
		if !c.done(m) {
			r.compute(m)
		}
		return m.lists[c.slot]
	}
}

// done reports whether the list is computed or was sent.
func (c *column) done(m *machine) bool {
	if m.done[c.definition] || c.input == nil {
		return m.done[c.definition]
	}
	sent := c.input(m)
	if sent.sent {
		m.lists[c.slot], m.cases[c.definition], m.done[c.definition] = sent, sentCase, true
		m.listed++
	}
	return sent.sent
}

// compute computes the lists that were not sent. A list with an item that is absent is left to the exact evaluator.
func (r *rowing) compute(m *machine) {
	l, from, n, ok := r.items(m)
	start := from
	if r.columns[0].list.Over != nil {
		start = 1
	}
	var columns [4]*column
	todo := columns[:0]
	for _, c := range r.columns {
		if c.done(m) {
			continue
		}
		m.done[c.definition], m.cases[c.definition], m.lists[c.slot] = true, noCase, list{}
		m.listed++
		items := len(c.first) + n
		m.items += items
		m.open = m.open || m.items > maxListItems
		if !ok || m.open {
			continue
		}
		m.lists[c.slot] = list{sent: true, computed: true, before: 1 - c.list.base(start), numbers: m.reserve(items)}
		todo = append(todo, c)
		for _, first := range c.first {
			m.extend(c.slot, first)
		}
	}
	for i := 0; i < n && ok; i++ {
		r.set(m, l, from, i)
		if !m.spend(r.size) {
			return
		}
		for _, c := range todo {
			m.extend(c.slot, c.item)
		}
	}
}

// extend computes the next item of a list.
func (m *machine) extend(slot int, item fn[doubled.Ball]) {
	x := m.item(item(m))
	m.lists[slot].numbers = append(m.lists[slot].numbers, x)
}
