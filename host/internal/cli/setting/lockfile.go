package setting

import (
	"fmt"

	"github.com/alecthomas/kong"
)

// LockFile is a flag with the name of a lock file. The name is optional.
type LockFile string

const defaultLock = "slipstick.lock"

// IsBool lets the command line accept --locked without a value, or with =FILE.
func (*LockFile) IsBool() bool { return true }

// Decode implements [kong.BoolMapperValue]. In an environment variable or settings file, the value can also be true or false.
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
		return fmt.Errorf("%v is not the name of a lock file", value)
	}
	return nil
}
