//go:build unix

package regular

import "syscall"

// withoutWaiting opens a pipe at once, also if no process writes to it.
const withoutWaiting = syscall.O_NONBLOCK
