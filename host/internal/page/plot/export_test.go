package plot

import "github.com/slipstick/slipstick/sdk/formula"

// Simplify returns the indexes of the drawn places of a line.
func Simplify(places [][2]float64) []int {
	spots := make([]spot, len(places))
	for i, p := range places {
		spots[i] = spot{p[0], p[1]}
	}
	return simplify(spots)
}

// Functions for texts in pictures.
var (
	SayNumber  = formatNumber
	SayUnit    = formula.FormatUnit
	SayLabel   = formatLabel
	Prefixable = prefixable
	Width      = width
)

// Symbol returns a symbol as text, with its index in brackets.
func Symbol(latex string) (text string, ok bool) {
	parts, ok := readSymbol(latex)
	for _, p := range parts {
		if p.sub {
			p.text = "[" + p.text + "]"
		}
		text += p.text
	}
	return text, ok
}
