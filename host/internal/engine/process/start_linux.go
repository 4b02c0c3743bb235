package process

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// starts is a queue of process starts, which one locked operating-system thread performs. The
// kernel sends a parent-death signal when the thread that started the child ends, not when the
// process ends. The Go runtime may end any thread that is not locked.
var starts = sync.OnceValue(func() chan<- func() {
	queue := make(chan func())
	go runStarts(queue)
	return queue
})

func runStarts(queue <-chan func()) {
	runtime.LockOSThread()
	for start := range queue {
		start()
	}
}

// startProcess starts the command as leader of its own process group. The kernel kills it when the
// server ends.
func startProcess(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Pdeathsig = true, syscall.SIGKILL
	done := make(chan error)
	starts() <- func() { done <- cmd.Start() }
	return <-done
}

// killProcess kills the command's whole process group.
func killProcess(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
