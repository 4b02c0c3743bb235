// Package formula answers how pages set formulas. The MathML is made by sdk/formula; here is the
// style that it needs.
package formula

import _ "embed" // of CSS

// CSS is required by the elements that sdk/formula makes. It aligns the columns of equations,
// because browsers ignore the attributes for that.
//
//go:embed formula.css
var CSS string
