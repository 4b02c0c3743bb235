// Package formula has the style and the font of formulas on pages. Package sdk/formula makes the MathML.
package formula

import _ "embed" // of CSS

// CSS is the style of the elements that sdk/formula makes. It aligns the columns of equations, because browsers ignore
// the attributes for it.
//
//go:embed formula.css
var CSS string
