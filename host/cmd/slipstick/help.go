package main

import (
	"embed"
	"errors"
	"io/fs"
	"strings"

	"github.com/alecthomas/kong"
)

// helpTexts are what --help teaches of commands, beside their flags: COMMAND.txt, where one
// has such a text.
//
//go:embed help
var helpTexts embed.FS

// explain gives the command and all below it their texts.
func explain(command *kong.Node) error {
	text, err := helpTexts.ReadFile(helpFile(command))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		command.Detail = strings.TrimSuffix(string(text), "\n")
	}
	for _, child := range command.Children {
		if err := explain(child); err != nil {
			return err
		}
	}
	return nil
}

// helpFile is where the text of a command stands; that of keys new in keys-new.txt.
func helpFile(command *kong.Node) string {
	return "help/" + strings.ReplaceAll(command.Path(), " ", "-") + ".txt"
}
