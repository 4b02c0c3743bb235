package formula

import (
	"io/fs"
	"time"
)

// Missing is why there is no Renderer where KaTeX was not embedded.
var Missing = errMissing

// NewOf is New of a build with these assets, with another limit of time.
func NewOf(files fs.FS, limit time.Duration) (*Renderer, error) {
	k, err := newKaTeX(files)
	if err != nil {
		return nil, err
	}
	k.limit = limit
	return &Renderer{katex: k}, nil
}
