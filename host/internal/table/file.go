package table

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// file is a file that appears under its name only when it is complete. Without a name it is a
// stream.
type file struct {
	io.Writer
	file *os.File
	path string
}

// create creates a temporary file. If the path is empty, the file is the stream.
func create(path string, stream io.Writer) (*file, error) {
	if path == "" {
		return &file{Writer: stream}, nil
	}
	name := fmt.Sprintf("%s.%d.partial", path, os.Getpid())
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if refused, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, &OutputError{path, refused.Err}
	}
	if err != nil {
		return nil, err
	}
	return &file{f, f, path}, nil
}

// WriteFile writes a file that appears under its path only when it is complete, or the stream if the
// path is empty. The error is an [*OutputError], or that of what writes.
func WriteFile(path string, stream io.Writer, write func(io.Writer) error) error {
	f, err := create(path, stream)
	if err != nil {
		return err
	}
	defer f.abandon()
	if err := write(f); err != nil {
		return err
	}
	return f.commit()
}

// commit renames the file to its name.
func (f *file) commit() error {
	if f.file == nil {
		return nil
	}
	partial := f.file
	f.file = nil
	err := errors.Join(partial.Sync(), partial.Close())
	if err == nil {
		err = os.Rename(partial.Name(), f.path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(partial.Name()))
	}
	return err
}

// abandon removes a file that was not committed.
func (f *file) abandon() {
	if f.file != nil {
		_ = f.file.Close()
		_ = os.Remove(f.file.Name())
	}
}
