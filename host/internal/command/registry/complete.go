package registry

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/cli/help"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/registry/remote"
)

// Complete has the options of the command that completion scripts call.
type Complete struct {
	Words []string

	command.RegistryFlags
}

// Run prints the words that can follow, each with its meaning after a tab.
func (c *Complete) Run(ctx context.Context, s command.Streams, model *kong.Node) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second) // the user waits at the prompt
	defer cancel()
	if len(c.Words) == 0 {
		c.Words = []string{""}
	}
	for _, w := range help.Words(model, c.Words, func(kind string, typed help.Typed) []help.Word {
		return c.published(ctx, kind, typed)
	}) {
		fmt.Fprintf(s.Out, "%s\t%s\n", w.Text, firstSentence(w.Help))
	}
	return nil
}

// published returns the words of a kind in the registry of the command line. It skips a remote
// registry, because the answer would take too long.
func (c *Complete) published(ctx context.Context, kind string, typed help.Typed) []help.Word {
	at := typed.Flags["registry"]
	if at != "" {
		c.Registry = at
	}
	words, known := kinds[kind]
	if !known || remote.IsAddress(c.Registry) {
		return nil
	}
	published, err := c.Catalog(ctx, io.Discard, false)
	if err != nil {
		return nil
	}
	return words(published, typed)
}

func firstSentence(text string) string {
	text, _, _ = strings.Cut(strings.Join(strings.Fields(text), " "), ". ")
	return strings.TrimSuffix(text, ".")
}

// kinds maps each value of the tag complete to the function that lists its words.
var kinds = map[string]func(*catalog.Catalog, help.Typed) []help.Word{
	"capability": capabilities, "version": versionsOf, "release": releases, "input": inputs,
}

// capabilities lists tool ids. It lists capability ids if the word contains a dot.
func capabilities(catalog *catalog.Catalog, typed help.Typed) (out []help.Word) {
	for _, e := range catalog.All() {
		id := e.Tool
		if strings.Contains(typed.Word, ".") || id == "" {
			id = e.ID
		}
		title := ""
		if len(e.Releases) > 0 {
			title = e.Releases[0].Spec.Title
		}
		out = append(out, help.Word{Text: id, Help: title})
	}
	return out
}

func versionsOf(catalog *catalog.Catalog, typed help.Typed) (out []help.Word) {
	if len(typed.Args) == 0 {
		return nil
	}
	e, err := catalog.Find(typed.Args[0])
	if err != nil {
		return nil
	}
	for _, r := range e.Releases {
		out = append(out, help.Word{Text: r.Version, Help: string(r.Lifecycle.State)})
	}
	return out
}

func releases(catalog *catalog.Catalog, typed help.Typed) (out []help.Word) {
	for _, capability := range capabilities(catalog, typed) {
		for _, v := range versionsOf(catalog, help.Typed{Args: []string{capability.Text}}) {
			out = append(out, help.Word{Text: capability.Text + "@" + v.Text, Help: capability.Help})
		}
	}
	return out
}

// inputs lists the names of the inputs that the command line does not have yet.
func inputs(catalog *catalog.Catalog, typed help.Typed) (out []help.Word) {
	if len(typed.Args) == 0 {
		return nil
	}
	_, release, err := catalog.Release(typed.Args[0], command.Pins(typed.Flags["pin"]))
	if err != nil {
		return nil
	}
	for _, f := range release.Spec.Inputs {
		there := func(arg string) bool {
			name, _, _ := strings.Cut(arg, "=")
			return name == f.Name || slices.Contains(f.Aliases, name)
		}
		if !slices.ContainsFunc(typed.Args[1:], there) {
			out = append(out, help.Word{Text: f.Name + "=", Help: f.Doc})
		}
	}
	return out
}
