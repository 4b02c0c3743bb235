package take

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
)

// XLSX writes a workbook: a sheet of inputs and results, one for the numbers of each plot, and
// one that says where they come from. Numbers are numbers, with all digits of a binary64.
func XLSX(w io.Writer, c *Calculation) error {
	f := excelize.NewFile()
	defer f.Close() //nolint:errcheck // it has no temporary files
	b := &book{file: f}
	b.quantities(c)
	for _, t := range c.Plots {
		b.table(t)
	}
	b.attribution(c)
	if b.err != nil {
		return b.err
	}
	if err := f.DeleteSheet("Sheet1"); err != nil {
		return err
	}
	f.SetActiveSheet(0)
	return f.Write(w)
}

// book writes cells until something fails.
type book struct {
	file  *excelize.File
	sheet string
	row   int
	names map[string]bool
	err   error
}

// begin adds a sheet. Spreadsheets allow 31 characters, and not all of them.
func (b *book) begin(title string) {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`:\/?*[]'`, r) {
			return ' '
		}
		return r
	}, title)
	if b.names == nil {
		b.names = map[string]bool{"sheet1": true, "history": true}
	}
	base := strings.TrimSpace(cut(name, 27))
	if base == "" {
		base = "Table"
	}
	name = base
	for n := 2; b.names[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s %d", base, n)
	}
	b.names[strings.ToLower(name)] = true
	b.sheet, b.row = name, 0
	if _, err := b.file.NewSheet(name); err != nil && b.err == nil {
		b.err = err
	}
}

func cut(text string, most int) string {
	for utf8.RuneCountInString(text) > most {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

// add adds a row. Texts are never formulas.
func (b *book) add(cells ...Cell) {
	b.row++
	for i, c := range cells {
		at, err := excelize.CoordinatesToCellName(i+1, b.row)
		switch {
		case err != nil:
		case c.IsText && c.Text != "":
			err = b.file.SetCellStr(b.sheet, at, c.Text)
		case !c.IsText:
			err = b.file.SetCellFloat(b.sheet, at, c.Number, decimals(c.Number), 64)
		}
		if err != nil && b.err == nil {
			b.err = err
		}
	}
}

// decimals is how many digits behind the point say the number exactly: the library cuts numbers
// to 15 digits unless it is told.
func decimals(x float64) int {
	_, behind, _ := strings.Cut(strconv.FormatFloat(x, 'f', -1, 64), ".")
	return len(behind)
}

func (b *book) width(columns string, width float64) {
	from, to, _ := strings.Cut(columns, ":")
	if err := b.file.SetColWidth(b.sheet, from, to, width); err != nil && b.err == nil {
		b.err = err
	}
}

func (b *book) quantities(c *Calculation) {
	b.begin("Calculation")
	b.width("A:A", 10)
	b.width("B:B", 34)
	b.width("C:F", 18)
	b.add(Words("What"), Words("Name"), Words("Value"), Words("Unit"), Words("Value as computed"), Words("Unit of that"))
	kinds, list := c.all()
	for i, q := range list {
		b.add(Words(kinds[i]), Words(q.Label), q.Value, Words(q.Unit), q.SI, Words(q.Of))
	}
}

func (b *book) table(t Table) {
	b.begin(t.Title)
	b.width("A:H", 18)
	header := make([]Cell, len(t.Header))
	for i, h := range t.Header {
		header[i] = Words(h)
	}
	b.add(header...)
	for _, row := range t.Rows {
		cells := make([]Cell, len(row))
		for i, text := range row {
			cells[i] = Read(text)
		}
		b.add(cells...)
	}
}

func (b *book) attribution(c *Calculation) {
	b.begin("Where it comes from")
	b.width("A:A", 14)
	b.width("B:B", 90)
	for _, pair := range c.about() {
		b.add(Words(pair[0]), Words(pair[1]))
	}
	for _, text := range c.Assumptions {
		b.add(Words("Assumption"), Words(text))
	}
	for _, text := range c.Warnings {
		b.add(Words("Warning"), Words(text))
	}
}

// Words is a cell with a text.
func Words(text string) Cell { return Cell{Text: text, IsText: true} }

// Read is a cell with the number that the text says, or else with the text. A number that is
// not exactly a binary64 keeps its digits, as a text.
func Read(text string) Cell {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || strings.ContainsAny(text, "xX_") {
		return Words(text)
	}
	return Cell{Text: text, Number: x}
}
