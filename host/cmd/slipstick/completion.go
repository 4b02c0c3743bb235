package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/cli/complete"
	"github.com/slipstick/slipstick/registry/remote"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c *completionCmd) Run(s streams) error {
	text, err := complete.Shell(c.Shell)
	if err == nil {
		_, err = io.WriteString(s.out, text)
	}
	return err
}

// completeCmd is what shells call: the words of the command line up to the cursor.
type completeCmd struct {
	Words []string `arg:"" optional:""`

	origin
}

// Run prints the words that can stand at the cursor, each with what it means behind a tab.
func (c *completeCmd) Run(ctx context.Context, s streams, command *kong.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second) // somebody waits for the next key
	defer cancel()
	if len(c.Words) == 0 {
		c.Words = []string{""}
	}
	for _, w := range complete.Words(command.Model.Node, c.Words, func(kind string, typed complete.Typed) []complete.Word {
		return c.published(ctx, kind, typed)
	}) {
		fmt.Fprintf(s.out, "%s\t%s\n", w.Text, firstSentence(w.Help))
	}
	return nil
}

// published are the words of a kind in the registry that the command line names. One at an address would
// take too long.
func (c *completeCmd) published(ctx context.Context, kind string, typed complete.Typed) []complete.Word {
	if at := typed.Flags["registry"]; at != "" {
		c.Registry = at
	}
	words, known := kinds[kind]
	if !known || remote.IsAddress(c.Registry) {
		return nil
	}
	catalog, err := c.catalog(ctx, io.Discard, false)
	if err != nil {
		return nil
	}
	return words(catalog, typed)
}

func firstSentence(text string) string {
	text, _, _ = strings.Cut(strings.Join(strings.Fields(text), " "), ". ")
	return strings.TrimSuffix(text, ".")
}

// kinds are the values of the tag "complete", and the words of each.
var kinds = map[string]func(*catalog.Catalog, complete.Typed) []complete.Word{
	"capability": capabilities, "version": versionsOf, "release": releases, "input": inputs,
}

// capabilities are tool ids, or capability ids where one is begun.
func capabilities(catalog *catalog.Catalog, typed complete.Typed) (out []complete.Word) {
	for _, e := range catalog.All() {
		id := e.Tool
		if strings.Contains(typed.Word, ".") || id == "" {
			id = e.ID
		}
		title := ""
		if len(e.Releases) > 0 {
			title = e.Releases[0].Spec.Title
		}
		out = append(out, complete.Word{Text: id, Help: title})
	}
	return out
}

func versionsOf(catalog *catalog.Catalog, typed complete.Typed) (out []complete.Word) {
	if len(typed.Args) == 0 {
		return nil
	}
	e, err := catalog.Find(typed.Args[0])
	if err != nil {
		return nil
	}
	for _, r := range e.Releases {
		out = append(out, complete.Word{Text: r.Version, Help: string(r.Lifecycle.State)})
	}
	return out
}

func releases(catalog *catalog.Catalog, typed complete.Typed) (out []complete.Word) {
	for _, capability := range capabilities(catalog, typed) {
		for _, v := range versionsOf(catalog, complete.Typed{Args: []string{capability.Text}}) {
			out = append(out, complete.Word{Text: capability.Text + "@" + v.Text, Help: capability.Help})
		}
	}
	return out
}

// inputs are the names of the inputs that are not there yet.
func inputs(catalog *catalog.Catalog, typed complete.Typed) (out []complete.Word) {
	if len(typed.Args) == 0 {
		return nil
	}
	_, release, err := catalog.Release(typed.Args[0], pins(typed.Flags["pin"]))
	if err != nil {
		return nil
	}
	for _, f := range release.Spec.Inputs {
		there := func(arg string) bool {
			name, _, _ := strings.Cut(arg, "=")
			return name == f.Name || slices.Contains(f.Aliases, name)
		}
		if !slices.ContainsFunc(typed.Args[1:], there) {
			out = append(out, complete.Word{Text: f.Name + "=", Help: f.Doc})
		}
	}
	return out
}
