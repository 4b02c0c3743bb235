package release

import (
	"bytes"
	"errors"
	"fmt"
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
		isChanged, err := c.format(path)
		switch {
		case err != nil:
			fmt.Fprintln(s.Err, err)
			wrong++
		case isChanged:
			fmt.Fprintln(s.Out, path)
			changed++
		}
	}
	switch {
	case wrong > 0:
		return command.Refused(fmt.Errorf("not formatted: %d of %d documents", wrong, len(files)))
	case c.Check && changed > 0:
		return command.Refused(fmt.Errorf("not in the canonical form: %d of %d documents", changed, len(files)))
	}
	return nil
}

// format writes one document, unless it is in its canonical form.
func (c *Fmt) format(path string) (changed bool, err error) {
	if !document.Is(path) {
		return false, fmt.Errorf("%s is not a document: the name of a document ends with %s", path, document.Suffix)
	}
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	canonical, err := text.Format(path, source)
	mistakes, isMistaken := errors.AsType[text.Mistakes](err)
	if isMistaken {
		return false, &document.Error{Mistakes: mistakes}
	}
	if err != nil || bytes.Equal(canonical, source) {
		return false, err
	}
	if !c.Check {
		err = durable.Replace(path, info.Mode().Perm(), durable.Bytes(canonical))
	}
	return true, err
}
