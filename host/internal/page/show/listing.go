package show

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// Listing is a list for people: a column for each value of its rows, with its name and unit.
type Listing struct {
	Columns []listed
	Rows    [][]cell
	All     int // number of all rows, if Rows has only some of them
}

// listed is the head of a column.
type listed struct {
	Label  string // "" if the rows are single values
	Symbol template.HTML
	Unit   string // of all its cells; "" if they have their own
}

// cell is a value in a listing.
type cell struct {
	Number *wording.Number
	Text   string // instead of Number
	Unit   string // if the column has none
}

func (c cell) String() string {
	text := c.Text
	if c.Number != nil {
		text = c.Number.String()
	}
	return strings.TrimSpace(text + " " + c.Unit)
}

// maxShown is the maximum number of rows in a listing.
const maxShown = 12

// isListed reports whether pages show a value of the field as a listing: a list of single values or of rows.
func isListed(f *sdk.Field) bool {
	return f.Type == sdk.TypeArray && f.Items != nil && (!typed.IsRow(f.Items) || address.HasTable(f))
}

// String returns the listing in one line: single values, or rows in parentheses. The unit of a column follows each of its
// values.
func (l *Listing) String() string {
	var rows []string
	separator := ", "
	for _, row := range l.Rows {
		var words []string
		for k, c := range row {
			words = append(words, strings.TrimSpace(c.String()+" "+l.unitOf(k)))
		}
		text := strings.Join(words, ", ")
		if l.hasRows() {
			text, separator = "("+text+")", "; "
		}
		rows = append(rows, text)
	}
	if l.All > 0 {
		rows = append(rows, fmt.Sprintf("… (%d in all)", l.All))
	}
	return strings.Join(rows, separator)
}

// hasRows reports whether there are several values in a row.
func (l *Listing) hasRows() bool { return len(l.Columns) > 0 && l.Columns[0].Label != "" }

// unitOf returns the unit to write after a value of a column. Single values share a unit, which follows all of them once.
func (l *Listing) unitOf(column int) string {
	if !l.hasRows() {
		return ""
	}
	return l.Columns[column].Unit
}

// listingColumn is one column of a list.
type listingColumn struct {
	field  *sdk.Field
	values []value.Value
	sent   []strictjson.Value // as the client sent them; of kind Null if unknown
}

// columnsIn returns the heads and the values of the columns of a list.
func columnsIn(f *sdk.Field, v value.Value, sent *strictjson.Value) (head []listed, columns []listingColumn) {
	rows := v.Items()[:min(len(v.Items()), maxShown)]
	width := 1
	for _, row := range rows {
		if typed.IsRow(f.Items) {
			width = max(width, len(row.Items()))
		}
	}
	for k := range width {
		c := listingColumn{field: f.Items}
		title := listed{}
		switch f.Items.Type {
		case sdk.TypeObject:
			c.field = &f.Items.Fields[k]
			title = listed{Label: wording.Label(c.field), Symbol: SymbolOf(c.field.Symbol)}
		case sdk.TypeArray:
			c.field, title.Label = f.Items.Items, address.AxisName(k, width)
		}
		for i, row := range rows {
			one := row
			if typed.IsRow(f.Items) {
				one = value.Value{}
				if k < len(row.Items()) {
					one = row.Items()[k]
				}
			}
			c.values = append(c.values, one)
			c.sent = append(c.sent, sentCell(f, c.field, sent, i, k))
		}
		head, columns = append(head, title), append(columns, c)
	}
	return head, columns
}

// sentCell returns a value of a list as the client sent it, of kind Null if unknown.
func sentCell(f, field *sdk.Field, sent *strictjson.Value, row, column int) (v strictjson.Value) {
	if sent == nil || row >= len(sent.Items) {
		return v
	}
	of := sent.Items[row]
	switch f.Items.Type {
	case sdk.TypeObject:
		for i := range of.Members {
			if m := &of.Members[i]; m.Name == field.Name || slices.Contains(field.Aliases, m.Name) {
				v = m.Value
			}
		}
		return v
	case sdk.TypeArray:
		if column < len(of.Items) {
			v = of.Items[column]
		}
		return v
	}
	return of
}

