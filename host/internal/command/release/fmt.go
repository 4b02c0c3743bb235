package release

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/platform/durable"
	"github.com/slipstick/slipstick/host/internal/release/document"
	"github.com/slipstick/slipstick/sdk/text"
)

// Fmt has the options of slipstick fmt.
type Fmt struct {
	Documents []string
	Check     bool
}

// Run writes documents in their canonical form, and prints the names of the changed ones.
func (c *Fmt) Run(s command.Streams) error {
	files, err := withDocuments(c.Documents)
	if err != nil {
		return err
	}
	changed, wrong := 0, 0
	for _, path := range files {
		names, err := c.format(path)
		for _, name := range names {
			fmt.Fprintln(s.Out, name)
			changed++
		}
		if err != nil {
			fmt.Fprintln(s.Err, err)
			wrong++
		}
	}
	switch {
	case wrong > 0:
		return command.Refused(fmt.Errorf("not formatted: %d of %d documents", wrong, len(files)))
	case c.Check && changed > 0:
		return command.Refused(fmt.Errorf("not in the canonical form: %d files of %d documents", changed, len(files)))
	}
	return nil
}

// format writes one document and the file of vectors that it names, and returns the names of the changed ones.
func (c *Fmt) format(path string) (changed []string, err error) {
	if !document.Is(path) {
		return nil, fmt.Errorf("%s is not a document: the name of a document ends with %s", path, document.Suffix)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	canonical, err := text.Format(path, source)
	if err == nil {
		changed, err = c.replace(path, source, canonical, changed)
	}
	var vectors string
	if err == nil {
		vectors, err = document.Vectors(path, source)
	}
	if err == nil && vectors != "" {
		changed, err = c.formatVectors(vectors, changed)
	}
	mistakes, isMistaken := errors.AsType[text.Mistakes](err)
	if isMistaken {
		return changed, &document.Error{Mistakes: mistakes}
	}
	return changed, err
}

// formatVectors writes a file of vectors. A missing one is left to slipstick check.
func (c *Fmt) formatVectors(path string, changed []string) ([]string, error) {
	source, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return changed, nil
	}
	if err != nil {
		return changed, err
	}
	canonical, err := text.FormatVectors(path, source)
	if err != nil {
		return changed, err
	}
	return c.replace(path, source, canonical, changed)
}

// replace writes the canonical form of a file, and adds the name of the file to the changed ones.
func (c *Fmt) replace(path string, source, canonical []byte, changed []string) ([]string, error) {
	if bytes.Equal(canonical, source) {
		return changed, nil
	}
	info, err := os.Stat(path)
	if err == nil && !c.Check {
		err = durable.Replace(path, info.Mode().Perm(), durable.Bytes(canonical))
	}
	if err != nil {
		return changed, err
	}
	return append(changed, path), nil
}
