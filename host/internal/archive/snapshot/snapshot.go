// Package snapshot answers what was frozen, and whether this is it. A snapshot is
// one calculation that will never change: its inputs, its whole result and the
// version that computed it (spec 2.2). The package knows no transport and no engine.
//
// A snapshot has one of two ids. A short one, cx_ and 26 letters, names a record in Redis or in
// a [File] that lives for [Lifetime]. An embedded one, cx_e1_ and some hundred
// characters, carries the record in itself under a signature, needs no store and
// does not expire.
//
// The bytes of a snapshot never change. They hold no address of the service: links
// are paths, so that a service that moves keeps its snapshots. What is frozen inside
// the result stays as it was answered.
package snapshot

import (
	"errors"
	"fmt"
	"time"
)

// Lifetime is how long a record in the store can be read (spec 8).
const Lifetime = 180 * 24 * time.Hour

// Errors of a Store. Match them with errors.Is.
var (
	// ErrNotFound means that no such snapshot exists: the id is unknown, we did not make
	// it, or it has expired.
	ErrNotFound = errors.New("snapshot not found")

	// ErrUnavailable means that the store does not answer now. Whether the snapshot exists
	// is unknown.
	ErrUnavailable = errors.New("snapshot store unavailable")

	// ErrCorrupt means that the store holds something under the snapshot's key that
	// is not the snapshot.
	ErrCorrupt = errors.New("snapshot store holds a foreign or damaged value")

	// ErrForged means that the store holds a valid record under the snapshot's key, but the
	// id cannot be derived from its content: somebody else has written it, or a host with
	// other keys.
	ErrForged = errors.New("snapshot store holds a record that is not the one its id names")

	// ErrTooLarge means that the content does not fit: into an embedded id, where it
	// comes together with ErrUnavailable, or into a record at all.
	ErrTooLarge = errors.New("snapshot too large")
)

// UnknownKeyError says that an embedded id is well formed, and signed by a key that is none of
// this host's: whether the snapshot was made by this service is unknown. It is an ErrNotFound,
// too.
type UnknownKeyError struct{ KeyID [keyIDSize]byte }

func (e *UnknownKeyError) Error() string {
	return fmt.Sprintf("the snapshot is signed by the key %x, which this host does not know", e.KeyID)
}

// Unwrap returns ErrNotFound.
func (e *UnknownKeyError) Unwrap() error { return ErrNotFound }

// Content is what a snapshot freezes.
type Content struct {
	ToolID       string
	CapabilityID string
	Version      string    // the calculation version that computed the result
	EngineDigest string    // of the engine that computed it: "sha256:" and 64 digits
	Inputs       []byte    // a JSON object: the normalized inputs
	Result       []byte    // a JSON object: the whole success result (spec 2.1)
	CreatedAt    time.Time // kept in whole seconds; zero means now; not in the future
}

// Snapshot is one frozen calculation.
type Snapshot struct {
	ID        string
	Body      []byte    // the record as a JSON object; these bytes stay the same
	ExpiresAt time.Time // zero if it does not expire
	Created   bool      // by this call; false if the same content was frozen before
	Fallback  bool      // an embedded id, because the store could not be used
	Cause     error     // why Fallback; for the log, not for the caller

	checked *checked // of an embedded id that Create has made; nil otherwise
}

// Warning is a warning for the caller who created a snapshot.
type Warning struct {
	Code       string `json:"code"`
	Severity   string `json:"severity"`
	Detail     string `json:"detail"`
	Suggestion string `json:"suggestion"`
}

// Record returns Body with a warning added, for the answer to the caller who created the
// snapshot. The warning is not part of the snapshot. Only a snapshot with an embedded id that
// comes from Create can have a warning; for any other snapshot Record returns Body.
func (s *Snapshot) Record(w Warning) []byte {
	if s.checked == nil {
		return s.Body
	}
	return s.checked.appendRecord(nil, s.ID, s.ExpiresAt, w)
}
