// Package socket answers one question: how do a host and its engine wait for each other's
// bytes?
//
// They wait in Go's poller, so that a process that waits needs no thread of its own, and
// they transfer bytes by system calls that never block. Such calls bypass the Go scheduler.
// An ordinary system call wakes the scheduler's monitor thread if the process was asleep,
// and the monitor then polls until the process sleeps again: that costs an isolated call
// more than the transfer.
//
// The poller is told of bytes to read, and of nothing else. A socket in Go's poller also
// wakes its process whenever the other end has read what was sent, which would be a second
// wake-up for every call, at both ends.
package socket

import "time"

// Options of a Conn. The zero value is usable.
type Options struct {
	// WriteTimeout bounds a Write that has to wait because the other end does not read.
	// Zero means no bound.
	WriteTimeout time.Duration
}
