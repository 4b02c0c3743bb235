package main

import "embed"

// helpTexts has a file COMMAND.txt for each command whose --help shows more than its flags.
//
//go:embed help
var helpTexts embed.FS

// helpCmd lists the command help. The parser never selects it, because help COMMAND becomes COMMAND --help.
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"Command to describe."`
}
