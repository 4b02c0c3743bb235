package help

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/sdk/spelling"
)

// Mistake describes a command line that the parser refuses, and what to write instead.
func Mistake(err error) string {
	node := nodeOf(err)
	if node == nil {
		return err.Error() + "\nRun slipstick --help for the commands, slipstick COMMAND --help for one."
	}
	if NamesNoCommand(err) {
		return "name one of these commands"
	}
	text := err.Error()
	if absent, found := strings.CutPrefix(text, `expected "<`); found { // the parser has two texts for the same mistake
		text = "missing positional arguments <" + strings.TrimSuffix(absent, `"`)
	}
	if found := unknown.FindStringSubmatch(text); found != nil {
		text = notKnown(node, found[1], found[2])
	} else if usage := usageOf(node); incomplete(text) && usage != "" {
		text += "\n" + usage
	}
	if node.Type == kong.ApplicationNode {
		return text + "\nRun slipstick --help for the commands, slipstick COMMAND --help for one."
	}
	return text + "\nRun slipstick " + node.Path() + " --help."
}

// NamesNoCommand reports whether the command line ends before the name of a command.
func NamesNoCommand(err error) bool {
	node := nodeOf(err)
	return node != nil && len(node.Children) > 0 && strings.HasPrefix(err.Error(), "expected ")
}

// nodeOf returns the command that a refused command line selects, or the program. It returns nil for an error that is not
// from the parser.
func nodeOf(err error) *kong.Node {
	at, ok := errors.AsType[*kong.ParseError](err)
	if !ok || at.Context == nil {
		return nil
	}
	if node := at.Context.Selected(); node != nil {
		return node
	}
	return at.Context.Model.Node
}

// The texts of the parser for unknown names, and for missing flags and arguments. The suggestions of the parser are
// left out, because they can be far from the name.
var unknown = regexp.MustCompile(`(?s)^(unknown flag|unexpected argument) (.*?)(?:, did you mean (?:one of )?".*)?$`)

func incomplete(text string) bool {
	return slices.ContainsFunc([]string{"missing flags: ", "missing positional arguments "}, func(start string) bool { return strings.HasPrefix(text, start) })
}

// notKnown returns the text about an unknown flag, command or argument, with the name that was probably meant.
func notKnown(node *kong.Node, kind, name string) string {
	var known []string
	switch {
	case kind == "unknown flag":
		for _, group := range node.AllFlags(true) {
			for _, f := range group {
				known = append(known, f.Name)
				if f.Tag.Negatable != "" {
					known = append(known, "no-"+f.Name)
				}
			}
		}
	case len(node.Children) > 0:
		kind = "unknown command"
		for _, child := range node.Children {
			if !child.Hidden {
				known = append(known, child.Name)
			}
		}
	}
	text := kind + " " + name
	dashes := name[:len(name)-len(strings.TrimLeft(name, "-"))]
	if guess, ok := guessOf(name[len(dashes):], known); ok {
		text += ", did you mean " + dashes + guess + "?"
	}
	return text
}

// guessOf returns the known name that was probably meant: the nearest one, or the only one with this start.
func guessOf(name string, known []string) (string, bool) {
	if guess, ok := spelling.Guess(name, known); ok {
		return guess, true
	}
	const atLeast = 3 // letters of a start
	var started []string
	for _, k := range known {
		if len(name) >= atLeast && strings.HasPrefix(k, name) {
			started = append(started, k)
		}
	}
	if len(started) != 1 {
		return "", false
	}
	return started[0], true
}

// usageOf returns the first example in the help of a command, or else its synopsis. It returns "" for a group of
// commands.
func usageOf(node *kong.Node) string {
	if len(node.Children) > 0 {
		return ""
	}
	command := "slipstick " + node.Path()
	for line := range strings.Lines(node.Detail) {
		_, rest, found := strings.Cut(line, command+" ")
		rest = strings.TrimSpace(rest)
		if !found || strings.HasSuffix(rest, `\`) || !strings.Contains(rest, "-") {
			continue
		}
		rest, _, _ = strings.Cut(rest, "   ") // a remark
		if before, _, _ := strings.Cut(line, command); strings.TrimSpace(before) == "" || strings.HasPrefix(before, "Example: ") {
			return "Example: " + command + " " + rest
		}
	}
	return "Usage: slipstick " + strings.TrimSuffix(node.Summary(), " [flags]")
}
