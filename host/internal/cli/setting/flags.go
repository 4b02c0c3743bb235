package setting

import (
	"maps"
	"reflect"
	"slices"

	"github.com/alecthomas/kong"
)

// Flags are the values of the flags of one command, by name.
type Flags map[string]any

// FlagsOf returns the flags of the command that was parsed.
func FlagsOf(command *kong.Context) Flags {
	flags := Flags{}
	for _, f := range command.Selected().Flags {
		flags[f.Name] = f.Target.Interface()
	}
	return flags
}

// Changed returns the sorted names of the flags that have another value in next.
func (f Flags) Changed(next Flags) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(next)) {
		if !reflect.DeepEqual(next[name], f[name]) {
			names = append(names, name)
		}
	}
	return names
}
