// Package socket answers one question: how do a server and its engine wait for each other's
// bytes?
//
// They wait in Go's poller, so that a waiting process needs no thread for it, and transfer
// bytes by system calls that never block. Such calls bypass the Go scheduler. An ordinary
// system call wakes the scheduler's monitor thread if the process was asleep. The monitor then
// polls until the process sleeps again. For an isolated call, that takes more time than the
// transfer.
//
// The poller watches for bytes to read, and for nothing else. A socket in Go's poller also
// wakes its process whenever the other end has read sent bytes. That would be a second wake-up
// for every call, at both ends.
package socket

import "time"

// Options of a Conn. The zero value is usable.
type Options struct {
	// WriteTimeout bounds a Write that has to wait because the other end does not read. Zero
	// means no bound.
	WriteTimeout time.Duration
}
