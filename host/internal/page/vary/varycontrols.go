package vary

import (
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/wording"
)

// varyControls are the controls of a variation, above its numbers.
type varyControls struct {
	Rows    []varyRow
	Outputs []wording.Option
	Post    string // version that the form must ask for, "" for the current version
	Close   string // URL of the page without them
}

// varyRow is one input to vary.
type varyRow struct {
	ID, Name         string // Name is for people
	Fields           []varyOption
	From, To, Points string
	Unit             string
	UnitID           string // that the controls send, "" for the unit of the sent input
	Most             int
	Log, Choice      bool // Choice: the chosen input has no range
}

// varyOption is an input that can be varied, with its default range.
type varyOption struct {
	Value, Text    string
	From, To, Unit string
	UnitID         string
	Chosen, Choice bool
}

// newVaryControls returns the controls with the values of the view, also if they are invalid.
func newVaryControls(a *calc.Answer, v *address.View, o *varied, of *show.Reading) varyControls {
	c := varyControls{}
	for i, row := range []varyRow{{ID: "vary-1", Name: "Input", Most: maxPoints}, {ID: "vary-2", Name: "Second input", Most: maxFamily}} {
		text := ""
		if i < len(v.Vary) {
			text = v.Vary[i]
		}
		row.fill(a, of, text, []*variation{o.along, o.family}[i], i == 1)
		c.Rows = append(c.Rows, row)
	}
	spec := a.Success.Spec
	for i := range spec.Outputs {
		if f := &spec.Outputs[i]; wording.IsNumber(f) {
			drawn := slices.ContainsFunc(o.drawn, func(d variedOutput) bool { return d.at == i })
			c.Outputs = append(c.Outputs, wording.Option{Value: f.Name, Text: wording.Label(f), Chosen: drawn})
		}
	}
	return c
}

// fill fills in a row from a value of the key vary. read is the variation, nil if the value is invalid.
func (r *varyRow) fill(a *calc.Answer, of *show.Reading, text string, read *variation, optional bool) {
	parts := append(strings.Split(text, ":"), "", "", "", "")
	name := parts[0]
	if read != nil {
		name = read.Field.Name
	}
	if optional {
		r.Fields = append(r.Fields, varyOption{Text: "none", Choice: true, Chosen: name == ""})
	}
	spec := a.Success.Spec.At(a.Success.Outcome.Inputs)
	for i := range spec.Inputs {
		f := &spec.Inputs[i]
		can, along := canVary(f)
		if !can || !along && !optional {
			continue
		}
		one := varyOption{Value: f.Name, Text: wording.Label(f), Chosen: f.Name == name, Choice: !along}
		if along {
			v := &variation{Field: f}
			v.readPresent(a.Sent())
			defaults := v.defaultRange(r.Most)
			v.show(of)
			one.From, one.To, one.Unit, one.UnitID = v.end(defaults[1]), v.end(defaults[2]), v.UnitText(), v.control()
			if one.Chosen {
				r.From, r.To, r.Points, r.Unit, r.UnitID = one.From, one.To, defaults[3], one.Unit, one.UnitID
			}
		}
		r.Choice = r.Choice || one.Chosen && one.Choice
		r.Fields = append(r.Fields, one)
	}
	r.Choice = r.Choice || name == ""
	switch {
	case parts[1]+parts[2] == "":
	case read != nil && read.Numbers != nil:
		r.From, r.To, r.Points, r.Unit, r.UnitID = read.end(read.From), read.end(read.To), parts[3], read.UnitText(), read.control()
	default:
		r.From, r.To, r.Points = parts[1], parts[2], parts[3]
	}
	if r.Points == "" {
		r.Points = strconv.Itoa(map[bool]int{false: defaultPoints, true: defaultFamily}[optional])
	}
	r.Log = parts[4] == "log"
}
