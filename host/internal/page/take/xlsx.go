package take

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// XLSX writes a workbook: a sheet of inputs and results, a sheet for the numbers of each plot, and a sheet about their
// origin. Numbers are numbers, with all digits of a binary64.
func XLSX(w io.Writer, c *Calculation) error {
	b := &book{}
	b.quantities(c)
	for _, t := range c.Plots {
		b.table(t)
	}
	b.attribution(c)
	return b.write(w)
}

func (b *book) quantities(c *Calculation) {
	s := b.addSheet("Calculation", 10, 34, 18, 18, 18, 18)
	s.add(Words("What"), Words("Name"), Words("Value"), Words("Unit"), Words("Value as computed"), Words("Unit of that"))
	kinds, list := c.all()
	for i, q := range list {
		s.add(Words(kinds[i]), Words(q.Label), q.Value, Words(q.Unit), q.SI, Words(q.Of))
	}
}

func (b *book) table(t Table) {
	s := b.addSheet(t.Title, slices.Repeat([]int{18}, 8)...)
	header := make([]Cell, len(t.Header))
	for i, h := range t.Header {
		header[i] = Words(h)
	}
	s.add(header...)
	for _, row := range t.Rows {
		cells := make([]Cell, len(row))
		for i, text := range row {
			cells[i] = Read(text)
		}
		s.add(cells...)
	}
}

func (b *book) attribution(c *Calculation) {
	s := b.addSheet("Where it comes from", 14, 90)
	for _, pair := range c.about() {
		s.add(Words(pair[0]), Words(pair[1]))
	}
	for _, text := range c.Assumptions {
		s.add(Words("Assumption"), Words(text))
	}
	for _, text := range c.Warnings {
		s.add(Words("Warning"), Words(text))
	}
}

// Words returns a cell with a text.
func Words(text string) Cell { return Cell{Text: text, IsText: true} }

// Read returns a cell with the number in the text. It returns the text itself if it is not a number, or not exactly a
// binary64.
func Read(text string) Cell {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || strings.ContainsAny(text, "xX_") {
		return Words(text)
	}
	return Cell{Text: text, Number: x}
}
