package main

import (
	"io/fs"
	"testing"

	"github.com/alecthomas/kong"
)

// Every text of help is shown by a command.
func TestHelpTexts(t *testing.T) {
	line := &commandLine{ctx: t.Context()}
	parser, err := line.parser(new(cli))
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	err = kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		if command, ok := node.(*kong.Node); ok && command.Detail != "" {
			shown[helpFile(command)] = true
		}
		return next(nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(helpTexts, "help/*")
	if err != nil || len(files) < 20 {
		t.Errorf("%d texts, %v", len(files), err)
	}
	for _, file := range files {
		if !shown[file] {
			t.Errorf("no command shows %s", file)
		}
	}
}
