package help

import "embed"

//go:embed shells
var shells embed.FS

// Completion returns a shell script that completes command lines of slipstick. The shell is bash, zsh or fish.
func Completion(name string) (string, error) {
	text, err := shells.ReadFile("shells/" + name)
	return string(text), err
}
