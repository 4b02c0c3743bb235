package compat

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
)

// Change is one entry of a Spec that was added, removed or changed, and the bump that the
// change needs.
type Change struct {
	Where string `json:"where"` // such as "input length"
	What  string `json:"what"`  // such as "the default changed"
	Old   string `json:"old,omitempty"`
	New   string `json:"new,omitempty"`
	Needs Bump   `json:"needs"`
}

// Specs returns the changes for callers between two Specs of one capability. They are about
// the inputs that callers may send, the outputs that they receive, and the codes that they
// must know. Texts for people may change in a patch.
func Specs(older, newer *sdk.Spec) []Change {
	var c changes
	c.text("tool id", "changed: it is an address", older.Tool, newer.Tool, Major)
	c.text("group", "changed: pages have it in their address", older.Group, newer.Group, Major)
	c.fields("input", older.Inputs, newer.Inputs, input)
	c.fields("output", older.Outputs, newer.Outputs, output)
	c.list("error codes", older.Codes(), newer.Codes(), Minor, Minor)
	c.list("warning codes", older.Warnings, newer.Warnings, Minor, Minor)
	c.list("formulas", formulaIDs(older), formulaIDs(newer), Minor, Minor)
	c.definition(older, newer)
	c.plots(older.Plots, newer.Plots)
	c.assumptions(older.Assumptions, newer.Assumptions)
	c.text("sign convention", "is worded differently", older.SignConvention, newer.SignConvention, Patch)
	if !slices.EqualFunc(older.Limits, newer.Limits, sameLimit) {
		c.add("limits of validity", "changed", "", "", Minor)
	}
	c.list("read-only paths", older.ReadOnlyPaths, newer.ReadOnlyPaths, Patch, Minor)
	return c
}

// changes collects what changed.
type changes []Change

func (c *changes) add(where, what, was, is string, needs Bump) {
	*c = append(*c, Change{where, what, was, is, needs})
}

// text adds a change of one text.
func (c *changes) text(where, what, was, is string, needs Bump) {
	if was != is {
		c.add(where, what, was, is, needs)
	}
}

// list adds the entries that an unordered list has lost or gained. The last two arguments are
// the bumps for lost and gained entries.
func (c *changes) list(where string, was, is []string, lost, gained Bump) {
	for _, text := range was {
		if !slices.Contains(is, text) {
			c.add(where, "one is gone", text, "", lost)
		}
	}
	for _, text := range is {
		if !slices.Contains(was, text) {
			c.add(where, "one is new", "", text, gained)
		}
	}
}

// assumptions adds the changes of assumptions. As many as before are the same in other words, which readers of the changes
// have to judge: another sign or factor also changes numbers.
func (c *changes) assumptions(was, is []string) {
	if len(was) != len(is) {
		c.list("assumptions", was, is, Minor, Minor)
		return
	}
	for i := range was {
		c.text("assumptions", "one is worded differently", was[i], is[i], Patch)
	}
}

// sameLimit reports whether two limits are equal except for their reasons.
func sameLimit(a, b sdk.Limit) bool {
	a.Doc, b.Doc = "", ""
	return reflect.DeepEqual(a, b)
}

func formulaIDs(s *sdk.Spec) []string {
	var ids []string
	for _, f := range s.Formulas {
		ids = append(ids, f.ID)
	}
	return ids
}

func (c *changes) plots(was, is []sdk.Plot) {
	for _, p := range was {
		i := slices.IndexFunc(is, func(q sdk.Plot) bool { return q.ID == p.ID })
		if i < 0 {
			c.add("plot "+p.ID, "is gone", p.ID, "", Major)
			continue
		}
		c.text("plot "+p.ID, "the unit of x changed", p.X.Unit, is[i].X.Unit, Major)
		c.text("plot "+p.ID, "the unit of y changed", p.Y.Unit, is[i].Y.Unit, Major)
	}
	for _, p := range is {
		if !slices.ContainsFunc(was, func(q sdk.Plot) bool { return q.ID == p.ID }) {
			c.add("plot "+p.ID, "is new", "", p.ID, Minor)
		}
	}
}

