//go:build !windows

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// lowPriority is the niceness of a process that gives way to all others.
const lowPriority = 19

// lower gives the process group of a started command a low priority.
func lower(cmd *exec.Cmd) error {
	return syscall.Setpriority(syscall.PRIO_PGRP, cmd.Process.Pid, lowPriority)
}

// inherit passes an open file to a command that is not started. It returns the number of the file in the process.
func inherit(cmd *exec.Cmd, file *os.File) (uintptr, error) {
	cmd.ExtraFiles = append(cmd.ExtraFiles, file)
	return uintptr(firstFile + len(cmd.ExtraFiles) - 1), nil
}

// temporary returns the variables that name the directory for temporary files of a process.
func temporary(dir string) []string { return []string{"TMPDIR=" + dir} }
