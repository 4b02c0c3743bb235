package text

import (
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/internal/pattern"
)

// Rule is a rule between inputs.
type Rule struct {
	Phrase
	Kind    RuleKind
	Count   int      // of exactly, at least, at most
	Symbols []Phrase // of needs and excludes, the first is the subject
}

// RuleKind is the relation that a rule requires.
type RuleKind string

// The kinds of rules.
const (
	Exactly    RuleKind = "exactly"
	AtLeast    RuleKind = "at least"
	AtMost     RuleKind = "at most"
	Needs      RuleKind = "needs"
	Excludes   RuleKind = "excludes"
	SameLength RuleKind = "same length"
)

var (
	countRule = pattern.New(`^(exactly|at least|at most) ([0-9]+) of (.+)$`)
	pairRule  = pattern.New(`^([A-Za-z][A-Za-z0-9_]*) (needs|excludes) (.+)$`)
	sameRule  = pattern.New(`^same length (.+)$`)
)

// readRules reads the list of rules.
func (r *reader) readRules(lines []Phrase) (rules []Rule) {
	for _, line := range lines {
		text, ok := strings.CutPrefix(line.Text, "- ")
		if !ok {
			r.wrong(line, "a rule is an entry of a list: write - before it")
			continue
		}
		p := line.within(len(line.Text)-len(text), len(line.Text))
		rule := Rule{Phrase: p}
		if m := countRule.FindStringSubmatchIndex(p.Text); m != nil {
			rule.Kind = RuleKind(p.Text[m[2]:m[3]])
			rule.Count, _ = strconv.Atoi(p.Text[m[4]:m[5]])
			rule.Symbols = split(p.within(m[6], m[7]))
			if rule.Count > len(rule.Symbols) || rule.Count == 0 && rule.Kind != AtMost {
				r.wrong(p, "%d of %d inputs cannot be sent", rule.Count, len(rule.Symbols))
			}
		} else if m := pairRule.FindStringSubmatchIndex(p.Text); m != nil {
			rule.Kind = RuleKind(p.Text[m[4]:m[5]])
			rule.Symbols = append([]Phrase{p.within(m[2], m[3])}, split(p.within(m[6], m[7]))...)
		} else if m := sameRule.FindStringSubmatchIndex(p.Text); m != nil {
			rule.Kind, rule.Symbols = SameLength, split(p.within(m[2], m[3]))
		} else {
			r.wrong(p, "a rule is such as: exactly 1 of a, b. It can start with at least, at most or same length, or be: a needs b, a excludes b")
			continue
		}
		rules = append(rules, rule)
	}
	return rules
}

// Table is a table in the document: a constant list of records.
type Table struct {
	Name    Phrase
	Sources []Phrase
	Columns []Column
	Rows    [][]Value
}

// Column is a column of a table.
type Column struct {
	Name Phrase
	Text bool // its cells are words
	Unit Unit
}

var (
	columnHeading = pattern.New(`^([A-Za-z][A-Za-z0-9_]*)[ ]*(?:\[([^\]]*)\])?$`)
	plainNumber   = pattern.New(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$`)
)

// readTable reads a block "table NAME".
func (r *reader) readTable(b fenced) (t Table) {
	_, name, _ := strings.Cut(b.kind.Text, " ")
	t.Name = b.kind.within(len(b.kind.Text)-len(name), len(b.kind.Text))
	if !symbolForm.MatchString(t.Name.Text) {
		r.wrong(b.kind, "a table has a name: write ```table curves")
	}
	for i, text := range b.Lines {
		line := Phrase{Place{b.Line + i, 1}, text}
		line = line.within(0, len(text))
		switch {
		case line.Text == "":
		case strings.HasPrefix(line.Text, "#"):
			t.Sources = append(t.Sources, line.within(1, len(line.Text)))
		case t.Columns == nil:
			t.Columns = r.readColumns(line)
		default:
			r.readRow(&t, line)
		}
	}
	switch {
	case len(t.Rows) == 0:
		r.wrong(b.kind, "the table has no row: write a heading, such as curve, alpha, and a row below it")
	case len(t.Rows) > MaxRows:
		r.wrong(b.kind, "the table has %d rows, and at most %d are allowed: publish it as a table of its own", len(t.Rows), MaxRows)
	case len(t.Sources) == 0:
		r.wrong(b.kind, "the source of the table is missing: write # and the work above the heading")
	}
	return t
}

// readColumns reads the heading of a table.
func (r *reader) readColumns(line Phrase) (columns []Column) {
	seen := map[string]bool{}
	for _, h := range split(line) {
		m := columnHeading.FindStringSubmatchIndex(h.Text)
		if m == nil {
			r.wrong(h, "a heading is a name, with its unit in brackets: width [mm]")
			columns = append(columns, Column{Name: h})
			continue
		}
		c := Column{Name: h.within(m[2], m[3])}
		if m[4] >= 0 {
			unit := h.within(m[4], m[5])
			c.Text = unit.Text == "text"
			if !c.Text {
				c.Unit, _ = r.readUnit(unit)
			}
		}
		seen = r.once(seen, c.Name, "column")
		columns = append(columns, c)
	}
	return columns
}

