package formula

import _ "embed" // of the font

// Font is the font for formulas in CSS, as WOFF2: the part of STIX Two Math that formulas need. Its licence is in the same
// folder. scripts/font makes it. CSS names it formula.woff2.
//
//go:embed font/stix-two-math.woff2
var Font string
