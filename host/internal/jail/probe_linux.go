package jail

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/process"
)

// probeTimeout is generous: a probe takes milliseconds.
const probeTimeout = 5 * time.Second

// probe confines a minimal program. Whether this system, container and security policy allow
// everything that the jail needs can only be found out by trying.
func (j *Jail) probe() error {
	program, err := probeProgram()
	if err != nil {
		return err
	}
	defer program.Close()
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "")
	cmd.Err = nil
	var printed bytes.Buffer
	cmd.Stderr = &printed
	confined, err := j.Confine(&process.Start{Command: cmd, Program: program})
	if err != nil {
		return err
	}
	defer confined.Release()
	runtime.LockOSThread() // a process dies with the thread that started it
	defer runtime.UnlockOSThread()
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == probed {
		return nil
	}
	if text := bytes.TrimSpace(printed.Bytes()); len(text) > 0 {
		return fmt.Errorf("%.2000s", text)
	}
	return fmt.Errorf("start a process: %w", err)
}

// probed is the exit code of the probing program: it ran.
const probed = 77

// probeProgram is an executable of one instruction sequence: exit(probed).
func probeProgram() (*os.File, error) {
	fd, err := unix.MemfdCreate("slipstick-probe", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memfd: %w", err)
	}
	f := os.NewFile(uintptr(fd), "probe")
	if _, err := f.Write(smallest()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// smallest is an ELF file whose header is followed by the code.
func smallest() []byte {
	const base, head = 1 << 22, 64 + 56
	size := uint64(head + len(exitCode))
	var out bytes.Buffer
	binary.Write(&out, binary.LittleEndian, elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(elfMachine), Version: uint32(elf.EV_CURRENT),
		Entry: base + head, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1,
	})
	binary.Write(&out, binary.LittleEndian, elf.Prog64{
		Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X),
		Vaddr: base, Paddr: base, Filesz: size, Memsz: size, Align: 1 << 16,
	})
	out.Write(exitCode)
	return out.Bytes()
}