// side is the side on which fields are compared. Callers send inputs, so a field must not
// accept less than before. They read outputs, so a field must not return more than before.
type side bool

const (
	input  side = true
	output side = false
)

// more is the bump for a field that allows more values than before.
func (s side) more() Bump {
	if s == input {
		return Minor
	}
	return Major
}

// less is the bump for a field that allows fewer values than before.
func (s side) less() Bump {
	if s == input {
		return Major
	}
	return Minor
}

func (c *changes) fields(what string, was, is []sdk.Field, s side) {
	var order [2][]string // names of the fields that both Specs have: in the older, in the newer
	for i := range was {
		f, where := &was[i], what+" "+was[i].Name
		k := fieldAt(is, f.Name)
		if k < 0 {
			c.add(where, "is gone", f.Name, "", Major)
			continue
		}
		order[0] = append(order[0], f.Name)
		c.field(where, f, &is[k], s)
	}
	for i := range is {
		f := &is[i]
		switch {
		case fieldAt(was, f.Name) >= 0:
			order[1] = append(order[1], f.Name)
		case s == input && f.Required:
			c.add(what+" "+f.Name, "is new and required", "", f.Name, Major)
		default:
			c.add(what+" "+f.Name, "is new", "", f.Name, Minor)
		}
	}
	c.text(what+"s", "the order changed", strings.Join(order[0], ", "), strings.Join(order[1], ", "), Minor)
}

func fieldAt(fields []sdk.Field, name string) int {
	return slices.IndexFunc(fields, func(f sdk.Field) bool { return f.Name == name })
}

// field compares one field that both Specs have.
func (c *changes) field(where string, was, is *sdk.Field, s side) {
	if was.Type != is.Type {
		needs := Major
		switch {
		case was.Type == sdk.TypeInteger && is.Type == sdk.TypeNumber:
			needs = s.more()
		case was.Type == sdk.TypeNumber && is.Type == sdk.TypeInteger:
			needs = s.less()
		}
		c.add(where, "the type changed", string(was.Type), string(is.Type), needs)
	}
	switch {
	case was.UnitBy != nil || is.UnitBy != nil:
		c.unitBy(where, was, is)
	case was.Unit == "":
		c.text(where, "has a unit now", was.Unit, is.Unit, Minor) // bare numbers keep their meaning
	default:
		c.text(where, "the unit changed", was.Unit, is.Unit, Major)
	}
	if s == input && was.Unit != "" { // the meaning of numbers in degC and degF changes
		c.flag(where, "a difference", was.Difference, is.Difference, Major, Major)
	}
	c.flag(where, "required", was.Required, is.Required, s.less(), s.more())
	c.flag(where, "a decimal string", was.Decimal, is.Decimal, s.more(), s.less())
	c.flag(where, "strict", was.Strict, is.Strict, s.less(), s.more())
	c.list(where+", aliases", was.Aliases, is.Aliases, Major, Minor)
	c.list(where+", names", namesOf(was), namesOf(is), Major, Minor)
	c.defaults(where, was, is)
	c.enum(where, was, is, s)
	c.interval(where, was.Range, is.Range, s)
	if was.Items != nil && is.Items != nil {
		c.field(where+", items", was.Items, is.Items, s)
	}
	if len(was.Fields)+len(is.Fields) > 0 {
		c.fields(where+", field", was.Fields, is.Fields, s)
	}
}

// namesOf returns the names of numbers with their meaning.
func namesOf(f *sdk.Field) []string {
	var names []string
	for _, n := range f.Names {
		names = append(names, n.Name+" = "+strconv.FormatFloat(n.Value, 'g', -1, 64))
	}
	return names
}

// unitBy compares the units of a field if they depend on an input in one of the Specs.
func (c *changes) unitBy(where string, was, is *sdk.Field) {
	if reflect.DeepEqual(was.UnitBy, is.UnitBy) {
		return
	}
	units := func(f *sdk.Field) string {
		if f.UnitBy != nil {
			return f.UnitBy.String()
		}
		return f.Unit
	}
	if before := units(was); before == "" {
		c.add(where, "has a unit now", before, units(is), Minor)
	} else {
		c.add(where, "the unit changed", before, units(is), Major)
	}
}

