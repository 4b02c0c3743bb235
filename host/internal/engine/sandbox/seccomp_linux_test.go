//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"slices"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

const (
	testProgram  = 5
	testPassword = 0x0123456789abcdef
)

// judge runs the filter as the kernel would.
func judge(t *testing.T, vm *bpf.VM, arch, call uint32, args ...uint64) uint32 {
	t.Helper()
	data := make([]byte, 64) // struct seccomp_data; the test's machine reads it big-endian
	binary.BigEndian.PutUint32(data[offCall:], call)
	binary.BigEndian.PutUint32(data[offArch:], arch)
	for i, arg := range args {
		binary.BigEndian.PutUint32(data[offArgs+8*i:], uint32(arg))
		binary.BigEndian.PutUint32(data[offArgs+8*i+4:], uint32(arg>>32))
	}
	verdict, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(verdict)
}

func newFilter(t *testing.T) *bpf.VM {
	t.Helper()
	vm, err := bpf.NewVM(join(prologue(), once(testProgram, testPassword).block(), body()))
	if err != nil {
		t.Fatal(err)
	}
	return vm
}

func TestFilter(t *testing.T) {
	vm := newFilter(t)
	const thread = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD
	const private, shared = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS, unix.MAP_SHARED | unix.MAP_ANONYMOUS
	const garbage = 0xdead << 32 // the kernel reads half of an int argument
	for _, tt := range []struct {
		name string
		call uint32
		args []uint64
		want uint32
	}{
		{"read", unix.SYS_READ, nil, allowed},
		{"openat", unix.SYS_OPENAT, nil, allowed},
		{"unix socket", unix.SYS_SOCKET, []uint64{unix.AF_UNIX}, allowed},
		{"unix socket with garbage", unix.SYS_SOCKET, []uint64{unix.AF_UNIX | garbage}, allowed},
		{"internet socket", unix.SYS_SOCKET, []uint64{unix.AF_INET}, refused},
		{"netlink socket", unix.SYS_SOCKET, []uint64{unix.AF_NETLINK}, refused},
		{"no family", unix.SYS_SOCKET, []uint64{0}, refused},
		{"pair", unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX}, allowed},
		{"internet pair", unix.SYS_SOCKETPAIR, []uint64{unix.AF_INET6}, refused},
		{"thread", unix.SYS_CLONE, []uint64{thread}, allowed},
		{"fork", unix.SYS_CLONE, []uint64{uint64(unix.SIGCHLD)}, refused},
		{"vfork", unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_VFORK}, refused},
		{"thread in a namespace", unix.SYS_CLONE, []uint64{thread | unix.CLONE_NEWNET}, refused},
		{"fork with garbage", unix.SYS_CLONE, []uint64{thread << 32}, refused},
		{"private memory", unix.SYS_MMAP, []uint64{0, 1, 3, private}, allowed},
		{"shared memory", unix.SYS_MMAP, []uint64{0, 1, 3, shared}, refused},
		{"validated shared memory", unix.SYS_MMAP, []uint64{0, 1, 3, unix.MAP_SHARED_VALIDATE | unix.MAP_ANONYMOUS}, refused},
		{"shared file", unix.SYS_MMAP, []uint64{0, 1, 3, unix.MAP_SHARED}, allowed},
		{"stack", unix.SYS_MMAP, []uint64{0, 1, 3, private | unix.MAP_GROWSDOWN}, refused},
		{"huge pages", unix.SYS_MMAP, []uint64{0, 1, 3, private | unix.MAP_HUGETLB}, refused},
		{"name", unix.SYS_PRCTL, []uint64{unix.PR_SET_NAME}, allowed},
		{"parent-death signal", unix.SYS_PRCTL, []uint64{unix.PR_SET_PDEATHSIG}, refused},
		{"parent-death signal with garbage", unix.SYS_PRCTL, []uint64{unix.PR_SET_PDEATHSIG | garbage}, refused},
		{"terminal?", unix.SYS_IOCTL, []uint64{0, unix.TCGETS}, allowed},
		{"type into a terminal", unix.SYS_IOCTL, []uint64{0, 0x5412}, noDevice},
		{"type into a terminal with garbage", unix.SYS_IOCTL, []uint64{0, 0x5412 | garbage}, noDevice},
		{"the exec", unix.SYS_EXECVEAT, []uint64{testProgram, 1, 2, 3, unix.AT_EMPTY_PATH, testPassword}, allowed},
		{"the exec of another", unix.SYS_EXECVEAT, []uint64{testProgram + 1, 1, 2, 3, unix.AT_EMPTY_PATH, testPassword}, refused},
		{"half a password", unix.SYS_EXECVEAT, []uint64{testProgram, 1, 2, 3, unix.AT_EMPTY_PATH, testPassword & 0xffffffff}, refused},
		{"the other half", unix.SYS_EXECVEAT, []uint64{testProgram, 1, 2, 3, unix.AT_EMPTY_PATH, testPassword &^ 0xffffffff}, refused},
		{"no password", unix.SYS_EXECVEAT, []uint64{testProgram, 1, 2, 3, unix.AT_EMPTY_PATH}, refused},
		{"execve", unix.SYS_EXECVE, nil, refused},
		{"ptrace", unix.SYS_PTRACE, nil, refused},
		{"mount", unix.SYS_MOUNT, nil, refused},
		{"setns", unix.SYS_SETNS, nil, refused},
		{"memfd_create", unix.SYS_MEMFD_CREATE, nil, refused},
		{"bpf", unix.SYS_BPF, nil, refused},
		{"clone3", unix.SYS_CLONE3, nil, unknown},
		{"io_uring_setup", unix.SYS_IO_URING_SETUP, nil, unknown},
		{"a later kernel's", newest + 1, nil, unknown},
		{"far away", 100_000, nil, unknown},
	} {
		if got := judge(t, vm, machine, tt.call, tt.args...); got != tt.want {
			t.Errorf("%s: %#x, want %#x", tt.name, got, tt.want)
		}
	}
}

