package main

import (
	"fmt"

	"github.com/alecthomas/kong"
)

// lockName is the flag of a lock file, whose name may be left out.
type lockName string

const defaultLock = "slipstick.lock"

// IsBool tells the command line that --locked stands alone, or with =FILE.
func (*lockName) IsBool() bool { return true }

// Decode implements [kong.BoolMapperValue]. An environment variable or settings file may
// say true or false too.
func (l *lockName) Decode(ctx *kong.DecodeContext) error {
	*l = defaultLock
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	switch value := ctx.Scan.Pop().Value.(type) {
	case string:
		if value != "true" {
			*l = lockName(value)
		}
		if value == "false" {
			*l = ""
		}
	case bool:
		if !value {
			*l = ""
		}
	default:
		return fmt.Errorf("%v is no name of a lock file", value)
	}
	return nil
}
