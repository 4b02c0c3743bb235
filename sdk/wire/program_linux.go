package wire

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// seal keeps the executable in an anonymous file that nobody can write any more.
func (p *Program) seal(executable []byte) error {
	fd, err := unix.MemfdCreate("slipstick-engine", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return fmt.Errorf("memfd: %w", err)
	}
	p.file = os.NewFile(uintptr(fd), "engine "+p.digest)
	if _, err := p.file.Write(executable); err != nil {
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

// addSeals takes every right to change the file away. The kernel refuses while it
// has a page of the file in its own hands, as it does now and then under load.
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

// Close releases the bytes.
func (p *Program) Close() error { return p.file.Close() }