// readRow reads a row of a table. A column without a unit has words if its first cell is not a number.
func (r *reader) readRow(t *Table, line Phrase) {
	cells := split(line)
	if len(cells) != len(t.Columns) {
		r.wrong(line, "this row has %d cells, and the heading %d", len(cells), len(t.Columns))
		return
	}
	var row []Value
	for i, cell := range cells {
		c := &t.Columns[i]
		isNumber := plainNumber.MatchString(cell.Text)
		if len(t.Rows) == 0 && !isNumber && c.Unit.ID == "" {
			c.Text = true
		}
		v := Value{Phrase: cell, Kind: WordValue, Word: cell.Text}
		switch {
		case c.Text && !wordForm.MatchString(cell.Text):
			r.wrong(cell, "%q is not a word: words have letters, digits, and _ . + - /", cell.Text)
		case !c.Text && !isNumber:
			r.wrong(cell, "%q is not a number; numbers are in the unit of the heading", cell.Text)
		case !c.Text:
			v = *r.readQuantity(&Value{Phrase: cell})
			v.Unit, v.SI = c.Unit, inSI(v.SI, c.Unit)
		}
		row = append(row, v)
	}
	t.Rows = append(t.Rows, row)
}

// Check is a check of the inputs and results.
type Check struct {
	Phrase
	Kind       CheckKind
	Severity   string // of a warning: info, caution or critical
	Code       Phrase // of a rejection or a warning
	At         Phrase // input of a rejection
	Condition  Phrase
	Text       Phrase
	Suggestion Phrase
}

// CheckKind is what a check does where its condition holds.
type CheckKind string

// The kinds of checks.
const (
	Reject CheckKind = "reject"
	Warn   CheckKind = "warn"
	Assume CheckKind = "assume"
)

var (
	rejectForm = pattern.New(`^reject[ ]+(\S+)[ ]+at[ ]+(\S+)[ ]+if[ ]+(.+)$`)
	warnForm   = pattern.New(`^warn[ ]+(\S+)[ ]+(\S+)[ ]+if[ ]+(.+)$`)
	assumeForm = pattern.New(`^assume[ ]+if[ ]+(.+)$`)
	codeForm   = pattern.New(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)
	severities = []string{"info", "caution", "critical"}
	severityOf = map[string]sdk.Severity{"info": sdk.Info, "caution": sdk.Caution, "critical": sdk.Critical}
)

// readChecks reads the block of checks.
func (r *reader) readChecks(b Block) (checks []Check) {
	for i, raw := range b.Lines {
		line := Phrase{Place{b.Line + i, 1}, raw}
		line = line.within(0, len(raw))
		if line.Text == "" || strings.HasPrefix(line.Text, "#") {
			continue
		}
		if raw[0] != ' ' {
			checks = append(checks, r.readCheck(line))
			continue
		}
		if len(checks) == 0 {
			r.wrong(line, "the text of a check is below its first line: reject CODE at INPUT if CONDITION")
			continue
		}
		c := &checks[len(checks)-1]
		to := &c.Text
		if suggestion, ok := strings.CutPrefix(line.Text, ">"); ok {
			line, to = line.within(len(line.Text)-len(suggestion), len(line.Text)), &c.Suggestion
		}
		if to.Text == "" {
			*to = line
		} else {
			to.Text += " " + line.Text
		}
	}
	for i := range checks {
		if checks[i].Text.Text == "" {
			r.wrong(checks[i].Phrase, "the text of this check is missing: write it in the next line, after two blanks")
		}
	}
	return checks
}

// readSeverity reads the severity of a warning.
func (r *reader) readSeverity(p Phrase) Phrase {
	if !slices.Contains(severities, p.Text) {
		r.wrong(p, "a warning is info, caution or critical")
	}
	return p
}

// readCheck reads the first line of a check.
func (r *reader) readCheck(line Phrase) Check {
	c := Check{Phrase: line}
	part := func(m []int, n int) Phrase { return line.within(m[2*n], m[2*n+1]) }
	if m := rejectForm.FindStringSubmatchIndex(line.Text); m != nil {
		c.Kind, c.Code, c.At, c.Condition = Reject, part(m, 1), part(m, 2), part(m, 3)
	} else if m := warnForm.FindStringSubmatchIndex(line.Text); m != nil {
		c.Kind, c.Code, c.Condition = Warn, part(m, 2), part(m, 3)
		c.Severity = r.readSeverity(part(m, 1)).Text
	} else if m := assumeForm.FindStringSubmatchIndex(line.Text); m != nil {
		c.Kind, c.Condition = Assume, part(m, 1)
		return c
	} else {
		r.wrong(line, "write reject CODE at INPUT if CONDITION, or warn info|caution|critical CODE if CONDITION, or assume if CONDITION")
		return c
	}
	if !codeForm.MatchString(c.Code.Text) {
		r.wrong(c.Code, "a code has capital letters, digits and _: write %s", strings.ToUpper(strings.ReplaceAll(c.Code.Text, "-", "_")))
	}
	return c
}
