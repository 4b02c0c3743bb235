package confine

import (
	"errors"

	"github.com/slipstick/slipstick/host/internal/jail"
)

// Files are files and directories of this host that no engine may read.
type Files []jail.Private

// Add returns the files with another file or directory. The name is for people. An empty path
// adds nothing. The content of a secret file must not be readable by any other path either.
func (f Files) Add(name, path string, secret bool) Files {
	if path == "" {
		return f
	}
	return append(f, jail.Private{Name: name, Path: path, Secret: secret})
}

// IsPrivate reports whether a refusal is that a release asks for files of this host.
func IsPrivate(refusal error) bool {
	var private *jail.PrivateError
	return errors.As(refusal, &private)
}
