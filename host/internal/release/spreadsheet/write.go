package spreadsheet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk/text"
)

// scenario is a column of the workbook with values of inputs and results.
type scenario struct {
	title  string
	column int // 0 for the values of the named cells
}

// maxScenarios is how many columns become vectors.
const maxScenarios = 100

// mainColumn returns the sheet and the column with the most inputs.
func (m *importer) mainColumn() (sheet, column int) {
	count := map[[2]int]int{}
	best := [2]int{}
	for _, s := range m.order {
		if s.isInput {
			at := [2]int{s.sheet, s.column}
			count[at]++
			if count[at] > count[best] {
				best = at
			}
		}
	}
	return best[0], best[1]
}

// scenarios returns the vectors of the draft. The first one has the named cells. The others are columns to the right,
// with a heading, values of inputs, and results.
func (m *importer) scenarios() (list []scenario, of []*symbol) {
	sheet, main := m.mainColumn()
	list = []scenario{{title: "the named cells"}}
	top, last := maxRow, main
	for _, s := range m.order {
		if s.sheet == sheet && s.column == main && (s.isInput || s.isOutput) {
			of = append(of, s)
			top = min(top, s.row)
		}
	}
	for p := range m.cells {
		if p.sheet == sheet {
			last = max(last, p.column)
		}
	}
	for column := main + 1; column <= last && len(list) < maxScenarios; column++ {
		inputs, results := 0, 0
		for _, s := range of {
			c := m.cells[place{sheet, s.row, column}]
			switch {
			case c == nil || m.isNamed(c.place):
			case s.isInput && c.kind == s.kind && c.written == "":
				inputs++
			case s.isOutput && c.kind == s.kind && c.written != "":
				results++
			}
		}
		if inputs == 0 || results == 0 {
			continue
		}
		head := m.heading(sheet, column, top)
		title := m.sheetName(sheet) + "!" + letters(column)
		switch {
		case m.faults["scenario "+title]:
		case head == "":
			m.note("column " + title + " has no heading above row " + fmt.Sprint(top) + ": it is not a scenario")
		default:
			list = append(list, scenario{title: "column " + title + " " + head, column: column})
		}
	}
	return list, of
}

// heading returns the text above the values of a column.
func (m *importer) heading(sheet, column, top int) string {
	for row := top - 1; row >= 1; row-- {
		c := m.cells[place{sheet, row, column}]
		if c != nil && c.kind == words {
			return strings.Join(strings.Fields(c.text), " ")
		}
		if c != nil && c.kind == number {
			return shortest(c.value)
		}
	}
	return ""
}

// dismiss removes the scenarios with wrong results. It reports whether the other vectors can be tried again.
func (m *importer) dismiss(list []scenario, wrong text.Mistakes) bool {
	removed := false
	for _, w := range wrong {
		var number int
		if _, err := fmt.Sscanf(w.Message, "W%d:", &number); err != nil || number < 2 || number > len(list) {
			return false
		}
		title := strings.Join(strings.Fields(list[number-1].title)[1:2], "")
		m.faults["scenario "+title] = true
		m.refusal(title, "a scenario that the draft does not confirm ("+w.Message+")", "copy the formulas of the named cells, or delete the heading")
		removed = true
	}
	return removed
}

// write writes the document.
func (m *importer) write(o Options, scenarios []scenario, of []*symbol) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "# %s\n\nTODO: one sentence about the calculation. This is a draft from the workbook %s.\n\n", o.Title, o.File)
	fmt.Fprintf(b, "- id: %s\n- version: 1.0.0\n- keywords: TODO\n\n", o.Capability)
	b.WriteString("## Inputs\n\n| symbol | name | unit | range | default | doc |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, s := range m.order {
		if s.isInput {
			fmt.Fprintf(b, "| %s | %s | %s | | | %s |\n", s.name, s.field, m.typeOf(s), escape(s.doc))
		}
	}
	if len(m.tables) > 0 {
		b.WriteString("\n## Tables\n\n")
		for _, t := range m.tables {
			if len(t.columns) > 0 {
				t.write(b, m)
			}
		}
	}
	b.WriteString("\n## Formula\n\n```formula\n")
	for _, d := range m.definitions {
		d.write(b)
	}
	outputs := m.outputs()
	headline := slices.IndexFunc(outputs, isNumeric)
	marks := map[int]string{headline: " yes |"}
	b.WriteString("```\n\n## Outputs\n\n")
	if headline > 0 { // without a mark it is the first output
		b.WriteString("| symbol | name | unit | doc | headline |\n| --- | --- | --- | --- | --- |\n")
	} else {
		b.WriteString("| symbol | name | unit | doc |\n| --- | --- | --- | --- |\n")
	}
	for i, s := range outputs {
		fmt.Fprintf(b, "| %s | %s | %s | %s |", s.name, s.field, m.typeOf(s), escape(s.doc))
		if headline > 0 {
			b.WriteString(cmp.Or(marks[i], " |"))
		}
		b.WriteString("\n")
	}
	if len(m.checks) > 0 {
		b.WriteString("\n## Checks\n\n```checks\n")
		for i := range m.checks {
			m.checks[i].write(b)
		}
		b.WriteString("```\n")
	}
	b.WriteString("\n## References\n\n- TODO: the source of the formula, with its edition and place\n\n## Vectors\n\n```vectors\n")
	fmt.Fprintf(b, "# The results of %s, as they were saved. They show that the draft computes what the workbook computes.\n", o.File)
	b.WriteString("# They are not a source. Replace each TODO by an independent source, and the results by its results.\n")
	for i, s := range scenarios {
		m.vector(b, i, s, of)
	}
	b.WriteString("```\n")
	return b.String()
}

