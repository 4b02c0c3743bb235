package formula

import "io/fs"

// Missing is why there is no Renderer where KaTeX was not embedded.
var Missing = errMissing

// NewOf is New of a build with these assets.
func NewOf(files fs.FS) error {
	_, err := newKaTeX(files)
	return err
}
