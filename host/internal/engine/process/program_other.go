//go:build !linux

package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
)

// seal copies the executable into a private temporary file. Unlike on Linux, a program of
// the same user could still replace it.
func (p *Program) seal(executable io.Reader) error {
	pattern := "slipstick-engine-*"
	if runtime.GOOS == "windows" {
		pattern += ".exe"
	}
	f, err := os.CreateTemp("", pattern)
	if err != nil {
		return err
	}
	defer f.Close()
	p.path = f.Name()
	if _, err := io.Copy(f, executable); err != nil {
		os.Remove(p.path)
		return err
	}
	return f.Chmod(0o500)
}

// readOnly returns an unnamed file with the bytes. It is open for reading.
func readOnly(data []byte, dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "tail-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err != nil {
		return nil, err
	}
	return os.Open(f.Name())
}

// hash writes the bytes to w.
func (p *Program) hash(w io.Writer) error {
	f, err := os.Open(p.path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// kept returns an error if the file was removed, as programs that clean temporary directories do.
func (p *Program) kept() error {
	if _, err := os.Lstat(p.path); err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	return nil
}

// close removes the file.
func (p *Program) close() error { return os.Remove(p.path) }
