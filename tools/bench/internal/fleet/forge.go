package fleet

import (
	"bytes"
	"fmt"
)

// Forge returns the executable of another engine. It is the executable of engine 0 with other names
// in place of its names.
func Forge(executable []byte, number int, version string) ([]byte, error) {
	forged := bytes.Clone(executable)
	for _, name := range []struct{ old, new string }{
		{Capability(0), Capability(number)}, {Tool(0), Tool(number)}, {Current, version},
	} {
		switch {
		case len(name.old) != len(name.new):
			return nil, fmt.Errorf("%s cannot replace %s: it has another length", name.new, name.old)
		case !bytes.Contains(forged, []byte(name.old)):
			return nil, fmt.Errorf("the executable does not hold %s", name.old)
		}
		forged = bytes.ReplaceAll(forged, []byte(name.old), []byte(name.new))
	}
	return forged, nil
}
