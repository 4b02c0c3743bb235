package formula

import (
	"slices"

	"github.com/slipstick/slipstick/sdk/doubled"
)

// ofList compiles a function of a list of numbers.
func ofList(name string, x code) code {
	unless(x.kind == listKind)
	l := x.list
	if name == "count" {
		return code{kind: numberKind, maybe: x.maybe, number: func(m *machine) doubled.Ball {
			items := l(m)
			if !items.sent {
				return doubled.None
			}
			return doubled.OfInt(int64(items.length()))
		}}
	}
	unless(x.of.Item.Kind == NumberField)
	f := map[string]func(*machine, list) doubled.Ball{
		"min": least, "max": greatest, "mean": mean, "median": median,
	}[name]
	unless(f != nil)
	return code{kind: numberKind, maybe: x.maybe, number: func(m *machine) doubled.Ball {
		items := l(m)
		switch {
		case !items.sent:
			return doubled.None
		case len(items.numbers) == 0 || !m.spend(len(items.numbers)):
			return doubled.Unknown
		}
		return f(m, items)
	}}
}

// spend takes steps. It is false if none are left, or the evaluation is open.
func (m *machine) spend(n int) bool {
	if m.open {
		return false
	}
	m.steps -= n
	m.open = m.steps < 0
	return !m.open
}

func least(_ *machine, l list) doubled.Ball {
	x := l.numbers[0]
	for _, y := range l.numbers[1:] {
		x = x.Min(y)
	}
	return x
}

func greatest(_ *machine, l list) doubled.Ball {
	x := l.numbers[0]
	for _, y := range l.numbers[1:] {
		x = x.Max(y)
	}
	return x
}

func mean(_ *machine, l list) doubled.Ball {
	sum := l.numbers[0]
	for _, y := range l.numbers[1:] {
		sum = sum.Add(y)
	}
	return sum.Div(doubled.OfInt(int64(len(l.numbers))))
}

// copied returns a copy of a list in the memory of the machine.
func (m *machine) copied(list []doubled.Ball) []doubled.Ball {
	return append(m.reserve(len(list)), list...)
}

// median sorts. Equal balls of inputs are equal numbers, and equal balls that were computed need not be.
func median(m *machine, l list) doubled.Ball {
	list := m.copied(l.numbers)
	slices.SortFunc(list, func(x, y doubled.Ball) int {
		if x == y && !l.computed {
			return 0
		}
		order, known := x.Order(y)
		if !known {
			m.open = true
		}
		return order
	})
	n := len(list) / 2
	if len(list)%2 == 0 {
		return list[n-1].Add(list[n]).Div(doubled.OfInt(2))
	}
	return list[n]
}

// sortOf compiles sort.
func sortOf(x code) code {
	unless(x.kind == listKind && x.of.Item.Kind == NumberField)
	of := x.list
	y := x
	y.direct = false
	y.list = func(m *machine) list {
		l := of(m)
		if !m.spend(len(l.numbers)) {
			return list{}
		}
		numbers := m.copied(l.numbers)
		slices.SortStableFunc(numbers, m.order)
		return list{sent: l.sent, computed: l.computed, numbers: numbers}
	}
	return y
}

// interpolateOf compiles interpolate. See env.interpolate.
func interpolateOf(args []code) code {
	unless(args[0].kind == numberKind)
	for _, arg := range args[1:] {
		unless(arg.kind == listKind && arg.of.Item.Kind == NumberField)
	}
	x, xs, ys := args[0].number, args[1].list, args[2].list
	return code{kind: numberKind, maybe: args[0].maybe || args[1].maybe || args[2].maybe, number: func(m *machine) doubled.Ball {
		v, at, of := x(m), xs(m), ys(m)
		if v.IsNone() || !at.sent || !of.sent {
			return m.absent(v)
		}
		return m.interpolate(v, at.numbers, of.numbers)
	}}
}

func (m *machine) interpolate(x doubled.Ball, at, of []doubled.Ball) doubled.Ball {
	if len(at) != len(of) || len(at) < 2 || !m.spend(2*len(at)) {
		return doubled.Unknown
	}
	for i := range at[1:] {
		if m.order(at[i], at[i+1]) >= 0 {
			return doubled.Unknown
		}
	}
	if m.order(x, at[0]) < 0 || m.order(x, at[len(at)-1]) > 0 {
		return doubled.Unknown
	}
	i := 1
	for i < len(at)-1 && m.order(x, at[i]) > 0 {
		i++
	}
	slope := of[i].Sub(of[i-1]).Div(at[i].Sub(at[i-1]))
	return of[i-1].Add(slope.Mul(x.Sub(at[i-1])))
}

