// Package contract encodes and decodes the messages between a server and an engine process. Use it
// to write a server or a tool that starts engines; authors of engines use package wire. An engine
// reads a call with [DecodeCall] and answers it with [AppendOutcome]. A server writes a call with
// [AppendCall] and reads the answer with a [Decoder]. Engines are not trusted: a Decoder bounds the
// memory of an answer and checks its form, and its errors wrap [ErrContract].
//
// The messages are defined in engine.proto. There are two transports: frames on a stream socket,
// which is the fast path, and gRPC, which every engine serves. Both transfer the same bytes. The
// package encodes and decodes them without generated structs, for two reasons. Generated code takes
// more time per call than the socket. It would also allocate a whole message before its size in
// memory could be checked.
package contract

import (
	"errors"
	"fmt"
)

// Constants of go-plugin's handshake. An engine recognizes by the cookie that a server has
// started it. The cookie is not a secret.
const (
	PluginName      = "engine" // the one plugin that an engine serves
	ProtocolVersion = 1        // of engine.proto
	CookieKey       = "SLIPSTICK_ENGINE"
	CookieValue     = "f0c2ce5d-slide-rule"
)

// The gRPC service and its methods.
const (
	Service   = "slipstick.engine.v1.Engine"
	Describe  = "Describe"
	Calculate = "Calculate"
	Draw      = "Draw"
)

// Bounds on messages.
const (
	MaxRows   = 4096     // of a batch
	MaxAnswer = 1 << 20  // bytes of one message from an engine, except for batches
	MaxBatch  = 16 << 20 // bytes of a batch, and of the answer to one
)

// ErrContract is wrapped by every error about an engine that breaks the contract: its answer
// is not allowed.
var ErrContract = errors.New("engine broke the contract")

// errEncoding is the error for bytes that are not a valid protobuf message.
var errEncoding = errors.New("not a message of the contract")

// contractError wraps err in ErrContract, unless it does so already.
func contractError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrContract, err)
}

// maxFailure bounds a failure text, in characters.
const maxFailure = 300

// engineFailure returns the error for a failure that the engine reports.
func engineFailure(text []byte) error {
	return fmt.Errorf("engine failed: %.*s", maxFailure, text[:min(len(text), 4*maxFailure)])
}
