package text

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slipstick/slipstick/sdk/internal/pattern"
)

var (
	nameForm   = pattern.New(`^[A-Za-z][A-Za-z0-9_]*$`)
	symbolForm = pattern.New(`^[A-Za-z][A-Za-z0-9_]*$`)
	wordForm   = pattern.New(`^[A-Za-z0-9][A-Za-z0-9_.+/-]*$`)
	wordsForm  = pattern.New(`^[A-Za-z0-9_.+/-]+( [A-Za-z0-9_.+/-]+)*$`)
	columnForm = pattern.New(`^[a-z0-9_.]+#[a-z0-9_]+$`)
)

// Field is a row of the table of inputs or outputs.
type Field struct {
	Symbol   Phrase // in the formula; the name where the cell is blank
	Name     Phrase
	Member   string // of a record: thickness of layers.thickness; Name is the record's
	Type     Type
	Range    *Range
	Code     Phrase // of the rejection outside of the range; "": the one that follows from the name
	Names    []NumberName
	Default  Default
	Doc      Phrase
	Label    Phrase
	Aliases  []Phrase
	Presets  []Phrase
	Example  *Value
	Advanced bool
	Absent   bool // outputs: the result can be absent
	Headline bool // outputs: the number that people want first
}

// NumberName is a text that callers can send in place of a number, such as 4/0.
type NumberName struct {
	Phrase
	Number *Value
}

// Range is the range of an input. An end is a number or another input, or there is none.
type Range struct {
	Phrase
	Min, Max         *End
	MinOpen, MaxOpen bool
}

// End is an end of a range: a number in the unit that it has, or the symbol of an input.
type End struct {
	Number *Value
	Symbol Phrase
}

// Default is the value of an input that is not sent.
type Default struct {
	Phrase
	Optional bool // nothing
	Formula  bool // the definition of its symbol
	Value    *Value
}

var (
	inputColumns  = []string{"symbol", "name", "unit", "range", "code", "default", "doc", "alias", "names", "presets", "example", "label", "advanced"}
	outputColumns = []string{"symbol", "name", "unit", "doc", "label", "headline"}
)

// required columns of both tables.
var requiredColumns = []string{"symbol", "name", "unit", "doc"}

// readFields reads a table of inputs or outputs.
func (r *reader) readFields(lines []Phrase, columns []string) (fields []Field) {
	if len(lines) == 0 {
		return nil
	}
	heading := r.cells(lines[0])
	if heading == nil {
		return nil
	}
	names := r.columns(heading, columns)
	if len(lines) == 1 || !ruleForm.MatchString(lines[1].Text) {
		r.wrong(lines[min(1, len(lines)-1)], "below the heading of a table is a line | --- | with as many cells")
		return nil
	}
	for _, line := range lines[2:] {
		cells := r.cells(line)
		switch {
		case cells == nil:
			continue
		case len(cells) > len(heading):
			r.wrong(line, `this row has %d cells, and the heading %d: a | in a cell is written \|`, len(cells), len(heading))
			continue
		case len(cells) < len(heading):
			r.wrong(line, "this row has %d cells, and the heading %d: the cell of %q or one before it is missing", len(cells), len(heading), heading[len(cells)].Text)
			continue
		}
		fields = append(fields, r.readField(names, cells, slices.Contains(columns, "range")))
	}
	return fields
}

var ruleForm = pattern.New(`^\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?$`)

// columns checks the heading of a table, and returns the names of its columns.
func (r *reader) columns(heading []Phrase, columns []string) (names []string) {
	for _, h := range heading {
		name := strings.ToLower(h.Text)
		if !slices.Contains(columns, name) {
			r.wrong(h, "there is no column %q%s", h.Text, suggest(name, columns))
		} else if slices.Contains(names, name) {
			r.wrong(h, "the column %s is there twice", name)
		}
		names = append(names, name)
	}
	for _, c := range requiredColumns {
		if !slices.Contains(names, c) {
			r.wrong(heading[0], "the table has no column %s", c)
		}
	}
	return names
}

// cells returns the cells of a row of a table.
func (r *reader) cells(line Phrase) (cells []Phrase) {
	text := line.Text
	if !strings.HasPrefix(text, "|") || !strings.HasSuffix(text, "|") || len(text) < 2 {
		r.wrong(line, "a row of the table starts and ends with |: move other lines to ## Notes")
		return nil
	}
	from := 1
	for i := 1; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && text[i+1] == '|' {
			i++
			continue
		}
		if text[i] == '|' {
			cell := line.within(from, i)
			cell.Text = strings.ReplaceAll(cell.Text, `\|`, "|")
			cells = append(cells, cell)
			from = i + 1
		}
	}
	return cells
}

