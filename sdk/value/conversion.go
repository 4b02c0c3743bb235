package value

// Conversion is an input that was sent in another unit than the Spec's.
type Conversion struct {
	Field   string  // the input, or the place of a value within it: "layers.0.thickness"
	Literal string  // the number as it was sent
	From    string  // id of the unit that it was sent in
	Value   float64 // the number in the unit of the Spec, rounded once
	To      string  // id of the unit of the Spec
}

// String returns the sentence for the assumptions of an answer, such as "length: 10 ft = 3.048
// m".
func (c Conversion) String() string {
	text := c.Field + ": " + c.Literal + " " + c.From + " = "
	return string(AppendNumber([]byte(text), c.Value)) + " " + c.To
}
