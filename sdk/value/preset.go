package value

// Preset is an input with a number from a published table.
type Preset struct {
	Field   string // the input, or the place of a value within it: "layers.0.conductivity"
	Table   string // id
	Version string // of the table
	Column  string // name
	Row     string // key of the row, or the argument with its unit
	Literal string // the value in the table, or the value between its rows
	Unit    string // "" if it has none
	Source  string // with its edition
	Between bool   // it is interpolated at an argument, and not the value of a row
}

// String returns the sentence for the assumptions of an answer, such as "elastic_modulus: 210
// GPa of S235, from data.materials.metals 1.0.0, elastic_modulus; source: EN 1993-1-1:2005".
func (p Preset) String() string {
	text := p.Field + ": " + p.Literal
	if p.Unit != "" {
		text += " " + p.Unit
	}
	of := " of "
	if p.Between {
		of = " at "
	}
	return text + of + p.Row + ", from " + p.Table + " " + p.Version + ", " + p.Column + "; source: " + p.Source
}
