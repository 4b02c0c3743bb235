//go:build !linux

package wire

import "os"

// seal keeps the executable in a private file. Unlike on Linux, the owner of the
// process could still replace it.
func (p *Program) seal(executable []byte) error {
	f, err := os.CreateTemp("", "slipstick-engine-*")
	if err != nil {
		return err
	}
	defer f.Close()
	p.path = f.Name()
	if _, err := f.Write(executable); err != nil {
		os.Remove(p.path)
		return err
	}
	return f.Chmod(0o500)
}

// Close removes the file.
func (p *Program) Close() error { return os.Remove(p.path) }
