package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// memory is F4: kinds of memory that the limit on writable memory would not count.
func memory(r *report, _ *targets) {
	for _, kind := range []struct {
		name       string
		protection int
		flags      int
		size       uintptr
	}{
		{"shared", unix.PROT_READ | unix.PROT_WRITE, unix.MAP_SHARED | unix.MAP_ANONYMOUS, 1 << 30},
		{"shared, validated", unix.PROT_READ | unix.PROT_WRITE, unix.MAP_SHARED_VALIDATE | unix.MAP_ANONYMOUS, 1 << 30},
		{"stacks", unix.PROT_READ | unix.PROT_WRITE, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_GROWSDOWN, 1 << 30},
		{"private", unix.PROT_READ | unix.PROT_WRITE, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS, 1 << 30},
		{"private, of no reserve", unix.PROT_READ | unix.PROT_WRITE, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE, 1 << 30},
		{"addresses", unix.PROT_READ, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE, 1 << 40},
	} {
		address, _, errno := unix.RawSyscall6(unix.SYS_MMAP, 0, kind.size, uintptr(kind.protection), uintptr(kind.flags), ^uintptr(0), 0)
		if errno == 0 {
			unix.RawSyscall(unix.SYS_MUNMAP, address, kind.size, 0)
		}
		r.tryBool("map memory: "+kind.name, errno == 0)
	}
}

// uses are F4 and A9: they take as much as they get, and report the amount if they survive.
var uses = map[string]func(context.Context) int{
	"nothing": func(context.Context) int { return 0 },
	"heap": func(context.Context) int {
		for held := [][]byte{}; ; held = append(held, make([]byte, 1<<20)) {
			for i := 0; len(held) > 0 && i < 1<<20; i += 4096 {
				held[len(held)-1][i] = 1
			}
		}
	},
	"threads": func(context.Context) int {
		hold := make(chan struct{})
		for range 1000 {
			started := make(chan struct{})
			go func() {
				runtime.LockOSThread()
				close(started)
				_, _ = os.Stdin.Stat()
				<-hold
			}()
			<-started
		}
		close(hold)
		return 1000
	},
	"tables":      tables,
	"top":         top,
	"disk":        disk,
	"inodes":      func(context.Context) int { return many(2000, newFile) },
	"descriptors": func(context.Context) int { return many(10_000, dup) },
	"spin": func(ctx context.Context) int {
		for range 2 * runtime.NumCPU() {
			go func() {
				for ctx.Err() == nil {
				}
			}()
		}
		<-ctx.Done()
		return 0
	},
	"flood":  func(context.Context) int { return flood(unix.Stdout, 4<<20) + flood(unix.Stderr, 4<<20) },
	"line":   func(context.Context) int { return flood(unix.Stdout, 200<<10) },
	"print":  func(context.Context) int { n, _ := fmt.Print(strings.Repeat("x", 4<<20)); return n },
	"forged": forged,
	"lane":   func(context.Context) int { return scribble() },
}

// tables makes the kernel keep page tables, by reading a little everywhere.
func tables(context.Context) int {
	total := 0
	for size := uintptr(1 << 30); size > 0; {
		address, _, errno := unix.RawSyscall6(unix.SYS_MMAP, 0, size, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE, ^uintptr(0), 0)
		if errno != 0 {
			size /= 2
			continue
		}
		unix.RawSyscall(unix.SYS_MADVISE, address, size, unix.MADV_NOHUGEPAGE)
		for at := address; at < address+size; at += 2 << 20 {
			total += int(*(*byte)(unsafe.Add(unsafe.Pointer(nil), at))) + os.Getpagesize()
		}
	}
	return total
}

// disk writes until it fails, into several files, because the size of one file has a limit too.
func disk(context.Context) int {
	total := 0
	for i := range 64 {
		total += fill(filepath.Join(os.Getenv("TMPDIR"), fmt.Sprint("large", i)))
	}
	return total
}

func fill(path string) int {
	f, err := os.Create(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	block, total := make([]byte, 64<<10), 0
	for total < 1<<20 {
		n, err := f.Write(block)
		total += n
		if err != nil {
			break
		}
	}
	return total
}

// top returns the number of visible entries of the root directory, -1 if that is refused.
func top(context.Context) int {
	entries, err := os.ReadDir("/")
	if err != nil {
		return -1
	}
	return len(entries)
}

// many repeats a call until it fails, at most so many times.
func many(most int, do func(int) error) int {
	for i := range most {
		if do(i) != nil {
			return i
		}
	}
	return most
}

func newFile(i int) error {
	return os.Mkdir(filepath.Join(os.Getenv("TMPDIR"), fmt.Sprint("file", i)), 0o700)
}

func dup(int) error {
	_, err := unix.Dup(0)
	return err
}

// flood prints to the pipe, past the replacement of os.Stdout by go-plugin.
func flood(fd, size int) int {
	block, total := []byte(strings.Repeat("x", 64<<10)), 0
	for total < size {
		n, err := unix.Write(fd, block[:min(len(block), size-total)])
		if err != nil {
			break
		}
		total += n
	}
	return total
}

// forged is F5: another handshake, after the first.
func forged(context.Context) int {
	n, _ := unix.Write(unix.Stdout, []byte("1|1|tcp|127.0.0.1:9|grpc|\n1|1|unix|/run/docker.sock|grpc|\n"))
	return n
}

// scribble is F6: frames without a call, on every socket that this process has.
func scribble() int {
	total := 0
	for fd := 3; fd < 64; fd++ {
		for range 100 {
			n, err := unix.SendmsgN(fd, []byte("\x00\x00\x00\x0a\x02\x08\xff\xff\xff\xff\xff\xff\xff\x7f"), nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
			if err != nil {
				break
			}
			total += n
		}
		_, _ = unix.SendmsgN(fd, []byte("\xff\xff\xff\xff\x02junk"), nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	}
	return total
}
