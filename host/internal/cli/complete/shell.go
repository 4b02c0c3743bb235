package complete

import "embed"

//go:embed shells
var shells embed.FS

// Shell returns the program that lets a shell ask slipstick for words: bash, zsh or fish.
func Shell(name string) (string, error) {
	text, err := shells.ReadFile("shells/" + name)
	return string(text), err
}
