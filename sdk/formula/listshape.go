package formula

// rows are the lists whose items are being checked.
type rows struct {
	index string
	items map[string]shape // of all lists of the group
	done  map[string]bool  // lists above, which have the item of this row already
}

// list checks the lists of a group at its first one, and returns the shape of d.
func (c *checker) list(d *Definition) shape {
	items := map[string]shape{}
	for _, one := range d.List.group {
		items[one.Name] = shape{}
		s := c.symbols[one.Name]
		switch {
		case s == nil:
		case s.Kind != ListField:
			c.fail(one.pos, "%s is the symbol of %s, which is not a list", one.Name, s.field())
		default:
			items[one.Name] = c.shape(s.Item)
		}
	}
	if d != d.List.group[0] {
		return c.defined[d.Name]
	}
	before := c.current
	for _, one := range d.List.group { // first items have the shape of lists below
		c.current = one
		for i := range one.List.First {
			items[one.Name] = c.cases(one.Name, one.pos, one.List.First[i].Cases, items[one.Name], nil)
		}
	}
	for range 2 { // the second time, the shapes of lists below are known
		c.rows = &rows{index: d.List.Index, items: items, done: map[string]bool{}}
		for _, one := range d.List.group {
			c.current = one
			items[one.Name] = c.cases(one.Name, one.pos, one.Cases, items[one.Name], &scope{name: one.List.Index, shape: c.indexShape(one)})
			c.rows.done[one.Name] = true
		}
	}
	c.rows, c.current = nil, before
	for _, one := range d.List.group[1:] {
		item := items[one.Name]
		c.defined[one.Name] = shape{kind: listKind, item: &item}
	}
	item := items[d.Name]
	return shape{kind: listKind, item: &item}
}

// indexShape checks the range of a list, and returns the shape of its index.
func (c *checker) indexShape(d *Definition) shape {
	if c.symbols[d.List.Index] != nil || c.text.Definition(d.List.Index) != nil {
		c.fail(d.pos, "the list calls its index %s, which is a name already: give the index another one", d.List.Index)
	}
	if d.List.Over == nil {
		c.want(d.List.Low, plain, nil)
		c.want(d.List.High, plain, nil)
		return plain
	}
	return c.itemsOf(d.List.Over, c.infer(d.List.Over, nil), "a list goes over a list, and this is %v")
}

// itemsOf returns the shape of the items of a list, and fails for other values.
func (c *checker) itemsOf(x *Expr, list shape, format string) shape {
	switch {
	case list.kind == absentKind:
		return shape{}
	case list.kind == listKind:
		return c.itemShape(list)
	}
	return c.fail(x.pos, format, list)
}

// itemShape returns the shape of the items of a list.
func (c *checker) itemShape(list shape) shape {
	if list.item != nil {
		return *list.item
	}
	return c.shape(list.of.Item)
}

// inRow checks an item of a list that is being computed: R[i-1], or R[i] of a list above.
func (c *checker) inRow(x *Expr) (shape, bool) {
	if c.rows == nil || x.Args[0].Op != Name {
		return shape{}, false
	}
	name := x.Args[0].Name
	item, own := c.rows.items[name]
	if !own {
		return shape{}, false
	}
	if name != c.current.Name {
		c.used[name] = true
	}
	index := x.Args[1]
	if index.Op == Name && index.Name == c.rows.index && c.rows.done[name] && name != c.current.Name {
		return item, true
	}
	if index.Op == Sub && index.Args[0].Op == Name && index.Args[0].Name == c.rows.index {
		k, ok := c.constant(index.Args[1])
		if ok && k.d == 1 && k.n > 0 {
			return item, true
		}
	}
	return c.fail(x.pos, "%s is not computed yet where %s[%s] is: a list uses its earlier items, such as %s[%s-1]", x, c.current.Name, c.rows.index, name, c.rows.index), true
}
