// Package contract is what the host and an engine process say to each other, and how it
// is written as bytes. Both ends write and read with it: the engine in package wire, the
// host in its package process.
//
// The messages are those of engine.proto. They cross in two ways: as frames on a stream
// socket, which costs little, and by gRPC, which every engine serves. Both carry the same
// bytes, written and read here without generated structs: those would cost a call more
// than the socket does, and unfold before anybody could count them.
package contract

import (
	"errors"
	"fmt"
)

// What go-plugin's handshake says. The cookie tells an engine that a host has started it;
// it is no secret.
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

// Bounds of what crosses.
const (
	MaxRows   = 4096     // of a batch
	MaxAnswer = 1 << 20  // bytes of one message from an engine, except for batches
	MaxBatch  = 16 << 20 // bytes of a batch, and of the answer to one
)

// ErrContract is wrapped by every error about an engine that breaks the contract: it
// answers, but not what an engine may answer.
var ErrContract = errors.New("engine broke the contract")

// errEncoding is all there is to say about bytes that are no message.
var errEncoding = errors.New("not a message of the contract")

// contractError makes err one of an engine that broke the contract.
func contractError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrContract, err)
}

// maxFailure is how many characters of a failure are kept.
const maxFailure = 300

// engineFailure is what an engine says of its own failure.
func engineFailure(text []byte) error {
	return fmt.Errorf("engine failed: %.*s", maxFailure, text[:min(len(text), 4*maxFailure)])
}
