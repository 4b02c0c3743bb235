package main

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// processes is F3: attempts to start processes, or to reach others.
func processes(r *report, t *targets) {
	r.try("fork", fork(uintptr(unix.SIGCHLD)))
	r.try("fork into namespaces", fork(uintptr(unix.SIGCHLD)|unix.CLONE_NEWUSER|unix.CLONE_NEWNET))
	r.try("make a thread in a namespace", raw(unix.SYS_CLONE, unix.CLONE_THREAD|unix.CLONE_NEWUSER)) // the kernel minds, too
	self, err := os.StartProcess("/proc/self/exe", []string{"engine"}, &os.ProcAttr{
		Env:   []string{"EVIL=sleep"},
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err == nil {
		_ = self.Kill()
		_, _ = self.Wait()
	}
	r.try("start a process that outlives this one", err)
	// Process 1 of a container may be the server; in its own namespace the engine is process 1.
	r.tryBool("see the server", t.HostPID != os.Getpid() && unix.Kill(t.HostPID, 0) == nil)
	r.try("see its process group", unix.Kill(-t.HostPID, 0))
	r.try("see anybody", unix.Kill(-1, 0))
	_, err = unix.PidfdOpen(1, 0)
	r.try("open process 1", err)
	_, err = unix.PidfdOpen(t.HostPID, 0)
	r.try("open the server", err)
	memory, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", t.HostPID), os.O_RDWR, 0)
	if err == nil {
		memory.Close()
	}
	r.try("open the server's memory", err)
	r.try("outlive the server", unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0))
	for range 200 {
		r.try("bomb", fork(uintptr(unix.SIGCHLD)))
	}
}

// fork makes a child that ends at once.
func fork(flags uintptr) error {
	child, _, errno := unix.RawSyscall6(unix.SYS_CLONE, flags, 0, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	if child == 0 {
		for {
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
	}
	_, err := unix.Wait4(int(child), nil, 0, nil)
	return err
}

// execs is F3 and F11: becoming another program.
func execs(r *report, _ *targets) {
	path, _ := syscall.BytePtrFromString("/nowhere")
	r.try("execve", raw(unix.SYS_EXECVE, ptr(path), 0, 0, 0, 0, 0))
	var empty byte
	for fd := range uintptr(64) {
		for _, password := range []uintptr{0, ^uintptr(0), unix.AT_EMPTY_PATH} {
			r.try(fmt.Sprintf("execveat of descriptor %d", fd), raw(unix.SYS_EXECVEAT, fd, ptr(&empty), 0, 0, unix.AT_EMPTY_PATH, password))
		}
	}
	r.try("execveat of a name", raw(unix.SYS_EXECVEAT, ^uintptr(99), ptr(path), 0, 0, 0, 0))
	fd, err := unix.MemfdCreate("evil", 0)
	if err == nil {
		unix.Close(fd)
	}
	r.try("make an executable in memory", err)
}
