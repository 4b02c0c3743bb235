package response

import "github.com/slipstick/slipstick/sdk"

// Result is the result of one calculation in a batch.
type Result struct {
	Outcome sdk.Outcome
	Err     error // nil if there is an outcome; otherwise an error as from [sdk.Engine]
}