// folding is a compiled fold. Its index is in a slot.
type folding struct {
	items     func(*machine) (l list, from, n int, ok bool) // ok unless they are absent
	set       func(m *machine, l list, from, i int)
	size      int // steps for an item
	condition fn[logic]
	body      code // the index if there is no body
	hasBody   bool
	onRange   bool
}

// fold compiles a fold. See env.fold.
func (c *compiler) fold(x *Expr) code {
	f := &folding{size: 1, hasBody: x.Fold.Body, onRange: x.Fold.Range}
	index, maybe := c.indexOf(f, x.ends())
	outer := c.locals
	c.locals = &binding{x.Name, index, outer}
	if when := x.condition(); when != nil {
		condition := c.expr(when)
		unless(condition.kind == boolKind)
		f.condition, f.size = condition.truth, f.size+condition.size
	}
	f.body = index
	if body := x.body(); body != nil {
		f.body = c.expr(body)
		f.size += f.body.size
	}
	c.locals = outer
	y := f.code(x.Fold.Func, maybe)
	y.size = f.size
	return y
}

// indexOf compiles the items of a list or a range, and returns the index. They can be absent if maybe is true.
func (c *compiler) indexOf(f *folding, ends []*Expr) (index code, maybe bool) {
	from := c.expr(ends[0])
	if len(ends) == 1 {
		return c.listOf(f, from), from.maybe
	}
	to := c.expr(ends[1])
	return c.rangeOf(f, from, to), from.maybe || to.maybe
}

// rangeOf compiles the items of a range, and returns its index.
func (c *compiler) rangeOf(f *folding, low, high code) code {
	unless(low.kind == numberKind && high.kind == numberKind)
	a, b := low.number, high.number
	f.items = func(m *machine) (l list, from, n int, ok bool) {
		v, w := a(m), b(m)
		if v.IsNone() || w.IsNone() {
			m.absent(v, w)
			return l, 0, 0, false
		}
		from, to := m.whole(v), m.whole(w)
		if to-from >= maxTerms && to-from >= m.longest() {
			m.open = true
		}
		return l, from, max(0, to-from+1), true
	}
	slot, index := c.numberSlot()
	f.set = func(m *machine, _ list, from, i int) { m.numbers[slot] = doubled.OfInt(int64(from + i)) }
	return index
}

// listOf compiles the items of a list, and returns its index.
func (c *compiler) listOf(f *folding, of code) code {
	unless(of.kind == listKind)
	items := of.list
	f.items = func(m *machine) (l list, from, n int, ok bool) {
		l = items(m)
		return l, 0, l.length(), l.sent
	}
	s := of.of.Item
	switch s.Kind {
	case NumberField:
		slot, index := c.numberSlot()
		f.set = func(m *machine, l list, _, i int) { m.numbers[slot] = l.numbers[i] }
		return index
	case ListField:
		slot, index := c.listSlot(s)
		f.set = func(m *machine, l list, _, i int) { m.lists[slot] = l.lists[i] }
		return index
	case RecordField:
		slot := c.slots.records
		c.slots.records++
		f.set = func(m *machine, l list, _, i int) { m.records[slot] = l.record(i) }
		return code{kind: recordKind, of: s, size: 1, record: func(m *machine) record { return m.records[slot] }}
	}
	index, set := c.slot(s)
	f.set = func(m *machine, l list, _, i int) { set(m, l.values[i]) }
	return index
}

// next sets the index to an item, and reports whether the condition keeps it. An absent condition does not hold.
func (f *folding) next(m *machine, l list, from, i int) bool {
	f.set(m, l, from, i)
	return m.spend(f.size) && (f.condition == nil || f.condition(m) == yes)
}

