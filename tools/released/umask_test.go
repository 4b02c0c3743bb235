//go:build unix

package released

import "syscall"

// setUmask sets the umask of this process and returns what it was.
func setUmask(to int) int { return syscall.Umask(to) }