// flag adds a change of a property that a field has or lacks. Becomes is the bump for gaining
// it, ceases the bump for losing it.
func (c *changes) flag(where, what string, was, is bool, becomes, ceases Bump) {
	switch {
	case is && !was:
		c.add(where, "is "+what+" now", "", what, becomes)
	case was && !is:
		c.add(where, "is no longer "+what, what, "", ceases)
	}
}

// defaults compares the values of an input that is not sent. A first default needs only a
// minor bump: calls that were legal keep their numbers, or else the comparison of answers
// finds the difference.
func (c *changes) defaults(where string, was, is *sdk.Field) {
	before, errBefore := was.DefaultValue()
	after, errAfter := is.DefaultValue()
	switch {
	case errBefore == nil && errAfter == nil && before.Equal(after):
	case was.Default == "":
		c.add(where, "has a default now", "", is.Default, Minor)
	default:
		c.add(where, "the default changed", was.Default, is.Default, Major)
	}
}

// enum compares legal texts. An additional value is never a breaking change. That holds for a
// result because the same inputs must still give the same value.
func (c *changes) enum(where string, was, is *sdk.Field, s side) {
	switch {
	case len(was.Enum) == 0 && len(is.Enum) == 0:
	case len(was.Enum) == 0:
		c.add(where, "is an enum now", "any text", strings.Join(is.Enum, ", "), s.less())
	case len(is.Enum) == 0:
		c.add(where, "is not an enum any more", strings.Join(was.Enum, ", "), "any text", s.more())
	default:
		c.list(where+", enum", was.Enum, is.Enum, s.less(), Minor)
	}
	for _, a := range was.EnumAliases {
		if value, ok := is.EnumValue(a.Alias); len(is.Enum) > 0 && (!ok || value != a.Value) {
			c.add(where+", enum", "an alias is gone or means another value", a.Alias+" = "+a.Value, value, Major)
		}
	}
	for _, a := range is.EnumAliases {
		if _, ok := was.EnumValue(a.Alias); !ok && len(was.Enum) > 0 {
			c.add(where+", enum", "an alias is new", "", a.Alias+" = "+a.Value, Minor)
		}
	}
}

// interval compares the ranges of a number, and the codes that reject numbers outside.
func (c *changes) interval(where string, was, is *sdk.Range, s side) {
	switch {
	case reflect.DeepEqual(was, is):
	case was == nil:
		c.add(where, "has a range now", "", is.String(), s.less())
	case is == nil:
		c.add(where, "has no range any more", was.String(), "", s.more())
	default:
		c.text(where, "the code of its range changed", was.Code, is.Code, Major)
		if was.String() == is.String() {
			return
		}
		needs := s.less()
		if contains(is, was) {
			needs = s.more()
		}
		c.add(where, "the range changed", was.String(), is.String(), needs)
	}
}

// contains reports whether the outer range includes every number of the inner one. Where a
// range ends at an input, that must hold for every value of the input.
func contains(outer, inner *sdk.Range) bool {
	return endsAtOrBeyond(outer.Min, inner.Min, outer.MinInput, inner.MinInput, outer.MinOpen, inner.MinOpen, -1) &&
		endsAtOrBeyond(outer.Max, inner.Max, outer.MaxInput, inner.MaxInput, outer.MaxOpen, inner.MaxOpen, 1)
}

// endsAtOrBeyond reports whether the outer range ends where the inner one does, or beyond.
// It compares one end of both; upwards is 1 for the maximum and -1 for the minimum.
func endsAtOrBeyond(outer, inner *float64, outerInput, innerInput string, outerOpen, innerOpen bool, upwards float64) bool {
	switch {
	case outer == nil && outerInput == "":
		return true
	case outerInput != "" || innerInput != "":
		return outerInput == innerInput && (innerOpen || !outerOpen)
	case inner == nil:
		return false
	case *outer == *inner:
		return innerOpen || !outerOpen
	}
	return upwards*(*outer-*inner) > 0
}