// Only the host name is hidden if the shim cannot change it.
func TestFilterHidesName(t *testing.T) {
	for nameless, want := range map[bool]uint32{false: allowed, true: refused} {
		vm, err := bpf.NewVM(join(opening(testProgram, testPassword, nameless), body()))
		if err != nil {
			t.Fatal(err)
		}
		if got := judge(t, vm, machine, unix.SYS_UNAME); got != want {
			t.Errorf("nameless %v: uname gets %#x, want %#x", nameless, got, want)
		}
		for _, call := range common {
			if got := judge(t, vm, machine, call); call != unix.SYS_UNAME && got != allowed {
				t.Errorf("nameless %v: call %d gets %#x", nameless, call, got)
			}
		}
	}
}

// Other numbers for the same calls are fatal.
func TestOtherMachines(t *testing.T) {
	vm := newFilter(t)
	const i386, arm = 0x40000003, 0x40000028
	for _, arch := range []uint32{i386, arm, unix.AUDIT_ARCH_X86_64, unix.AUDIT_ARCH_AARCH64, 0} {
		if got := judge(t, vm, arch, unix.SYS_READ); arch != machine && got != killed {
			t.Errorf("machine %#x: %#x, want killed", arch, got)
		}
	}
	if otherNumbers != 0 {
		if got := judge(t, vm, machine, otherNumbers|unix.SYS_READ); got != killed {
			t.Errorf("other numbers: %#x, want killed", got)
		}
	}
}

// Every system call that is in no list is refused.
func TestEverythingElse(t *testing.T) {
	vm := newFilter(t)
	listed := slices.Concat(common, own, absent)
	for _, r := range conditional {
		listed = append(listed, r.call)
	}
	refusals := 0
	for call := range uint32(newest + 1) {
		if got := judge(t, vm, machine, call); !slices.Contains(listed, call) && got != refused {
			t.Errorf("call %d: %#x, want refused", call, got)
		} else if got == refused {
			refusals++
		}
	}
	if refusals < 150 {
		t.Errorf("only %d system calls are refused", refusals)
	}
	if size := len(filter(testProgram, testPassword, true)) / 8; size > 1000 {
		t.Errorf("the filter has %d instructions", size)
	}
}

func TestRanges(t *testing.T) {
	got := ranges([]uint32{7, 1, 3, 2, 9, 9, 8})
	if want := [][2]uint32{{1, 3}, {7, 9}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
