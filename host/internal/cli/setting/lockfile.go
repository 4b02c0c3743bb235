package setting

import (
	"fmt"

	"github.com/alecthomas/kong"
)

// LockFile is a flag with the name of a lock file. The name may be left out.
type LockFile string

const defaultLock = "slipstick.lock"

// IsBool lets the command line accept --locked by itself, or with =FILE.
func (*LockFile) IsBool() bool { return true }

// Decode implements [kong.BoolMapperValue]. An environment variable or settings file may also
// have the value true or false.
func (l *LockFile) Decode(ctx *kong.DecodeContext) error {
	*l = defaultLock
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	switch value := ctx.Scan.Pop().Value.(type) {
	case string:
		if value != "true" {
			*l = LockFile(value)
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