func (f *folding) code(name string, maybe bool) code {
	switch name {
	case "any", "all":
		return f.truth(name == "any", maybe)
	case "first", "last":
		return f.one(name == "last")
	case "count":
		unless(!f.hasBody || f.body.kind == boolKind)
		return code{kind: numberKind, maybe: maybe, number: f.count}
	case "argmin", "argmax":
		unless(f.body.kind == numberKind)
		return code{kind: numberKind, maybe: true, number: f.place(name == "argmin")}
	}
	unless(f.body.kind == numberKind)
	add := map[string]func(x, y doubled.Ball) doubled.Ball{
		"sum": doubled.Ball.Add, "mean": doubled.Ball.Add, "min": doubled.Ball.Min, "max": doubled.Ball.Max,
	}[name]
	return code{kind: numberKind, maybe: maybe || name != "sum" || f.body.maybe, number: f.numbers(name, add)}
}

// truth compiles any and all, which stop at the item that decides.
func (f *folding) truth(decides, maybe bool) code {
	unless(!f.hasBody || f.body.kind == boolKind)
	return code{kind: boolKind, maybe: maybe, truth: func(m *machine) logic {
		l, from, n, ok := f.items(m)
		if !ok {
			return neither
		}
		for i := 0; i < n && !m.open; i++ {
			if f.next(m, l, from, i) && (!f.hasBody || f.body.truth(m) == yes) == decides {
				return truthOf(decides)
			}
		}
		return truthOf(!decides)
	}}
}

// one compiles first and last, which stop at the item that they give.
func (f *folding) one(last bool) code {
	x := f.body
	x.maybe, x.fixed, x.direct = true, false, false
	find := func(m *machine) bool {
		l, from, n, _ := f.items(m)
		for i := 0; i < n && !m.open; i++ {
			at := i
			if last {
				at = n - 1 - i
			}
			if f.next(m, l, from, at) {
				return true
			}
		}
		return false
	}
	switch x.kind {
	case numberKind:
		x.number = ifAll(find, x.number, doubled.None)
	case boolKind:
		x.truth = ifAll(find, x.truth, neither)
	case textKind:
		x.word = ifAll(find, x.word, word{})
	case listKind:
		x.list = ifAll(find, x.list, list{})
	default:
		x.record = ifAll(find, x.record, record{})
	}
	return x
}

// count counts the items for which the condition and the body hold.
func (f *folding) count(m *machine) doubled.Ball {
	l, from, n, ok := f.items(m)
	if !ok {
		return doubled.None
	}
	count := int64(0)
	for i := 0; i < n && !m.open; i++ {
		if f.next(m, l, from, i) && (!f.hasBody || f.body.truth(m) == yes) {
			count++
		}
	}
	return doubled.OfInt(count)
}

// numbers compiles sum, mean, min and max. They are absent if a number is, and if there is none, except that an empty
// sum is 0.
func (f *folding) numbers(name string, add func(x, y doubled.Ball) doubled.Ball) fn[doubled.Ball] {
	body := f.body.number
	return func(m *machine) doubled.Ball {
		l, from, n, ok := f.items(m)
		if !ok {
			return doubled.None
		}
		var total doubled.Ball
		count, absent := int64(0), false
		for i := 0; i < n && !m.open; i++ {
			if !f.next(m, l, from, i) {
				continue
			}
			v := body(m)
			count++
			switch {
			case v.IsNone():
				absent = true
			case absent:
				m.known(v)
			case count == 1:
				total = v
			default:
				total = add(total, v)
			}
		}
		switch {
		case absent || count == 0 && name != "sum":
			return m.absent(total)
		case name == "mean":
			return total.Div(doubled.OfInt(count))
		}
		return total
	}
}

// place compiles argmin and argmax: the first place of the least or the greatest number.
func (f *folding) place(least bool) fn[doubled.Ball] {
	body := f.body.number
	return func(m *machine) doubled.Ball {
		l, from, n, ok := f.items(m)
		if !ok {
			return doubled.None
		}
		best, at, absent := doubled.None, 0, false
		for i := 0; i < n && !m.open; i++ {
			if !f.next(m, l, from, i) {
				continue
			}
			v := m.known(body(m))
			switch {
			case v.IsNone():
				absent = true
				continue
			case !best.IsNone():
				order := m.order(v, best)
				if least && order >= 0 || !least && order <= 0 {
					continue
				}
			}
			best, at = v, i
		}
		switch {
		case absent || best.IsNone():
			return doubled.None
		case f.onRange:
			return doubled.OfInt(int64(from + at))
		}
		return doubled.OfInt(int64(at + 1 - l.before))
	}
}
