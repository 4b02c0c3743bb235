package sdk

import (
	"context"

	"github.com/hashicorp/go-hclog"

	"github.com/slipstick/slipstick/sdk/internal/calllog"
)

// Logger returns the logger of the calculation with the context. In an engine process its lines go
// to the log of the server, with the capability, the version and the id of the request. The
// server keeps warnings and errors, at most 10 lines per second of 1 KiB each, unless its operator
// asks for more.
//
// Outside an engine process, such as in an author's own test, it is the logger that
// [hclog.WithContext] has put in the context, or else [hclog.Default].
//
// A calculation that logs nothing need not call it. Calls in a loop should share one logger.
func Logger(ctx context.Context) hclog.Logger {
	maker, ok := ctx.Value(calllog.Key{}).(calllog.Maker)
	if ok {
		return maker.Logger()
	}
	return hclog.FromContext(ctx)
}