// readField reads a row of a table of inputs or outputs.
func (r *reader) readField(names []string, cells []Phrase, input bool) (f Field) {
	cell := func(name string) Phrase {
		if i := slices.Index(names, name); i >= 0 {
			return cells[i]
		}
		return Phrase{Place: cells[0].Place}
	}
	for _, column := range []string{"symbol", "name", "unit", "range", "code", "default"} {
		r.checkCharacters(cell(column))
	}
	f.Name, f.Doc, f.Label = cell("name"), cell("doc"), cell("label")
	if name, absent := strings.CutSuffix(f.Name.Text, "?"); absent {
		f.Absent = true
		f.Name = f.Name.within(0, len(name))
		if input {
			r.wrong(cell("name"), "an input that can be left out has the default optional")
		}
	}
	record, member, isMember := strings.Cut(f.Name.Text, ".")
	if isMember && input {
		f.Name.Text, f.Member = record, member
	}
	for _, part := range strings.SplitN(cellName(f), ".", 2) {
		if !nameForm.MatchString(part) {
			r.wrong(cell("name"), "%q is not a name: names have letters, digits and _, such as axial_force", cell("name").Text)
			break
		}
	}
	f.Symbol = cell("symbol")
	if f.Symbol.Text == "" {
		f.Symbol = Phrase{f.Name.Place, f.Name.Text}
		if isMember {
			f.Symbol.Text = member
		}
	} else if !symbolForm.MatchString(f.Symbol.Text) {
		r.wrong(f.Symbol, "%q is not a symbol: symbols have letters, digits and _, such as N_Ed", f.Symbol.Text)
	}
	f.Type = r.readType(cell("unit"))
	if !input {
		f.Headline = r.isYes(cell("headline"))
		return f
	}
	f.Range = r.readRange(cell("range"), f.Type)
	f.Code = cell("code")
	switch {
	case f.Code.Text == "":
	case !codeForm.MatchString(f.Code.Text):
		r.wrong(f.Code, "a code has capital letters, digits and _: write %s", strings.ToUpper(strings.ReplaceAll(f.Code.Text, "-", "_")))
	case f.Range == nil:
		r.wrong(f.Code, "a code belongs to a range: write the range, or a check that rejects with %s", f.Code.Text)
	}
	if c := cell("names"); c.Text != "" {
		f.Names = r.readNames(c, f.Type)
	}
	f.Default = r.readDefault(cell("default"), f.Type)
	if c := cell("alias"); c.Text != "" {
		f.Aliases = split(c)
	}
	if c := cell("presets"); c.Text != "" {
		f.Presets = split(c)
		for _, p := range f.Presets {
			if !columnForm.MatchString(p.Text) {
				r.wrong(p, "a preset is a column of a table, such as data.materials.metals#elastic_modulus")
			}
		}
	}
	if c := cell("example"); c.Text != "" {
		f.Example = r.readExample(c, &f)
	}
	f.Advanced = r.isYes(cell("advanced"))
	return f
}

// readExample reads an example: a number of the field, or one of its names.
func (r *reader) readExample(cell Phrase, f *Field) *Value {
	for _, n := range f.Names {
		if n.Text == cell.Text {
			return n.Number
		}
	}
	return r.valueOf(cell, f.Type)
}

// isYes reads a cell that is yes or blank.
func (r *reader) isYes(cell Phrase) bool {
	if cell.Text != "" && cell.Text != "yes" && cell.Text != "no" {
		r.wrong(cell, "write yes, or leave the cell blank")
	}
	return cell.Text == "yes"
}

// readNames reads names of numbers, such as 4/0=-3, 3/0=-2.
func (r *reader) readNames(cell Phrase, t Type) (names []NumberName) {
	for _, item := range split(cell) {
		name, number, found := cut(item, '=')
		if !found || t.Kind != Number && t.Kind != Integer {
			r.wrong(item, "a name stands for a number of the field: write NAME=NUMBER, such as 4/0=-3")
			return nil
		}
		v := r.valueOf(number, t)
		if v == nil {
			return nil
		}
		names = append(names, NumberName{name, v})
	}
	return names
}

// cellName returns the name as the cell has it.
func cellName(f Field) string {
	if f.Member != "" {
		return f.Name.Text + "." + f.Member
	}
	return f.Name.Text
}

