// Package help describes the command line to people: the texts of --help, the manual pages and
// the completion of command lines in a shell. All of them come from the flags that kong knows.
package help

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Describe gives a command and all commands below it their texts from files (see [TextFile]).
func Describe(command *kong.Node, texts fs.FS) error {
	text, err := fs.ReadFile(texts, TextFile(command))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		command.Detail = strings.TrimSuffix(string(text), "\n")
	}
	for _, child := range command.Children {
		err := Describe(child, texts)
		if err != nil {
			return err
		}
	}
	return nil
}

// TextFile returns the name of the file with the text of a command, such as help/keys-new.txt.
func TextFile(command *kong.Node) string {
	return "help/" + strings.ReplaceAll(command.Path(), " ", "-") + ".txt"
}

// Value returns the help of an argument or flag. It ends with the default, unless the text contains it.
func Value(v *kong.Value) string {
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

// Normalize returns the arguments with --version and help COMMAND in the form that the parser knows.
func Normalize(args []string) []string {
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
