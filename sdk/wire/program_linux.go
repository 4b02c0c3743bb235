package wire

import (
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
	const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE
	if _, err := unix.FcntlInt(p.file.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		p.file.Close()
		return fmt.Errorf("seal: %w", err)
	}
	p.path = fmt.Sprintf("/proc/self/fd/%d", fd)
	return nil
}

// Close releases the bytes.
func (p *Program) Close() error { return p.file.Close() }
