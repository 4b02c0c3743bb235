// Package snapshot stores calculations that never change. A [Snapshot] has the inputs, the complete
// result, and the version that computed it (spec 2.2). A [Store] creates and reads snapshots;
// [ReadRecord] and [Record.Check] verify one without a store. The package depends on no transport
// and no engine.
//
// A snapshot has a short or an embedded id. A short id, cx_ and 26 characters, names a record in Redis
// or in a [File], and the record lives for [Lifetime]. An embedded id, cx_e1_ and some hundred
// characters, contains the signed record itself. It needs no store and does not expire.
//
// The bytes of a snapshot never change. They contain no URL of the service: links are paths, so
// that a service that moves to another URL keeps its snapshots. The result in a snapshot stays as
// it was answered.
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
	// ErrNotFound means that no such snapshot exists: the id is unknown, another service made it,
	// or it has expired.
	ErrNotFound = errors.New("snapshot not found")

	// ErrUnavailable means that the store does not respond now. Whether the snapshot exists is
	// unknown.
	ErrUnavailable = errors.New("snapshot store unavailable")

	// ErrCorrupt means that the store has a value under the snapshot's key that is not the
	// snapshot.
	ErrCorrupt = errors.New("snapshot store holds a foreign or damaged value")

	// ErrForged means that the store has a valid record under the snapshot's key, but the id cannot
	// be derived from its content. Another writer, or a server with other keys, has written the
	// record.
	ErrForged = errors.New("snapshot store holds a record that is not the one its id names")

	// ErrTooLarge means that the content does not fit into a record, or into an embedded id. In the
	// second case, the error is also ErrUnavailable.
	ErrTooLarge = errors.New("snapshot too large")
)

// UnknownKeyError means that an embedded id is well formed, but signed by a key that this server
// does not know. Whether this service made the snapshot is unknown. The error is also
// [ErrNotFound].
type UnknownKeyError struct{ KeyID [keyIDSize]byte }

func (e *UnknownKeyError) Error() string {
	return fmt.Sprintf("the snapshot is signed by the key %x, which this server does not have", e.KeyID)
}

// Unwrap returns ErrNotFound.
func (e *UnknownKeyError) Unwrap() error { return ErrNotFound }

// Content is the content of a snapshot.
type Content struct {
	ToolID       string
	CapabilityID string
	Version      string    // the calculation version that computed the result
	EngineDigest string    // of the engine that computed it: "sha256:" and 64 digits
	Inputs       []byte    // a JSON object: the normalized inputs
	Result       []byte    // a JSON object: the whole success result (spec 2.1)
	CreatedAt    time.Time // in whole seconds, and not in the future; zero means now
}

// Snapshot is one stored calculation.
type Snapshot struct {
	ID        string
	Body      []byte    // the record as a JSON object; these bytes never change
	ExpiresAt time.Time // zero if it does not expire
	Created   bool      // by this call; false if the same content has a snapshot already
	Fallback  bool      // an embedded id, because the store could not be used
	Cause     error     // why Fallback is set; for the log, not for the client

	checked *checked // set if Create made an embedded id; otherwise nil
}

// Warning is a warning for the client that created a snapshot.
type Warning struct {
	Code       string `json:"code"`
	Severity   string `json:"severity"`
	Detail     string `json:"detail"`
	Suggestion string `json:"suggestion"`
}

// Record returns Body with a warning added, for the response to the client that created the
// snapshot. The warning is not part of the snapshot. Only a snapshot with an embedded id from
// [Store.Create] can have a warning; for other snapshots, Record returns Body.
func (s *Snapshot) Record(w Warning) []byte {
	if s.checked == nil {
		return s.Body
	}
	return s.checked.appendRecord(nil, s.ID, s.ExpiresAt, w)
}
