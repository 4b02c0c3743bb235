// Package audit answers which properties of a registry, a release or a snapshot hold. It only
// compares files. Its findings are data, which the caller puts into words.
package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/snapshot"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/sign"
)

// An Outcome is the outcome of a comparison.
type Outcome string

// The outcomes.
const (
	Holds     Outcome = "holds"     // it was compared, and is right
	Fails     Outcome = "fails"     // it was compared, and is wrong
	Unchecked Outcome = "unchecked" // it could not be compared
	Ignored   Outcome = "ignored"   // it does not count, and nothing depends on it
)

// A Kind is what was examined. The comment on each kind lists the fields of a [Finding] that it
// sets after the colon.
type Kind int

// The kinds of findings. All of a release set Release, all of a snapshot Record.
const (
	// Of a registry.
	Checkpoint Kind = iota // it has not fallen behind a checkpoint: State
	Index                  // what is published of a capability can be read

	// Of a release.
	Manifest  // its manifest has its digest
	Engine    // the engine for a platform has its digest: Platform
	Admission // it may be served
	Spec      // its Spec has its digest
	Vectors   // its vectors have their digest
	Evidence  // a statement about it counts: Evidence, for a report also Platform
	Unsigned  // there is no signed statement about it
	Tier      // its tier follows from the evidence
	Lifecycle // the state of its lifecycle

	// Of a snapshot.
	Record       // its record is written as snapshots are
	Origin       // one of our keys froze it: Data
	ComputedBy   // the release in the registry has the engine that computed it: Platform
	OtherEngine  // the release in the registry has other engines
	NoCapability // its capability is not published
	NoVersion    // its version is not published
	Recomputed   // computed again, it is the same: Release
	Withheld     // it must not be computed again: Release
)

// A Finding is one property that was examined, and the outcome.
type Finding struct {
	Subject string // capability, capability and version, or name of a snapshot; "" of a checkpoint
	Kind    Kind
	Outcome Outcome
	Err     error // why it does not hold, or could not be compared

	State    *sign.State
	Release  *registry.Release
	Evidence *evidence.Evidence
	Platform string // of the engine, or of the engine that the report is about; "" otherwise
	Record   *snapshot.Record
	Data     string // data directory whose keys were tried
}

// A Calculator computes a snapshot again.
type Calculator interface {
	Calculate(ctx context.Context, req calc.Request) (*calc.Answer, error)
}

// Options are options of an audit. The zero value is usable.
type Options struct {
	Data  string   // data directory of a host: the keys that sign snapshots, and its file of them
	Seeds []string // seeds of further such keys

	// Checkpoint is what the registry must not have fallen behind, if it names a file.
	Checkpoint source.Checkpoint

	// Start starts a Calculator for snapshots, and returns a function that ends it. Without
	// Start, snapshots are not computed again.
	Start func() (_ Calculator, end func(), err error)
}

// NotPublishedError says that a capability has no such version.
type NotPublishedError struct{ Capability, Version string }

func (e *NotPublishedError) Error() string {
	return fmt.Sprintf("%s %s is not published", e.Capability, e.Version)
}

// Audit holds the findings in the order of the examination.
type Audit struct {
	Findings []Finding

	catalog *calc.Catalog
	options Options
}

// Run examines what is named of a catalog: a capability, a release as CAPABILITY@VERSION,
// the file of a snapshot, the id or address of one that carries itself, or everything that
// is published for "". The error is a [*calc.Problem] or a [*NotPublishedError] where that
// is not published, [ErrShortID], a [*source.SettingError], or why something could not be
// read.
func Run(ctx context.Context, catalog *calc.Catalog, target string, o *Options) (*Audit, error) {
	a := &Audit{catalog: catalog}
	if o != nil {
		a.options = *o
	}
	if err := a.checkpoint(); err != nil {
		return nil, err
	}
	if err := a.target(ctx, target); err != nil {
		return nil, err
	}
	return a, nil
}

// Count returns how many findings have the outcome.
func (a *Audit) Count(o Outcome) int {
	n := 0
	for i := range a.Findings {
		if a.Findings[i].Outcome == o {
			n++
		}
	}
	return n
}

// add adds a finding. If its outcome is not set, the outcome follows from whether it has an
// error.
func (a *Audit) add(f Finding) {
	switch {
	case f.Outcome != "":
	case f.Err != nil:
		f.Outcome = Fails
	default:
		f.Outcome = Holds
	}
	a.Findings = append(a.Findings, f)
}

// checkpoint examines whether the registry has fallen behind the checkpoint.
func (a *Audit) checkpoint() error {
	if a.options.Checkpoint.File == "" {
		return nil
	}
	var published []registry.Capability
	for _, e := range a.catalog.All() {
		published = append(published, e.Capability)
	}
	state, err := a.options.Checkpoint.Check(published)
	if _, unread := errors.AsType[*source.SettingError](err); unread {
		return err
	}
	a.add(Finding{Kind: Checkpoint, State: &state, Err: err})
	return nil
}

func (a *Audit) target(ctx context.Context, target string) error {
	switch _, err := os.Stat(target); {
	case target == "":
		return a.releases(a.catalog.All(), "")
	case err == nil:
		data, err := os.ReadFile(target)
		if err != nil {
			return err
		}
		record, err := snapshot.ReadRecord(data)
		return a.snapshot(ctx, filepath.Base(target), record, err)
	case embeddedID.MatchString(target):
		id := embeddedID.FindString(target)
		record, err := snapshot.ReadEmbedded(id)
		return a.snapshot(ctx, "snapshot "+id[:min(len(id), 20)]+"...", record, err)
	case shortID.MatchString(target):
		id := target[strings.LastIndex(target, "/")+1:]
		record, err := snapshot.NewFile(a.options.Data, nil).Record(ctx, id)
		if errors.Is(err, snapshot.ErrNotFound) {
			return ErrShortID
		}
		if errors.Is(err, snapshot.ErrUnavailable) {
			return err
		}
		return a.snapshot(ctx, "snapshot "+id, record, err)
	}
	id, version, _ := strings.Cut(target, "@")
	entry, err := a.catalog.Published(id)
	if err != nil {
		return calc.ProblemOf(err)
	}
	return a.releases([]*calc.Entry{entry}, version)
}

// embeddedID finds an embedded id, also in an address.
var embeddedID = regexp.MustCompile(`cx_e1_[A-Za-z0-9_-]+`)

// shortID is an id, or an address with one, that names a record in a store.
var shortID = regexp.MustCompile(`(^|/)cx_[a-z2-7]{26}$`)

// ErrShortID means that the record of a snapshot is in the store of another host.
var ErrShortID = errors.New("a short id names a record in the host's store, and it is not in the one of --data: fetch it (curl HOST/s/ID > snapshot.json) and verify the file")
