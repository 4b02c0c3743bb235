// Package socket transfers bytes between a server and its engine with little overhead. Use [Pair]
// to make both ends of a connection in the server, and [New] to adopt the other end in the engine.
// A [Conn] is a reader and a writer. It is worth its complexity only for many small messages; for
// all other uses, take package net.
//
// A waiting Conn waits in Go's poller, so that a waiting process needs no thread for it. It
// transfers bytes by system calls that never block. Such calls bypass the Go scheduler. An ordinary
// system call wakes the scheduler's monitor thread if the process was asleep. The monitor then
// polls until the process sleeps again. For an isolated call, that takes more time than the
// transfer.
//
// The poller watches for bytes to read, and for nothing else. A socket in Go's poller also wakes
// its process whenever the other end has read sent bytes. That would be a second wake-up for every
// call, at both ends.
package socket
