package load

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// State is what may become of a call that is pinned to a version.
type State int

// The states of a version.
const (
	Served   State = iota // it is answered
	Changing              // it is being published or revoked: it is answered, or refused
	Revoked               // it is refused
)

// Truth is what the hosts must answer. It changes while they are asked.
type Truth struct {
	mu           sync.Mutex
	digests      map[string]string // by version
	states       map[string]State
	current      []string // what calls without a pin may get: one version, or two while it changes
	pins         []string // what pinned calls ask for
	storeRemoved bool
}

// NewTruth returns a Truth in which nothing is published.
func NewTruth() *Truth {
	return &Truth{digests: map[string]string{}, states: map[string]State{}}
}

// Publish makes a version known by the digest of its engine. Calls are pinned to it from now on,
// and may be refused until it is [Served].
func (t *Truth) Publish(version, digest string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.digests[version] = digest
	t.states[version] = Changing
	t.pins = append(t.pins, version)
}

// Set says what may become of calls that are pinned to the version.
func (t *Truth) Set(version string, s State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.states[version] = s
}

// Unpin has no call pinned to the version.
func (t *Truth) Unpin(version string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pins = slices.DeleteFunc(t.pins, func(v string) bool { return v == version })
}

// SetCurrent says which versions calls without a pin may get.
func (t *Truth) SetCurrent(versions ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current = versions
}

// SetStoreRemoved says whether short snapshots cannot be read now.
func (t *Truth) SetStoreRemoved(gone bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.storeRemoved = gone
}

func (t *Truth) isStoreRemoved() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.storeRemoved
}

// pin chooses a version to ask for.
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

// checkDigest compares the digest of an answer with what was published.
func (t *Truth) checkDigest(version, digest string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if want := t.digests[version]; want == "" || digest != want {
		return &Failure{Kind: WrongVersion, Detail: fmt.Sprintf("version %s with the digest %q, want %q", version, digest, want)}
	}
	return nil
}

// product is what a version must answer.
func product(version string, x float64) float64 {
	major, _, _ := strings.Cut(version, ".")
	n, _ := strconv.ParseFloat(major, 64)
	return n * x
}
