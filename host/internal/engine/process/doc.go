// Package process starts one engine process, calls it and ends it. It is the server's side of the
// process boundary; package contract has the bytes of the messages.
//
// [Launch] starts a program and returns a [Process]. Calls use the stream, a socket that the
// process gets at its start, or gRPC. [Memory] limits the memory that the answers of all engines
// take. Package pool chooses the process for a call, and handles failures.
package process
