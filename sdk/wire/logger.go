package wire

import (
	"context"
	"os"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/slipstick/slipstick/sdk/internal/calllog"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// logLevel returns the least level of the lines that the server asks for. A server that does not
// know engine logs asks for nothing, and keeps warnings and errors as output on stderr.
func logLevel() hclog.Level {
	level := hclog.LevelFromString(os.Getenv(contract.LogVariable))
	if level == hclog.NoLevel {
		return hclog.Warn
	}
	return level
}

// stderr is os.Stderr at the start of the process. go-plugin replaces os.Stderr later.
var stderr = os.Stderr

// newLogger returns a logger that writes lines for the server on stderr.
func newLogger(level hclog.Level) hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Level: level, JSONFormat: true, Output: stderr})
}

// engineLogger is the logger of all calls. It is made for the first call that logs.
var engineLogger = sync.OnceValue(func() hclog.Logger { return newLogger(logLevel()) })

// callLogger returns the logger of a call for the request. The id can be nil.
func callLogger(id *contract.RequestID) hclog.Logger {
	if id == nil || *id == (contract.RequestID{}) {
		return engineLogger()
	}
	return engineLogger().With(contract.LogRequest, id.String())
}

// loggedContext is the context of a call by gRPC, with its logger.
type loggedContext struct {
	context.Context
	request contract.RequestID
}

// Value implements [context.Context].
func (c *loggedContext) Value(key any) any {
	if key == (calllog.Key{}) {
		return c
	}
	return c.Context.Value(key)
}

// Logger implements [calllog.Maker].
func (c *loggedContext) Logger() hclog.Logger { return callLogger(&c.request) }
