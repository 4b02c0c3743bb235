// Package process answers one question: how is one engine process started, asked and ended?
// It is the host's end of the process boundary, of which package contract has the bytes:
// [Launch] starts a program, calls go by the stream that the process was born with or by
// gRPC, and answers are read within a memory that all engines share. Which process is asked,
// and what happens when it fails, is package pool's business.
package process
