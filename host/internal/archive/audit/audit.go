// Package audit answers which properties of a registry, a release or a snapshot hold. It
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

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/hostkeys"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
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
	Log        Kind = iota // its log is whole, signed, and continues what was seen before: Log
	Index                  // what is published of a capability can be read
	PublicKeys             // the public keys of a host follow from one another: Keys

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
	Origin       // a key of its host froze it: Data, or Key if public keys were given
	ComputedBy   // the release in the registry has the engine that computed it: Platform
	OtherEngine  // the release in the registry has other engines
	NoCapability // its capability is not published
	NoVersion    // its version is not published
	Recomputed   // computed again, it is the same: Release
	Withheld     // it must not be computed again: Release

	// Of a receipt. Record says what computed, as it does of a snapshot.
	Included // its record stands in a segment whose root was signed
	Recorder // one of the keys of its host signed the root: Key
	Batch    // its record, of a batch, stands in such a segment: Answered
	Tabled   // a table that rows of a batch have numbers from is published as it was: Release
	Rows     // the rows are those of the batch
	Outcomes // computed again, they come to the same: Answered
)

// A Finding is one property that was examined, and the outcome.
type Finding struct {
	Subject string // capability, capability and version, or name of a snapshot or of keys; "" of the log
	Kind    Kind
	Outcome Outcome
	Err     error // why it does not hold, or could not be compared

	Log      source.Judged
	Release  *registry.Release
	Evidence *evidence.Evidence
	Platform string // of the engine, or of the engine that the report is about; "" otherwise
	Record   *snapshot.Record
	Data     string // data directory whose keys were tried
	Keys     *hostkeys.Document
	Key      *hostkeys.Found // by which it was frozen or recorded
	Answered *record.Record
}

// A Calculator computes a snapshot or a record again.
type Calculator interface {
	Calculate(ctx context.Context, req calc.Request) (*calc.Answer, error)
	Recompute(ctx context.Context, r *registry.Release, inputs value.Values) (record.Outcome, error)

	// Batch computes rows as a service with the catalog does: those of the spans, or all if there
	// are none. It returns the record of the whole.
	Batch(ctx context.Context, catalog *catalog.Catalog, rows batch.Input, pins []versions.Pin, only []record.Span) (*record.Record, error)

	// Study makes the study of a result again, and returns its result.
	Study(ctx context.Context, result []byte) (again []byte, err error)
}

// Options are options of an audit. The zero value is usable.
type Options struct {
	Data  string   // data directory of a host: the keys that sign snapshots, and its file of them
	Seeds []string // seeds of further such keys

	// Keys are public keys of hosts. If there are any, they tell who froze a snapshot or recorded
	// an answer, and the secret ones are not asked.
	Keys []hostkeys.File

	// Rows is the file of rows of a batch whose receipt is examined, "" if there is none. The ending
	// of its name tells how it is written; NDJSON where that is unknown.
	Rows string

	// Fetch returns what an http or https address answers. Without it, the record of a short
	// id is only looked for in Data.
	Fetch func(ctx context.Context, address string) ([]byte, error)

	// Log is the log of the registry; nil: none is looked at.
	Log *source.Log

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

	catalog *catalog.Catalog
	options Options
	public  hostkeys.Set
}

// Run examines what is named of a catalog: a capability, a release as CAPABILITY@VERSION,
// the file of a snapshot or of a receipt, the id or address of a snapshot, or everything that is published for "". The error is
// a [*problem.Problem] or a [*NotPublishedError] where that is not published, [ErrShortID], a
// [*source.SettingError], or why something could not be read.
func Run(ctx context.Context, catalog *catalog.Catalog, target string, o *Options) (*Audit, error) {
	a := &Audit{catalog: catalog}
	if o != nil {
		a.options = *o
	}
	if err := a.log(); err != nil {
		return nil, err
	}
	a.keys()
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

// log examines the log of the registry. A registry without one is not at fault, unless it had
// one. Which capabilities have fallen behind it, they tell.
func (a *Audit) log() error {
	if a.options.Log == nil {
		return nil
	}
	judged, err := a.options.Log.Check()
	if _, unread := errors.AsType[*source.SettingError](err); unread {
		return err
	}
	if judged.Checkpoint != nil || err != nil {
		a.add(Finding{Kind: Log, Log: judged, Err: err})
	}
	return nil
}

// keys examines the public keys that were given, and goes on with those that hold.
func (a *Audit) keys() {
	for _, f := range a.options.Keys {
		document, err := hostkeys.Parse(f.Data)
		a.add(Finding{Subject: "keys " + f.Name, Kind: PublicKeys, Keys: document, Err: err})
		if err == nil {
			a.public = append(a.public, hostkeys.Named{Name: f.Name, Document: document})
		}
	}
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
		if proof := proofIn(data); proof != nil {
			return a.receipt(ctx, proof)
		}
		record, err := snapshot.ReadRecord(data)
		return a.snapshot(ctx, filepath.Base(target), record, err)
	case embeddedID.MatchString(target):
		id := embeddedID.FindString(target)
		record, err := snapshot.ReadEmbedded(id)
		return a.snapshot(ctx, "snapshot "+id[:min(len(id), 20)]+"...", record, err)
	case a.options.Fetch != nil && shortAddress.MatchString(target):
		parts := shortAddress.FindStringSubmatch(target)
		data, err := a.options.Fetch(ctx, parts[1]+"/api/v1/share/"+parts[2]+"/signed")
		if err != nil {
			return err
		}
		record, err := snapshot.ReadRecord(data)
		return a.snapshot(ctx, "snapshot "+parts[2], record, err)
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
		return problem.Of(err)
	}
	return a.releases([]*catalog.Entry{entry}, version)
}

// embeddedID finds an embedded id, also in an address.
var embeddedID = regexp.MustCompile(`cx_e1_[A-Za-z0-9_-]+`)

// shortID is an id, or an address with one, that names a record in a store.
var shortID = regexp.MustCompile(`(^|/)cx_[a-z2-7]{26}$`)

// shortAddress is the address of a snapshot with a short id, or of its signed copy.
var shortAddress = regexp.MustCompile(`^(https?://.+)/(?:s|api/v1/share)/(cx_[a-z2-7]{26})(?:/signed)?$`)

// ErrShortID means that the record of a snapshot is in the store of another host.
var ErrShortID = errors.New("a short id names a record in the host's store, and it is not in the one of --data: fetch it (curl HOST/api/v1/share/ID/signed > snapshot.json) and verify the file")
