package preset

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode"

	"github.com/slipstick/slipstick/sdk/internal/pattern"
	"github.com/slipstick/slipstick/sdk/units"
)

var (
	idForm      = pattern.New(`^data(\.[a-z0-9]+(_[a-z0-9]+)*){2,}$`)
	versionForm = pattern.New(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?$`)
	columnForm  = pattern.New(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	sourceForm  = pattern.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	literalForm = pattern.New(`^-?(0|[1-9][0-9]{0,19})(\.[0-9]{1,20})?(e-?[1-9][0-9]?)?$`)
	keyForm     = pattern.New(`^[A-Za-z0-9][A-Za-z0-9 ./+x-]*$`)
)

// pictures are the kinds of drawings of a row, with the names of the columns for the
// dimensions.
var pictures = map[string][]string{
	"i_section": {"height", "width", "web_thickness", "flange_thickness", "root_radius"},
	"tube":      {"outside_diameter", "wall_thickness"},
	"round":     {"diameter"},
}

// findings collects mistakes.
type findings struct{ errs []error }

const maxFindings = 20

func (f *findings) add(format string, args ...any) {
	if len(f.errs) < maxFindings {
		f.errs = append(f.errs, fmt.Errorf(format, args...))
	}
}

func (t *Table) validateSpec() error {
	var f findings
	if t.Format != Format {
		f.add("table_format is %d, and this program reads %d", t.Format, Format)
	}
	if !idForm.MatchString(t.ID) || len(t.ID) > 200 {
		f.add("table_id %.100q is not data.DOMAIN.NAME, such as data.materials.metals", t.ID)
	}
	if !versionForm.MatchString(t.Version) {
		f.add("table_version %.40q is not major.minor.patch without build metadata", t.Version)
	}
	if t.Title == "" || t.Summary == "" || t.Noun == "" {
		f.add("title, summary and noun are needed: they are what people search")
	}
	if len(t.Title)+len(t.Summary)+len(t.Noun) > maxText {
		f.add("title, summary and noun have more than %d bytes", maxText)
	}
	if len(t.Changes) > maxChanges || t.Changes != "" && strings.TrimSpace(t.Changes) == "" {
		f.add("changes are one or two sentences of at most %d bytes", maxChanges)
	}
	t.validateSources(&f)
	t.validateColumns(&f)
	if i := t.Interpolation; i != nil && (i.Kind != Linear && i.Kind != Cubic || t.Argument() < 0) {
		f.add("interpolation %.40q by %.40q: the kind is %s or %s, and the argument a column", i.Kind, i.Argument, Linear, Cubic)
	}
	if needed, known := pictures[t.Picture]; t.Picture != "" && (!known || slices.ContainsFunc(needed, func(name string) bool { return t.Column(name) < 0 })) {
		f.add("picture %.40q is not known, or a column that it shows is missing: i_section, tube and round have %v", t.Picture, pictures)
	}
	return errors.Join(f.errs...)
}

func (t *Table) validateSources(f *findings) {
	if len(t.Sources) == 0 || len(t.Sources) > MaxSources {
		f.add("%d sources: name 1 to %d", len(t.Sources), MaxSources)
	}
	for i := range t.Sources {
		s := &t.Sources[i]
		if !sourceForm.MatchString(s.ID) || s.Title == "" || t.Source(s.ID) != s || len(s.Title)+len(s.Where)+len(s.Note) > maxText {
			f.add("source %.40q needs a title and an id of its own, of small letters and digits", s.ID)
		}
	}
}

func (t *Table) validateColumns(f *findings) {
	if len(t.Columns) == 0 || len(t.Columns) > MaxColumns {
		f.add("%d columns: give 1 to %d", len(t.Columns), MaxColumns)
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		if !columnForm.MatchString(c.Name) || t.Column(c.Name) != i || c.Label == "" || len(c.Label)+len(c.Doc)+len(c.Symbol)+len(c.Reason) > maxText {
			f.add("column %.40q needs a label and a name of its own, of small letters and underscores", c.Name)
		}
		if _, err := c.unit(); err != nil {
			f.add("column %s: %v", c.Name, err)
		}
		if c.Source != "" && t.Source(c.Source) == nil {
			f.add("column %s: there is no source %.40q", c.Name, c.Source)
		}
		for _, bound := range []string{c.Min, c.Max, c.Tolerance} {
			if bound != "" && !literalForm.MatchString(bound) {
				f.add("column %s: %.40q is not a decimal", c.Name, bound)
			}
		}
		if c.Monotonic != "" && c.Monotonic != Rising && c.Monotonic != Falling {
			f.add("column %s: monotonic is %s or %s, not %.40q", c.Name, Rising, Falling, c.Monotonic)
		}
		if (c.Tolerance == "") != (c.Reason == "") {
			f.add("column %s: a tolerance needs a reason, and only a tolerance has one", c.Name)
		}
	}
}

// unit returns the unit of a column. A unit that is not in the table of units is a coherent
// product of SI units, and is not converted.
func (c *Column) unit() (units.Unit, error) {
	one := units.Unit{ID: c.Unit, Factor: big.NewRat(1, 1)}
	if c.Unit == "" {
		return one, nil
	}
	if u, ok := units.Lookup(c.Unit); ok {
		return u, nil
	}
	si, err := units.Coherent(c.Unit)
	if err == nil && si != c.Unit {
		err = fmt.Errorf("write %s in coherent units of SI, as %s", c.Unit, si)
	}
	return one, err
}

// SI returns a value of the column in the coherent unit of SI, and that unit.
func (c *Column) SI(literal string) (*big.Rat, string) {
	x, ok := new(big.Rat).SetString(literal)
	u, err := c.unit()
	if !ok || err != nil || u.Quantity == "" {
		return x, c.Unit
	}
	si := units.SI(u.Quantity)
	return units.Convert(x, u, si), si.ID
}

func (t *Table) validateRows() error {
	var f findings
	if least := map[bool]int{true: 2, false: 1}[t.Interpolation != nil]; len(t.Rows) < least {
		f.add("there are %d rows: at least %d are needed", len(t.Rows), least)
	}
	t.byName = map[string]int{}
	for i := range t.Rows {
		row := &t.Rows[i]
		if t.Interpolation == nil {
			t.validateName(&f, i)
		}
		for k := range row.Cells {
			t.validateCell(&f, row.Label(i), &t.Columns[k], &row.Cells[k])
		}
	}
	for k := range t.Columns {
		t.validateTrend(&f, k)
	}
	return errors.Join(f.errs...)
}

// Label names a row in messages: by its key, or its number from 1.
func (r *Row) Label(i int) string {
	if r.Key != "" {
		return r.Key
	}
	return fmt.Sprintf("row %d", i+1)
}

func (t *Table) validateName(f *findings, i int) {
	row := &t.Rows[i]
	if !keyForm.MatchString(row.Key) || len(row.Key) > maxName || row.Name == "" || len(row.Name) > 2*maxName {
		f.add("row %d: the key %.80q is not of letters, digits, blanks and ./+-, or has no name", i+1, row.Key)
	}
	for _, name := range []string{row.Key, row.Name} {
		if other, taken := t.byName[Fold(name)]; taken && other != i {
			f.add("row %d: %.80q is the name of row %d too", i+1, name, other+1)
			continue
		}
		t.byName[Fold(name)] = i
	}
}

// Fold returns a name in the form for comparisons: without blanks, in small letters, and with
// the letter x instead of the sign × of dimensions.
func Fold(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return -1
		case r == '×':
			return 'x'
		}
		return unicode.ToLower(r)
	}, name)
}

func (t *Table) validateCell(f *findings, row string, c *Column, cell *Cell) {
	if cell.Literal == "" {
		if t.Interpolation != nil {
			f.add("%s: %s has no value, and an interpolated table needs all of them", row, c.Name)
		}
		return
	}
	for _, o := range append([]Other{{cell.Literal, cell.Source}}, cell.Others...) {
		switch {
		case !literalForm.MatchString(o.Literal):
			f.add("%s: %s: %.40q is not a decimal", row, c.Name, o.Literal)
			return
		case t.Source(o.Source) == nil:
			f.add("%s: %s: the value %s has no source: name it as %s[SOURCE], or at the column", row, c.Name, o.Literal, o.Literal)
		}
	}
	x := Rat(cell.Literal)
	if c.Min != "" && x.Cmp(Rat(c.Min)) < 0 || c.Max != "" && x.Cmp(Rat(c.Max)) > 0 {
		f.add("%s: %s %s is outside [%s, %s]", row, c.Name, cell.Literal, c.Min, c.Max)
	}
}

func (t *Table) validateTrend(f *findings, k int) {
	c := &t.Columns[k]
	trend := c.Monotonic
	if k == t.Argument() {
		trend = Rising
	}
	if trend == "" || len(f.errs) > 0 {
		return
	}
	for i := 1; i < len(t.Rows); i++ {
		before, now := t.Rows[i-1].Cells[k].Literal, t.Rows[i].Cells[k].Literal
		if before == "" || now == "" {
			continue
		}
		if order := Rat(now).Cmp(Rat(before)); trend == Rising && order <= 0 || trend == Falling && order >= 0 {
			f.add("%s: %s is %s after %s, and the column is %s", t.Rows[i].Label(i), c.Name, now, before, trend)
		}
	}
}

// Rat returns the number of a decimal that Parse has accepted.
func Rat(literal string) *big.Rat {
	x, ok := new(big.Rat).SetString(literal)
	if !ok {
		return new(big.Rat)
	}
	return x
}