// readRange reads a range such as [0,) or (0, 700 MPa].
func (r *reader) readRange(cell Phrase, t Type) *Range {
	text := cell.Text
	if text == "" {
		return nil
	}
	ends := splitAt(cell.within(min(1, len(text)), max(1, len(text)-1)), ',')
	if len(text) < 3 || !strings.ContainsRune("[(", rune(text[0])) || !strings.ContainsRune("])", rune(text[len(text)-1])) || len(ends) != 2 {
		r.wrong(cell, "a range is [0,) or (0, 20 mm]: [ and ] include the end, ( and ) do not")
		return nil
	}
	of := t.inner()
	if of.Kind != Number && of.Kind != Integer {
		r.wrong(cell, "only numbers have a range")
		return nil
	}
	rng := &Range{Phrase: cell, MinOpen: text[0] == '(', MaxOpen: text[len(text)-1] == ')'}
	rng.Min, rng.Max = r.readEnd(ends[0], of), r.readEnd(ends[1], of)
	switch {
	case rng.Min == nil && rng.Max == nil:
		r.wrong(cell, "a range has at least one end")
	case rng.Min == nil && !rng.MinOpen:
		r.wrong(cell, "without a lower end, the range starts with (")
	case rng.Max == nil && !rng.MaxOpen:
		r.wrong(cell, "without an upper end, the range ends with )")
	case rng.Min != nil && rng.Max != nil && rng.Min.Number != nil && rng.Max.Number != nil && rng.Min.Number.SI != nil && rng.Max.Number.SI != nil &&
		rng.Min.Number.SI.Cmp(rng.Max.Number.SI) > 0:
		r.wrong(cell, "the lower end is above the upper one")
	}
	return rng
}

// readEnd reads an end of a range, nil if there is none. A bare 0 needs no unit, unless the field is a
// point on a scale of temperature.
func (r *reader) readEnd(p Phrase, t Type) *End {
	switch {
	case p.Text == "":
		return nil
	case symbolForm.MatchString(p.Text):
		return &End{Symbol: p}
	case p.Text == "0" && !t.Unit.Point():
		t.Unit = Unit{}
	}
	return &End{Number: r.valueOf(p, t)}
}

// readDefault reads the cell of a default.
func (r *reader) readDefault(cell Phrase, t Type) Default {
	d := Default{Phrase: cell, Optional: cell.Text == "optional", Formula: cell.Text == "formula"}
	if cell.Text != "" && !d.Optional && !d.Formula {
		d.Value = r.valueOf(cell, t)
	}
	return d
}

// checkNames reports names, symbols and aliases that are there twice, and ends of ranges that are not
// inputs.
func (r *reader) checkNames(d *Document) {
	for _, fields := range [][]Field{d.Inputs, d.Outputs} {
		names, symbols := map[string]bool{}, map[string]bool{}
		for _, f := range fields {
			names = r.once(names, Phrase{f.Name.Place, cellName(f)}, "name")
			for _, a := range f.Aliases {
				names = r.once(names, a, "name")
			}
			if f.Member == "" {
				symbols = r.once(symbols, f.Symbol, "symbol")
			}
		}
	}
	var symbols []string
	for _, f := range d.Inputs {
		symbols = append(symbols, f.Symbol.Text)
	}
	for _, f := range d.Inputs {
		if f.Range == nil {
			continue
		}
		for _, e := range []*End{f.Range.Min, f.Range.Max} {
			if e != nil && e.Symbol.Text != "" && !slices.Contains(symbols, e.Symbol.Text) {
				r.wrong(e.Symbol, "%s is not the symbol of an input%s", e.Symbol.Text, suggest(e.Symbol.Text, symbols))
			}
		}
	}
	for _, rule := range d.Rules {
		for _, s := range rule.Symbols {
			if !slices.Contains(symbols, s.Text) {
				r.wrong(s, "%s is not the symbol of an input%s", s.Text, suggest(s.Text, symbols))
			}
		}
	}
}

// once reports a word that is there for the second time.
func (r *reader) once(seen map[string]bool, p Phrase, what string) map[string]bool {
	if p.Text != "" && seen[p.Text] {
		r.wrong(p, "the %s %s is there twice", what, p.Text)
	}
	seen[p.Text] = true
	return seen
}

// splitAt returns the parts of a phrase between separators that are not inside brackets or quotes.
func splitAt(p Phrase, separator byte) (parts []Phrase) {
	from, depth, quoted := 0, 0, false
	for i := 0; i <= len(p.Text); i++ {
		if i == len(p.Text) {
			parts = append(parts, p.within(from, i))
			break
		}
		switch c := p.Text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == separator && depth == 0:
			parts = append(parts, p.within(from, i))
			from = i + 1
		}
	}
	return parts
}

// column returns the place of a byte of a phrase.
func (p Phrase) column(at int) Place {
	return Place{p.Line, p.Column + utf8.RuneCountInString(p.Text[:at])}
}
