package take

import (
	"encoding/csv"
	"io"

	"github.com/slipstick/slipstick/sdk/visible"
)

// CSV writes inputs and results as a table, both in the units of the reader and in the units of the engine. Rows about the
// calculation and its origin follow.
func CSV(w io.Writer, c *Calculation) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"What", "Name", "Value", "Unit", "Value as computed", "Unit of that"}}
	kinds, list := c.all()
	for i, q := range list {
		rows = append(rows, []string{kinds[i], visible.Cell(q.Label), q.Value.csv(), q.Unit, q.SI.csv(), q.Of})
	}
	for _, pair := range c.about() {
		rows = append(rows, []string{pair[0], visible.Cell(pair[1]), "", "", "", ""})
	}
	return out.WriteAll(rows)
}

func (c Cell) csv() string {
	if c.IsText {
		return visible.Cell(c.Text)
	}
	return c.Text
}
