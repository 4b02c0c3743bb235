package table

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// File is a file that appears under its name only once it is complete; without a name it
// is a stream.
type File struct {
	io.Writer
	file *os.File
	path string
}

// Create begins the file, which is the stream where the path is empty. An error of the
// type [*fs.PathError] says that nothing can be written there.
func Create(path string, stream io.Writer) (*File, error) {
	if path == "" {
		return &File{Writer: stream}, nil
	}
	name := fmt.Sprintf("%s.%d.partial", path, os.Getpid())
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	return &File{file, file, path}, nil
}

// Commit gives the file its name.
func (f *File) Commit() error {
	if f.file == nil {
		return nil
	}
	file := f.file
	f.file = nil
	err := errors.Join(file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), f.path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(file.Name()))
	}
	return err
}

// Abandon removes what was not committed.
func (f *File) Abandon() {
	if f.file != nil {
		_ = f.file.Close()
		_ = os.Remove(f.file.Name())
	}
}
