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
const about = `Slipstick serves engineering calculations. Each answer has the result, the exact version that
computed it, the assumptions, and the verification of that version. Each calculation is a separately versioned
program, an engine, that runs in its own sandbox.

Most flags have an environment variable, which their help names. A flag overrides its variable. Each command has
its own page, with the same text as slipstick COMMAND --help.`

// places are the files that all commands use by default.
var places = []help.File{
	{Path: "var/registry, var/mirror, var/data", Help: "The registry, mirrors of remote registries, and the data of a server, by default."},
	{Path: "~/.local/share/slipstick/", Help: "The same, without a directory var. With $XDG_DATA_HOME it is $XDG_DATA_HOME/slipstick."},
	{Path: "/var/lib/slipstick/", Help: "The same, of the service in the Debian package, if the user has none."},
	{Path: "/etc/slipstick/settings.json, /etc/default/slipstick", Help: "Settings of that service. Only root can read the second file."},
}
