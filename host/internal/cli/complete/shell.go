package complete

import "embed"

//go:embed shells
var shells embed.FS

// Shell returns the script with which bash, zsh or fish asks slipstick for words.
func Shell(name string) (string, error) {
	text, err := shells.ReadFile("shells/" + name)
	return string(text), err
}
