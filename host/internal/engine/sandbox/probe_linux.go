package sandbox

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox/shim"
)

// probeTimeout bounds a probe, which usually takes milliseconds.
const probeTimeout = 5 * time.Second

// probe confines a minimal program. Only a try shows whether this system, container and security
// policy allow everything that the sandbox needs. The error is a Refusal if the system does not
// allow it.
func (j *Sandbox) probe(system []shim.Entry) (finding, error) {
	program, err := probeProgram()
	if err != nil {
		return finding{}, err
	}
	defer program.Close()
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "")
	cmd.Err = nil
	var printed bytes.Buffer
	cmd.Stderr = &printed
	c, err := j.confine(&process.Start{Command: cmd, Program: program}, system)
	if err != nil {
		return finding{}, err
	}
	defer c.release()
	runtime.LockOSThread() // a process dies with the thread that started it
	defer runtime.UnlockOSThread()
	err = cmd.Run()
	found := c.receiveFinding()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == probed {
		if found.homeErr != nil {
			const step = "reach its sockets" // root without CAP_DAC_OVERRIDE cannot
			return found, &Refusal{Way: j.way.name, Step: step, Call: "openat2", Errno: unix.EACCES, Text: fmt.Sprintf("%s: %v", step, found.homeErr)}
		}
		return found, nil
	}
	refusal := &Refusal{Way: j.way.name, Step: "start a process", Text: fmt.Sprintf("start a process: %v", err)}
	if r := found.refusal; r != nil {
		refusal.Step, refusal.Call, refusal.Errno, refusal.Text = r.Step, r.Call, syscall.Errno(r.Errno), fmt.Sprintf("sandbox: %.2000s", r.Text)
	} else if text := bytes.TrimSpace(printed.Bytes()); len(text) > 0 {
		refusal.Text = fmt.Sprintf("%.2000s", text)
	} else if errno, ok := errors.AsType[syscall.Errno](err); ok {
		refusal.Call, refusal.Errno = startCall, errno
	}
	return found, refusal
}

// finding has the reports of the shim about its confinement.
type finding struct {
	hostName bool  // the engine sees the host name of the server
	homeErr  error // error of the server's access to the engine's directory
	refusal  *shim.Refusal
}

// receiveFinding reads the reports of the shim, in place of receiveHome, after the shim has ended.
func (c *confinement) receiveFinding() (f finding) {
	message, control := make([]byte, 8<<10), make([]byte, unix.CmsgSpace(4))
	for {
		n, rights, _, _, err := unix.Recvmsg(int(c.ours.Fd()), message, control, unix.MSG_DONTWAIT|unix.MSG_CMSG_CLOEXEC)
		if err != nil || n == 0 {
			return f
		}
		if rights == 0 {
			f.refusal = new(shim.Refusal)
			if json.Unmarshal(message[:n], f.refusal) != nil {
				f.refusal = nil
			}
			continue
		}
		f.hostName = message[0] == shim.NameIsHosts
		if messages, err := unix.ParseSocketControlMessage(control[:rights]); err == nil && len(messages) == 1 {
			fds, _ := unix.ParseUnixRights(&messages[0])
			for _, fd := range fds {
				f.homeErr = unix.Faccessat(fd, ".", unix.X_OK, unix.AT_EACCESS)
				unix.Close(fd)
			}
		}
	}
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
	if _, err := f.Write(smallestELF()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// smallestELF returns an ELF file with a header and the code.
func smallestELF() []byte {
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