// outputs returns the named results by their place in the workbook.
func (m *importer) outputs() (list []*symbol) {
	for _, s := range m.order {
		if s.isOutput {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *symbol) int { return a.place.compare(b.place) })
	return list
}

// isNumeric reports whether a symbol has a number, as the headline of a document must.
func isNumeric(s *symbol) bool { return s.kind == number }

// typeOf returns the cell of the unit column.
func (m *importer) typeOf(s *symbol) string {
	switch s.kind {
	case words:
		texts := s.words
		if s.isInput {
			texts = append([]string{s.text}, texts...)
		}
		return m.oneOf(texts)
	case truth:
		return "yes or no"
	}
	return s.unit
}

// vector writes a vector with the values of the named cells, or of a column.
func (m *importer) vector(b *strings.Builder, i int, s scenario, of []*symbol) {
	like := ""
	if i > 0 {
		like = " like W1"
	}
	fmt.Fprintf(b, "W%d%s: TODO: an independent source. These are the results of %s, %s.\n", i+1, like, m.file, s.title)
	var sent, results []string
	for _, sym := range m.order {
		c := sym.cell
		if s.column > 0 {
			c = m.cells[place{sym.sheet, sym.row, s.column}]
			isSame := sym.isInput && c != nil && c.value == sym.value && c.text == sym.text
			if !slices.Contains(of, sym) || c == nil || c.kind != sym.kind || isSame {
				continue
			}
		}
		switch {
		case sym.isInput && (s.column == 0 || c.written == ""):
			sent = append(sent, sym.name+" = "+m.sent(sym, c))
		case sym.isOutput && c.written != "":
			results = append(results, sym.field+" "+m.result(sym, c))
		}
	}
	for chunk := range slices.Chunk(sent, 5) {
		end := ","
		if &chunk[len(chunk)-1] == &sent[len(sent)-1] {
			end = ""
		}
		fmt.Fprintf(b, "  %s%s\n", strings.Join(chunk, ", "), end)
	}
	fmt.Fprintf(b, "  => %s\n", strings.Join(results, ", "))
}

// sent returns the value of an input with its unit.
func (m *importer) sent(s *symbol, c *cell) string {
	switch s.kind {
	case words:
		return strconvQuote(m.wordOf(c.text))
	case truth:
		return map[bool]string{true: "yes", false: "no"}[c.value != 0]
	}
	v := c.value
	if s.percent {
		v = hundredfold(v)
	}
	return strings.TrimSpace(shortest(v) + " " + s.unit)
}

// result returns the value of an output, with its comparison and unit.
func (m *importer) result(s *symbol, c *cell) string {
	switch s.kind {
	case words:
		return "= " + strconvQuote(m.wordOf(c.text))
	case truth:
		return "= " + map[bool]string{true: "yes", false: "no"}[c.value != 0]
	}
	v := c.value
	if s.percent {
		v = hundredfold(v)
	}
	return strings.TrimSpace(expected(v, m.digits) + " " + s.unit)
}

// strconvQuote puts words into quotation marks that would be read as numbers.
func strconvQuote(word string) string {
	if isNumber(word) {
		return `"` + word + `"`
	}
	return word
}

// write writes the lines of a definition.
func (d *definition) write(b *strings.Builder) {
	for i, c := range d.cases {
		line := d.name + " = " + c.value.text
		switch {
		case len(c.conditions) > 0:
			line += "  if " + together(c.conditions)
		case len(d.cases) > 1:
			line += "  otherwise"
		}
		if i == 0 && d.comment != "" {
			line += "  # " + d.comment
		}
		fmt.Fprintln(b, line)
	}
}

// escape writes a text into a cell of a table.
func escape(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
