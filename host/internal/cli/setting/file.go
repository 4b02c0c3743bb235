package setting

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/sdk/spelling"
)

// file is a JSON object with flags by name. An unknown name is an error, because no setting may be ignored silently.
type file map[string]any

// ReadFile reads a settings file for a command line.
func ReadFile(r io.Reader) (kong.Resolver, error) {
	var f file
	if err := json.NewDecoder(r).Decode(&f); err != nil {
		return nil, fmt.Errorf("settings%s are not a JSON object: %w", nameOf(r), err)
	}
	return f, nil
}

// nameOf returns the name of a file after a space, "" if it is unknown.
func nameOf(r io.Reader) string {
	if f, ok := r.(interface{ Name() string }); ok {
		return " in " + f.Name()
	}
	return ""
}

// Validate implements [kong.Resolver].
func (f file) Validate(app *kong.Application) error {
	known := map[string]bool{}
	for _, command := range app.Leaves(false) {
		for _, flag := range command.Flags {
			known[flag.Name] = true
		}
	}
	for name := range f {
		if renamed[name] != "" {
			return fmt.Errorf("settings: the flag %q is now %q", name, renamed[name])
		}
		if !known[name] {
			text := fmt.Sprintf("settings: there is no flag %q", name)
			if guess, ok := spelling.Guess(name, slices.Sorted(maps.Keys(known))); ok {
				text += fmt.Sprintf(", did you mean %q?", guess)
			}
			return errors.New(text)
		}
	}
	return nil
}

// Resolve implements [kong.Resolver]. Environment variables take precedence over the file.
func (f file) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if _, ok := os.LookupEnv(name); ok {
			return nil, nil
		}
	}
	return f[flag.Name], nil
}
