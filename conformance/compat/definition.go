package compat

import (
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
)

// definition compares the claims of two Specs about their numbers. Diff compares the numbers
// themselves, as answers. So another text with the same numbers is a patch, because it only
// changes the text for people.
//
// A weaker claim needs a minor bump, because users of the claim must notice it. Weaker claims
// are a removed definition, an output that is now taken from the engine, and a wider
// tolerance.
func (c *changes) definition(older, newer *sdk.Spec) {
	switch was, is := older.Definition, newer.Definition; {
	case was == is:
	case was == "":
		c.add("definition", "is new", "", is, Patch)
		return // nothing was claimed before
	case is == "":
		c.add("definition", "is gone", was, "", Minor)
		return
	default:
		before, after := statements(was), statements(is)
		in := func(list []string) func(string) bool {
			return func(line string) bool { return slices.Contains(list, line) }
		}
		lost, gained := slices.DeleteFunc(slices.Clone(before), in(after)), slices.DeleteFunc(slices.Clone(after), in(before))
		c.add("definition", "changed", strings.Join(lost, "\n"), strings.Join(gained, "\n"), Patch)
	}
	c.taken(older, newer)
	c.tolerances(older.Tolerances, newer.Tolerances)
}

// statements returns the lines of a text that are not blank.
func statements(text string) []string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// taken adds a change for each name that the text no longer derives.
func (c *changes) taken(older, newer *sdk.Spec) {
	was, err := older.Text()
	if err != nil || was == nil {
		return
	}
	is, err := newer.Text()
	if err != nil || is == nil {
		return
	}
	for _, d := range is.Definitions {
		if before := was.Definition(d.Name); d.Kind == formula.Taken && before != nil && before.Kind != formula.Taken {
			c.add("definition of "+d.Name, "is taken from the engine now", "", d.Note, Minor)
		}
	}
}

func (c *changes) tolerances(was, is []sdk.Tolerance) {
	of := func(list []sdk.Tolerance, output string) float64 {
		if i := slices.IndexFunc(list, func(t sdk.Tolerance) bool { return t.Output == output }); i >= 0 {
			return list[i].Relative
		}
		return sdk.LeastTolerance
	}
	for _, t := range is {
		if before := of(was, t.Output); t.Relative > before {
			c.add("tolerance of "+t.Output, "is wider", number(before), number(t.Relative), Minor)
		}
	}
	for _, t := range was {
		if after := of(is, t.Output); t.Relative > after {
			c.add("tolerance of "+t.Output, "is narrower", number(t.Relative), number(after), Patch)
		}
	}
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
