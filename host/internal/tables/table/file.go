package table

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/slipstick/slipstick/host/internal/platform/durable"
)

// WriteFile writes a file that appears under its path only when it is complete. If the path is empty, it
// writes to the stream. The error is an [*OutputError] if the file cannot be created.
func WriteFile(path string, stream io.Writer, write func(io.Writer) error) error {
	if path == "" {
		return write(stream)
	}
	created := false
	err := durable.Replace(path, 0o666, func(f *os.File) error {
		created = true
		return write(f)
	})
	refused, ok := errors.AsType[*fs.PathError](err)
	if ok && !created {
		return &OutputError{path, refused.Err}
	}
	return err
}
