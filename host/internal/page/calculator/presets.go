package calculator

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/preset"
	"github.com/slipstick/slipstick/sdk/value"
)

// fillControl lets the reader fill several fields from one row.
type fillControl struct {
	List   string
	Fields []string // labels of the fields, if they are blank
	Value  string   // the row that fills no field
	Error  string   // why it fills no field
}

// fillControl returns the control that fills several fields from one row, nil if no row has values for several fields.
func (p *Pages) fillControl(r *catalog.Release, form *form, s *address.Values) *fillControl {
	var best []int
	text, notFilled := s.NotFilled()
	fill := &fillControl{Value: text}
	for i := range s.Spec.Inputs {
		one := form.field(s.Spec.Inputs[i].Name)
		if one.Preset == nil {
			continue
		}
		tables := address.CurrentTables(p.Service.Catalog(), &s.Spec.Inputs[i])
		if fields := address.GivenBy(s.Spec, tables); len(fields) > len(best) {
			best, fill.List = fields, one.Preset.List
		}
	}
	if len(best) < 2 && notFilled == nil {
		return nil
	}
	for _, i := range address.Together(p.Service, r, nil, best) {
		fill.Fields = append(fill.Fields, wording.Label(&s.Spec.Inputs[i]))
	}
	return fill
}

// presetControl lets the reader choose a row of a table instead of typing a number.
type presetControl struct {
	Value string // name of the row
	List  string // id of the list of rows
	Note  string // the table value and its source
	Link  string // URL of the row

}

// presetList lists the rows of the tables that some fields take.
type presetList struct {
	ID      string
	Options []presetOption
}

// presetOption is a row to choose.
type presetOption struct{ Name, Text string }

// addPresets adds the controls for rows of tables to a form.
func (p *Pages) addPresets(r *catalog.Release, form *form, s *address.Values) {
	lists := map[string]string{}
	for _, fields := range [][]field{form.Fields, form.Advanced} {
		for i := range fields {
			at := s.Spec.Input(fields[i].Name)
			f := &s.Spec.Inputs[at]
			tables := address.CurrentTables(p.Service.Catalog(), f)
			if len(tables) == 0 {
				continue
			}
			key := fmt.Sprint(tables)
			if lists[key] == "" {
				lists[key] = fmt.Sprintf("rows-%d", len(lists)+1)
				form.Lists = append(form.Lists, presetList{lists[key], optionsFrom(tables)})
			}
			fields[i].Preset = p.presetControl(s, f, s.Values[at].Preset, lists[key])
		}
	}
	form.Fill = p.fillControl(r, form, s)
}

// presetControl returns the control of a field.
func (p *Pages) presetControl(s *address.Values, f *sdk.Field, chosen, list string) *presetControl {
	c := &presetControl{List: list, Value: chosen}
	ref, err := preset.ParseRef(chosen)
	if err != nil {
		return c
	}
	found, r, err := p.Service.Catalog().Preset(f, ref)
	if err != nil {
		c.Value = ref.Row
		return c
	}
	c.Value = address.RowName(r, found)
	c.Note = fmt.Sprintf("%s, %s %s", presetNumber(s, f, found), r.Table.Title, found.Version)
	c.Link = p.Link("/tables/" + ref.Table)
	if !found.Between {
		c.Link += "?row=" + found.Row
	}
	return c
}

// presetNumber returns a table value as the table has it, and for a reader of US units in a US unit.
func presetNumber(s *address.Values, f *sdk.Field, found *value.Preset) string {
	q, measured := customary.Of(s.Spec, f.Unit, wording.IsDifference(f))
	own, known := customary.Of(s.Spec, found.Unit, wording.IsDifference(f))
	x, err := strconv.ParseFloat(found.Literal, 64)
	q.Field = f.Name
	if to := customary.Preset(customary.US, q); s.View.Units == customary.US && measured && known && err == nil && to.Quantity == own.Unit.Quantity && to.ID != found.Unit {
		n := wording.FormatNumber(own.Convert(x, to))
		return n.String() + " " + formula.FormatUnit(to.ID)
	}
	return show.WithUnit(found.Literal, found.Unit)
}

// optionsFrom returns all rows of the tables.
func optionsFrom(tables []*catalog.Release) []presetOption {
	var list []presetOption
	for _, r := range tables {
		by := r.Table.Argument()
		for i := range r.Table.Rows {
			row := &r.Table.Rows[i]
			o := presetOption{Name: address.ShortName(row), Text: r.Table.Title}
			switch {
			case by >= 0:
				c := &r.Table.Columns[by]
				o.Name = r.Table.Title + " at " + row.Cells[by].Literal + " " + formula.FormatUnit(c.Unit)
			case preset.Fold(row.Name) != preset.Fold(row.Key):
				o.Text = row.Name
			}
			list = append(list, o)
		}
	}
	return list
}

// assumed returns the assumptions of an answer, with a sentence for each preset.
func (p *Pages) assumed(spec *sdk.Spec, presets []value.Preset, ofOutcome []string) []string {
	list := slices.Concat(spec.Assumptions, ofOutcome)
	for _, found := range presets {
		list = append(list, p.presetSentence(spec, found))
	}
	return list
}

// presetSentence names the table that gave an input.
func (p *Pages) presetSentence(spec *sdk.Spec, found value.Preset) string {
	name, _, _ := strings.Cut(found.Field, ".")
	of, title := found.Field, found.Table
	if i := spec.Input(name); i >= 0 {
		of = wording.Label(&spec.Inputs[i])
	}
	row := found.Row
	if r, err := p.Service.Catalog().Table(found.Table); err == nil && r.ShownTable() != nil {
		title, row = r.ShownTable().Table.Title, address.RowName(r.ShownTable(), &found)
	}
	return fmt.Sprintf("%s: %s is the value of %s in the table %s %s, from %s", of,
		strings.TrimSpace(found.Literal+" "+formula.FormatUnit(found.Unit)), row, title, found.Version, cmp.Or(found.Source, "an unnamed source"))
}
