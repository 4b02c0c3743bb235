// Package formula has the style sheet [CSS] and the font [Font] for formulas on pages. Package sdk/formula makes the
// MathML. A page needs the font because readers may not have a font for mathematics.
package formula

import _ "embed" // of CSS

// CSS is the style of the elements that sdk/formula makes. It aligns the columns of equations, because browsers ignore
// the attributes for it.
//
//go:embed formula.css
var CSS string
