package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/platform/durable"
	"github.com/slipstick/slipstick/host/internal/release/document"
	"github.com/slipstick/slipstick/sdk/enginefile"
	"github.com/slipstick/slipstick/sdk/text"
)

// Fmt has the options of slipstick fmt.
type Fmt struct {
	Documents []string
	Check     bool

	command.RegistryFlags
}

// Run writes documents in their canonical form, and prints the names of the changed ones.
func (c *Fmt) Run(ctx context.Context, s command.Streams) error {
	files, err := withDocuments(c.Documents)
	if err != nil {
		return err
	}
	changed, wrong := 0, 0
	for _, path := range files {
		names, err := c.format(ctx, s.Err, path)
		for _, name := range names {
			fmt.Fprintln(s.Out, name)
			changed++
		}
		if err != nil {
			fmt.Fprintln(s.Err, command.NameFile(err, c.Documents, nil))
			wrong++
		}
	}
	switch {
	case wrong > 0:
		return command.Refused(fmt.Errorf("not formatted: %d of %s", wrong, terminal.Count(len(files), "document")))
	case c.Check && changed > 0:
		return command.Refused(fmt.Errorf("not in the canonical form: %d files of %d documents", changed, len(files)))
	}
	return nil
}

// format writes one document and the files next to it, and returns the names of the changed ones.
func (c *Fmt) format(ctx context.Context, warn io.Writer, path string) (changed []string, err error) {
	if !document.Is(path) {
		return nil, fmt.Errorf("%s is not a document: %w", path, document.ErrName)
	}
	t, err := text.Read(path)
	pinned, closure := []byte(nil), []byte(nil)
	if err == nil {
		pinned, closure, err = c.pin(ctx, warn, path, t)
	}
	var canonical []byte
	if err == nil {
		canonical, err = text.Format(path, pinned)
	}
	if err == nil {
		changed, err = c.replace(path, t.Document, canonical, changed)
	}
	if err == nil && len(closure) > 0 {
		changed, err = c.replace(text.UsesFile(path), t.Closure, closure, changed)
	}
	if err == nil && len(t.Vectors) > 0 {
		changed, err = c.formatVectors(path, t, changed)
	}
	mistakes, isMistaken := errors.AsType[text.Mistakes](err)
	if isMistaken {
		return changed, &document.Error{Mistakes: mistakes}
	}
	return changed, err
}

// pin adds the digests of the tables and calculations that a document uses. It reads the registry unless they are next to
// the document already.
func (c *Fmt) pin(ctx context.Context, warn io.Writer, path string, t *enginefile.Text) (pinned, closure []byte, err error) {
	present, err := text.ReadClosure(t.Closure)
	if err == nil {
		pinned, closure, err = text.Pin(path, t.Document, present)
	}
	if err == nil && closure != nil {
		return pinned, closure, nil
	}
	d, err := text.Parse(path, t.Document)
	if err != nil || len(d.Uses) == 0 {
		return t.Document, nil, err
	}
	list, err := c.Capabilities(ctx, warn, false)
	if err != nil {
		return nil, nil, fmt.Errorf("%s uses published releases, and the registry that --registry names cannot be read: %w", path, err)
	}
	published := new(text.Closure)
	for i := range list {
		for _, r := range list[i].Releases {
			switch {
			case r.Table != nil:
				published.Tables = append(published.Tables, r.Table)
			case r.Spec.Document != "":
				published.Documents = append(published.Documents, text.Source{ID: r.Capability, Version: r.Version, Text: r.Spec.Document})
			}
		}
	}
	return text.Pin(path, t.Document, published)
}

// formatVectors writes the file of vectors. A missing one is left to slipstick check.
func (c *Fmt) formatVectors(path string, t *enginefile.Text, changed []string) ([]string, error) {
	d, err := text.Parse(path, t.Document)
	if err != nil {
		return changed, err
	}
	name := text.VectorsFile(path, d)
	canonical, err := text.FormatVectors(name, t.Vectors)
	if err != nil {
		return changed, err
	}
	return c.replace(name, t.Vectors, canonical, changed)
}

// replace writes the canonical form of a file, and adds the name of the file to the changed ones.
func (c *Fmt) replace(path string, source, canonical []byte, changed []string) ([]string, error) {
	if bytes.Equal(canonical, source) {
		return changed, nil
	}
	mode := fs.FileMode(0o644) // of a file of tables, which may be new
	info, err := os.Stat(path)
	if err == nil {
		mode = info.Mode().Perm()
	}
	if (err == nil || errors.Is(err, fs.ErrNotExist)) && !c.Check {
		err = durable.Replace(path, mode, durable.Bytes(canonical))
	}
	if err != nil {
		return changed, err
	}
	return append(changed, path), nil
}
