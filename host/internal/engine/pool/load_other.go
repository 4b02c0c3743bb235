//go:build !linux

package pool

// overloaded is for Linux.
func overloaded() bool { return false }
