package response

import "github.com/slipstick/slipstick/sdk"

// Result is what became of one calculation of several.
type Result struct {
	Outcome sdk.Outcome
	Err     error // nil for an outcome; else as from [sdk.Engine]
}
