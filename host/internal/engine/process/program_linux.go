package process

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// seal copies the executable into an anonymous file in memory, and seals that file against
// every change.
func (p *Program) seal(executable io.Reader) error {
	fd, err := unix.MemfdCreate("slipstick-engine", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return fmt.Errorf("memfd: %w", err)
	}
	p.file = os.NewFile(uintptr(fd), "engine")
	if _, err := io.Copy(p.file, executable); err != nil {
		p.file.Close()
		return err
	}
	if err := addSeals(p.file); err != nil {
		p.file.Close()
		return fmt.Errorf("seal: %w", err)
	}
	p.path = fmt.Sprintf("/proc/self/fd/%d", fd)
	return nil
}

// readOnly returns an unnamed file with the bytes, which no process can change.
func readOnly(data []byte, _ string) (*os.File, error) {
	p := new(Program)
	if err := p.seal(bytes.NewReader(data)); err != nil {
		return nil, err
	}
	return p.file, nil
}

// hash writes the sealed bytes to w. It maps the file, so the bytes are not copied.
func (p *Program) hash(w io.Writer) error {
	info, err := p.file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	data, err := unix.Mmap(int(p.file.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return errors.Join(err, unix.Munmap(data))
}

// addSeals makes the file immutable. The kernel refuses with EBUSY while it uses a page of
// the file itself, which happens occasionally under load, so addSeals tries several times.
func addSeals(f *os.File) error {
	const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE
	const tries = 20
	for try := 1; ; try++ {
		_, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals)
		if try == tries || !errors.Is(err, unix.EBUSY) && !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// kept returns nil: the file has no name that could be removed.
func (p *Program) kept() error { return nil }

// close releases the bytes.
func (p *Program) close() error { return p.file.Close() }
