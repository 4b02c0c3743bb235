package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/cli/manual"
)

type manCmd struct {
	Out string `default:"." help:"Directory for the pages." placeholder:"DIR"`
}

// Run writes the pages of the manual.
func (c *manCmd) Run(s streams, command *kong.Context) error {
	pages := manual.Pages(command.Model.Node, &manual.Options{
		Release: version, About: about, Help: helpWithDefault, Exit: exitCodes, Files: places,
	})
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		path := filepath.Join(c.Out, name)
		if err := os.WriteFile(path, pages[name], 0o644); err != nil {
			return err
		}
		fmt.Fprintln(s.out, path)
	}
	return nil
}

// about is what the manual says of the program as a whole.
const about = `Slipstick answers calculations with the number and with what makes it worth something: which
code computed it, what was assumed, who checked that code, and a version that can be asked for
again. Each calculation is a separately versioned program, an engine, that runs in a sandbox of its own.

Most flags have an environment variable, which their help names; a flag comes before it. Each command has a page of its own, and
slipstick COMMAND --help says the same.`

// places are the files that commands find without being told.
var places = []manual.File{
	{Path: "var/registry, var/mirror, var/data", Help: "Registry, mirrors of others, and data of a host, where nothing else is said."},
	{Path: "~/.local/share/slipstick/", Help: "The same, where there is no var; $XDG_DATA_HOME/slipstick, if that is set."},
	{Path: "/var/lib/slipstick/", Help: "The same, of the service that a Debian package installs, where the user has none."},
	{Path: "/etc/slipstick/settings.json, /etc/default/slipstick", Help: "Settings of that service; the second can be read by root alone."},
}
