package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/cli/help"
	"github.com/slipstick/slipstick/host/internal/command"
)

type manCmd struct {
	Out string `default:"." help:"Directory for the pages." placeholder:"DIR"`
}

// Run writes the pages of the manual.
func (c *manCmd) Run(s command.Streams, parsed *kong.Context) error {
	pages := help.Pages(parsed.Model.Node, &help.PageOptions{
		Release: version, About: about, Exit: command.ExitCodes, Files: places,
	})
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		path := filepath.Join(c.Out, name)
		if err := os.WriteFile(path, pages[name], 0o644); err != nil {
			return err
		}
		fmt.Fprintln(s.Out, path)
	}
	return nil
}

// about describes the program in the manual.
const about = `Slipstick answers calculations with the number and with what makes it worth something: which
code computed it, what was assumed, who checked that code, and a version that can be asked for
again. Each calculation is a separately versioned program, an engine, that runs in a sandbox of its own.

Most flags have an environment variable, which their help names; a flag comes before it. Each command has a page of its own, and
slipstick COMMAND --help says the same.`

// places are the files that all commands use by default.
var places = []help.File{
	{Path: "var/registry, var/mirror, var/data", Help: "Registry, mirrors of others, and data of a host, where nothing else is said."},
	{Path: "~/.local/share/slipstick/", Help: "The same, where there is no var; $XDG_DATA_HOME/slipstick, if that is set."},
	{Path: "/var/lib/slipstick/", Help: "The same, of the service that a Debian package installs, where the user has none."},
	{Path: "/etc/slipstick/settings.json, /etc/default/slipstick", Help: "Settings of that service; the second can be read by root alone."},
}
