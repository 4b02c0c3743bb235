package formula

import _ "embed" // of the font

// Font is the font in which CSS sets formulas, as WOFF2: what formulas need of STIX Two Math,
// whose licence lies beside it. scripts/font makes it. CSS names it formula.woff2.
//
//go:embed font/stix-two-math.woff2
var Font string