// listing returns a list as the client sent it, or in the units of the reader if the sent list is unknown.
func (r *Reading) listing(f *sdk.Field, v value.Value, sent *strictjson.Value) *Listing {
	return list(f, v, sent, func(c *listingColumn) ([]cell, string) {
		if sent != nil {
			return c.asSent()
		}
		largest := 0.0
		for _, one := range c.values {
			if one.Kind() == value.Number && math.Abs(one.Number()) > math.Abs(largest) {
				largest = one.Number()
			}
		}
		own, ok := r.quantity(c.field)
		if !ok {
			return c.inUnit(func(x float64) wording.Number { return r.View.Digits.FormatField(c.field, x) }, c.field.Unit)
		}
		shown := r.reader.Unit(own, largest)
		return c.inUnit(func(x float64) wording.Number { return r.View.Digits.Format(own.Convert(x, shown)) }, shown.ID)
	})
}

// Listing returns an input that is a list, as the client sent it, or in the units of the reader.
func (r *Reading) Listing(f *sdk.Field, v value.Value) *Listing {
	var sent *strictjson.Value
	if at := r.Spec.Input(f.Name); at >= 0 {
		sent = r.lists[at]
	}
	return r.listing(f, v, sent)
}

// ExactListing returns a list as the engine used it: with all digits, in the units of the Spec.
func ExactListing(f *sdk.Field, v value.Value) *Listing {
	return list(f, v, nil, func(c *listingColumn) ([]cell, string) {
		return c.inUnit(func(x float64) wording.Number {
			return wording.Number{Mantissa: strings.Replace(wording.Shortest(x), "-", "−", 1)}
		}, c.field.Unit)
	})
}

// list returns a listing. show returns the cells of a column, and their unit if they share one.
func list(f *sdk.Field, v value.Value, sent *strictjson.Value, show func(c *listingColumn) ([]cell, string)) *Listing {
	l := new(Listing)
	var columns []listingColumn
	l.Columns, columns = columnsIn(f, v, sent)
	for k := range columns {
		var cells []cell
		cells, l.Columns[k].Unit = show(&columns[k])
		for i, c := range cells {
			if k == 0 {
				l.Rows = append(l.Rows, nil)
			}
			l.Rows[i] = append(l.Rows[i], c)
		}
	}
	if n := len(v.Items()); n > maxShown {
		l.All = n
	}
	return l
}

// asSent returns the cells with the sent digits and units. An unknown cell came from a table, and has the unit of the Spec.
func (c *listingColumn) asSent() (cells []cell, unit string) {
	var ids []string
	for i, v := range c.values {
		text, id := Literal(c.field, c.sent[i])
		if text == "" && v.Kind() != value.Absent {
			text, id = fullText(c.field, v), ""
		}
		if v.Kind() == value.Number && id == "" {
			id = c.field.Unit
		}
		one := cell{Text: strings.Replace(text, "-", "−", 1), Unit: formula.FormatUnit(id)}
		if v.Kind() == value.Absent {
			one = cell{Text: "–"}
		} else {
			ids = append(ids, id)
		}
		cells = append(cells, one)
	}
	if len(slices.Compact(slices.Clone(ids))) > 1 {
		return cells, ""
	}
	for i := range cells {
		cells[i].Unit = ""
	}
	return cells, formula.FormatUnit(append(ids, c.field.Unit)[0])
}

// inUnit returns the cells in a unit.
func (c *listingColumn) inUnit(show func(x float64) wording.Number, id string) (cells []cell, unit string) {
	for _, v := range c.values {
		switch v.Kind() {
		case value.Absent:
			cells = append(cells, cell{Text: "–"})
		case value.Number:
			cells = append(cells, cell{Number: new(show(v.Number()))})
		default:
			cells = append(cells, cell{Text: fullText(c.field, v)})
		}
	}
	return cells, formula.FormatUnit(id)
}

// same reports whether both listings have the same text.
func (l *Listing) same(other *Listing) bool {
	return l.String() == other.String() && l.units() == other.units()
}

func (l *Listing) units() string {
	var all []string
	for _, c := range l.Columns {
		all = append(all, strconv.Quote(c.Unit))
	}
	return strings.Join(all, " ")
}

// list sets the quantity to a list. Single values are in one line, with their unit if they share one.
func (q *Quantity) list(r *Reading, f *sdk.Field, v value.Value, sent *strictjson.Value) {
	l, exactly := r.listing(f, v, sent), ExactListing(f, v)
	q.show(l)
	if !l.same(exactly) {
		q.Exactly = exactly
	}
}

// show sets the quantity to a listing.
func (q *Quantity) show(l *Listing) {
	q.Text, q.Unit = l.String(), ""
	if l.hasRows() {
		q.Listing = l
	} else {
		q.Unit = l.Columns[0].Unit
	}
}
