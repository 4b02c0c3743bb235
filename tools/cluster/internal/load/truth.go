package load

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// State is the expected outcome of a call that is pinned to a version.
type State int

// The states of a version.
const (
	Served   State = iota // it is answered
	Changing              // the version is being published or revoked: it is answered, or refused
	Revoked               // it is refused
)

// Truth is the expected behavior of the servers. It changes while they are called.
type Truth struct {
	mu           sync.Mutex
	digests      map[string]string // by version
	states       map[string]State
	current      []string // versions that may answer calls without a pin: one, or two during a change
	pins         []string // versions of pinned calls
	storeRemoved bool
}

// NewTruth returns a Truth without published versions.
func NewTruth() *Truth {
	return &Truth{digests: map[string]string{}, states: map[string]State{}}
}

// Publish adds a version with the digest of its engine. From now on calls are pinned to it, and may be refused
// until it is [Served].
func (t *Truth) Publish(version, digest string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.digests[version] = digest
	t.states[version] = Changing
	t.pins = append(t.pins, version)
}

// Set sets the expected outcome of calls that are pinned to the version.
func (t *Truth) Set(version string, s State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.states[version] = s
}

// Unpin ends calls pinned to the version.
func (t *Truth) Unpin(version string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pins = slices.DeleteFunc(t.pins, func(v string) bool { return v == version })
}

// SetCurrent sets the versions that may answer calls without a pin.
func (t *Truth) SetCurrent(versions ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current = versions
}

// SetStoreRemoved sets whether short snapshots are unreadable.
func (t *Truth) SetStoreRemoved(removed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.storeRemoved = removed
}

func (t *Truth) isStoreRemoved() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.storeRemoved
}

// pin returns a version to call.
func (t *Truth) pin(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pins[n%len(t.pins)]
}

func (t *Truth) state(version string) State {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.states[version]
}

// isCurrent reports whether a call without a pin may get the version.
func (t *Truth) isCurrent(version string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Contains(t.current, version)
}

// checkDigest compares the digest of an answer with the published digest.
func (t *Truth) checkDigest(version, digest string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if want := t.digests[version]; want == "" || digest != want {
		return &Failure{Kind: WrongVersion, Detail: fmt.Sprintf("version %s with the digest %q, want %q", version, digest, want)}
	}
	return nil
}

// product returns the expected answer of a version.
func product(version string, x float64) float64 {
	major, _, _ := strings.Cut(version, ".")
	n, _ := strconv.ParseFloat(major, 64)
	return n * x
}
