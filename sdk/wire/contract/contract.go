// Package contract answers one question: which bytes do the host and an engine process
// exchange? Both ends encode and decode with it: the engine in package wire, the host in its
// package process.
//
// The messages are those of engine.proto. There are two transports: frames on a stream
// socket, which is the fast path, and gRPC, which every engine serves. Both carry the same
// bytes. They are encoded and decoded here without generated structs, for two reasons:
// generated code costs more time per call than the socket does, and it would allocate a whole
// message before its size in memory could be checked.
package contract

import (
	"errors"
	"fmt"
)

// Constants of go-plugin's handshake. By the cookie an engine recognizes that a host has
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
	MaxAnswer = 1 << 20  // bytes of one message from an engine, but for batches
	MaxBatch  = 16 << 20 // bytes of a batch, and of the answer to one
)

// ErrContract is wrapped by every error about an engine that breaks the contract: it
// answers, but the answer is not one that an engine may give.
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

// maxFailure is how many characters of a failure text are kept.
const maxFailure = 300

// engineFailure returns the error for a failure that the engine itself reports.
func engineFailure(text []byte) error {
	return fmt.Errorf("engine failed: %.*s", maxFailure, text[:min(len(text), 4*maxFailure)])
}
