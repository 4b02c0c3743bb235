package table

import (
	"regexp"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/units"
)

// aboutRow are the columns after the outputs.
var aboutRow = [...]string{"warnings", "error_code", "error_field", "error_detail"}

// AboutRow is the number of columns after the outputs.
const AboutRow = len(aboutRow)

// ofResult is the suffix of an output with the same name as a column of the table.
const ofResult = " (result)"

// answerName matches the name of an output: its name, perhaps ofResult, and perhaps a unit.
var answerName = regexp.MustCompile(`^(.*?)( \(result\))?(?: \[([^\[\]]*)\])?$`)

// renamed returns the name for a column of answers if the table has a column with its name.
func renamed(name string) string {
	parts := answerName.FindStringSubmatchIndex(name)
	end := parts[3]
	return name[:end] + ofResult + name[end:]
}

// outputOf returns the output in a column of answers, and whether it has the suffix of a renamed output.
func outputOf(outputs []sdk.Field, header string) (f *sdk.Field, taken bool) {
	parts := answerName.FindStringSubmatch(header)
	for i := range outputs {
		if f := &outputs[i]; f.Name == parts[1] && isUnitOfOutput(f, parts[3]) {
			return f, parts[2] != ""
		}
	}
	return nil, false
}

func isUnitOfOutput(f *sdk.Field, unit string) bool {
	if unit == f.Unit {
		return true
	}
	own, known := units.Lookup(f.Unit)
	u, ok := formula.ReadUnit(unit, own.Quantity)
	return ok && !isIndex(unit, u) && (f.UnitBy != nil || known && u.Quantity == own.Quantity)
}

// oldColumns reports for each column whether it has former answers, in a table of answers that is sent
// again. A column that can be an input is one only if the output with its name was renamed.
func (t *Sheet) oldColumns(columns []column) []bool {
	has := func(name string) bool {
		return slices.ContainsFunc(columns, func(c column) bool { return strings.TrimSpace(c.header) == name })
	}
	answered := !slices.ContainsFunc(aboutRow[:], func(name string) bool { return !has(name) && !has(renamed(name)) })
	old := make([]bool, len(columns))
	for i := range columns {
		name := strings.TrimSpace(columns[i].header)
		about := strings.TrimSuffix(name, ofResult)
		f, taken := outputOf(t.release.Spec.Outputs, name)
		switch {
		case slices.Contains(aboutRow[:], about):
			old[i] = answered && (about != name || !has(renamed(name)))
		case f != nil:
			old[i] = taken || answered && !has(renamed(name))
		}
	}
	return old
}

// nameAnswers determines the names of the columns of the answers. All names are distinct: an output is
// renamed if the table has a column with its name. An undeclared column must not look like a column of
// answers.
func (t *Sheet) nameAnswers(doubtful []column) error {
	own := map[string]bool{}
	for i := range t.columns {
		c := &t.columns[i]
		if name := c.header; !c.old && strings.TrimSpace(name) != "" {
			if own[name] {
				return t.invalid(name, "Rename one of them.", "two columns are named %q", request.Clip(name))
			}
			own[name] = true
		}
	}
	list := slices.Concat(t.outputs.Header(), aboutRow[:])
	for i, name := range list {
		if !own[name] {
			continue
		}
		list[i] = renamed(name)
		if own[list[i]] {
			return t.invalid(list[i], "Rename the column.", "two columns of the answers would be named %q", list[i])
		}
		if slices.ContainsFunc(doubtful, func(c column) bool { return c.header == name }) {
			return t.invalid(name, "Rename the column, leave it out, or declare it as a tag: the column of the answers is then "+list[i]+".",
				"the answers have a column %q", name)
		}
	}
	t.names = list
	return nil
}
