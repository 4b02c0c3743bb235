package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// helpWithDefault is the help of a flag, with its default where the text does not tell it.
func helpWithDefault(v *kong.Value) string {
	help := kong.DefaultHelpValueFormatter(v)
	if !v.HasDefault || v.Default == "" || strings.Contains(help, "Default:") {
		return help
	}
	shown := v.Default
	if shown == "." {
		shown = "the current directory"
	}
	return strings.TrimRight(help, ". ") + ". Default: " + shown + "."
}

// exitCodes is what every command ends with.
const exitCodes = `Exit codes, of every command:

  0  it was done, or the answer is yes
  1  the answer is no: an input, a version, an engine or a release was refused
  2  the command line is wrong, or a file that it names
  3  it could not be done: the registry, the network, the disk or an engine failed`

// spelled is the command line with other ways to ask for help and version.
func spelled(args []string) []string {
	if len(args) == 0 {
		return args
	}
	switch args[0] {
	case "--version":
		return append([]string{"version"}, args[1:]...)
	case "help":
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

// helpFor says where the help is about what was wrong.
func helpFor(err error) string {
	var at *kong.ParseError
	if errors.As(err, &at) && at.Context != nil {
		if node := at.Context.Selected(); node != nil {
			return fmt.Sprintf("Run slipstick %s --help.", node.Path())
		}
	}
	return "Run slipstick --help for the commands, slipstick COMMAND --help for one."
}

// helpCmd is there to be listed: the command line is spelled COMMAND --help before.
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"Command."`
}
