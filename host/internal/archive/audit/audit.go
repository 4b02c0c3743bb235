// Package audit verifies a registry, a release, a snapshot or a receipt of the ledger. It compares
// files with their digests, signatures and records. [Run] returns an [Audit] with one [Finding] for
// each property. The findings are data; the caller puts them into words.
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

// An Outcome is the result of one check.
type Outcome string

// The outcomes.
const (
	Holds     Outcome = "holds"     // the property was checked and holds
	Fails     Outcome = "fails"     // the property was checked and does not hold
	Unchecked Outcome = "unchecked" // the property could not be checked
	Ignored   Outcome = "ignored"   // the property does not count, and nothing depends on it
)

// A Kind is the property that a [Finding] is about. The comment of each kind lists, after the
// colon, the fields of the finding that are set.
type Kind int

// The kinds of findings. Every finding about a release sets Release, and every finding about a
// snapshot sets Record.
const (
	// About a registry.
	Log        Kind = iota // its transparency log is complete, signed, and continues the log that was read before: Log
	Index                  // the index of a capability can be read
	PublicKeys             // each public key of a server is signed by its predecessor: Keys

	// About a release.
	Manifest  // its manifest has the digest of the index
	Engine    // the engine for a platform has its digest: Platform
	Admission // it may be served
	Spec      // its Spec has its digest
	Vectors   // its vectors have their digest
	Evidence  // a statement about it counts: Evidence, and Platform for a report
	Unsigned  // it has no signed statement
	Tier      // its tier follows from its evidence
	Lifecycle // the state of its lifecycle

	// About a snapshot.
	Record       // its record has the format of snapshots
	Origin       // a key of the server signed it: Data, or Key if public keys were given
	ComputedBy   // the release in the registry has the engine that computed the snapshot: Platform
	OtherEngine  // the release in the registry has other engines
	NoCapability // its capability is not published
	NoVersion    // its version is not published
	Recomputed   // the recomputed result is the same: Release
	Withheld     // its release must not compute any more: Release

	// About a receipt. Record has the release that computed, as for a snapshot.
	Included // its record is in a segment with a signed root
	Recorder // a key of the server signed the root: Key
	Batch    // its record is about a batch, and is in a segment with a signed root: Answered
	Tabled   // the release of a table that the batch read is published with the recorded digest: Release
	Rows     // the rows of the file are the rows of the batch
	Outcomes // the recomputed outcomes have the recorded digest: Answered
)

// A Finding is the result of checking one property.
type Finding struct {
	Subject string // capability, capability and version, or name of a snapshot or of keys; "" for the log
	Kind    Kind
	Outcome Outcome
	Err     error // why the property does not hold, or could not be checked

	Log      source.Judged
	Release  *registry.Release
	Evidence *evidence.Evidence
	Platform string // of the engine, or of the engine that the report is about; otherwise ""
	Record   *snapshot.Record
	Data     string // data directory with the keys that were tried
	Keys     *hostkeys.Document
	Key      *hostkeys.Found // the key that signed the snapshot or the record
	Answered *record.Record
}

// A Calculator recomputes snapshots and records.
type Calculator interface {
	Calculate(ctx context.Context, req calc.Request) (*calc.Answer, error)
	Recompute(ctx context.Context, r *registry.Release, inputs value.Values) (record.Outcome, error)

	// Batch computes the rows of the spans, or all rows if only is nil, with the releases of the
	// catalog. It returns the record of the whole batch.
	Batch(ctx context.Context, catalog *catalog.Catalog, rows batch.Input, pins []versions.Pin, only []record.Span) (*record.Record, error)

	// Study recomputes the study that a result is from, and returns the new result.
	Study(ctx context.Context, result []byte) (recomputed []byte, err error)
}

// Options are the options of [Run]. The zero value is usable.
type Options struct {
	Data  string   // data directory of a server: its snapshot keys, and the snapshots with short ids
	Seeds []string // seeds of further snapshot keys

	// Keys are public keys of servers. If there are any, only these keys verify snapshots and
	// receipts; the secret keys are not tried.
	Keys []hostkeys.File

	// Rows is the file with the rows of a batch, to verify the receipt of that batch; "" if there
	// is none. The file name extension determines the format. If the extension is unknown, the
	// format is NDJSON.
	Rows string

	// Fetch returns the response body of an HTTP or HTTPS URL. If it is nil, records of short ids
	// are searched only in Data.
	Fetch func(ctx context.Context, address string) ([]byte, error)

	// Stated means that the catalog is from a server, which states its digests but keeps the bytes of its
	// releases. Then releases cannot be verified, and the error is [ErrStated].
	Stated bool

	// Log is the transparency log of the registry. If it is nil, no log is checked.
	Log *source.Log

	// Start starts a Calculator, and returns a function that ends it. If it is nil, nothing is
	// recomputed.
	Start func() (_ Calculator, end func(), err error)
}

// NotPublishedError means that a capability has no such version.
type NotPublishedError struct{ Capability, Version string }

func (e *NotPublishedError) Error() string {
	return fmt.Sprintf("%s %s is not published", e.Capability, e.Version)
}

// Audit has the findings in the order in which [Run] made them.
type Audit struct {
	Findings []Finding

	catalog *catalog.Catalog
	options Options
	public  hostkeys.Set
}

// Run verifies the target. The target is a capability, a release as CAPABILITY@VERSION, the file of
// a snapshot or receipt, or the id or URL of a snapshot. For "", Run verifies all releases of the
// catalog.
//
// If the target is not published, the error is a [*problem.Problem] or a [*NotPublishedError].
// Other errors are [ErrShortID], a [*source.SettingError], or why a file or store could not be
// read.
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

// Count returns the number of findings with the outcome.
func (a *Audit) Count(o Outcome) int {
	n := 0
	for i := range a.Findings {
		if a.Findings[i].Outcome == o {
			n++
		}
	}
	return n
}

// add adds a finding. If its outcome is not set, the outcome is [Fails] if the finding has an
// error, and otherwise [Holds].
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

// log checks the transparency log of the registry. A registry without a log has no finding, unless
// it had a log before. Capabilities that do not match the log have findings of their own.
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

// keys checks the public keys of the options, and collects the valid ones for the checks of
// signatures.
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
	case target == "" && a.options.Stated:
		return ErrStated
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
	switch _, err := os.Stat(target); {
	case strings.Contains(target, "://"):
		return &source.SettingError{Err: fmt.Errorf("%s is not the URL of a snapshot (https://HOST/s/cx_...)", target)}
	case filepath.Ext(target) == ".json", strings.Contains(target, "/"): // ids have neither
		return err
	}
	if a.options.Stated {
		return ErrStated
	}
	id, version, _ := strings.Cut(target, "@")
	entry, err := a.catalog.Published(id)
	if err != nil {
		return problem.Of(err)
	}
	return a.releases([]*catalog.Entry{entry}, version)
}

// embeddedID matches an embedded snapshot id, also within a URL.
var embeddedID = regexp.MustCompile(`cx_e1_[A-Za-z0-9_-]+`)

// shortID matches a short snapshot id, or a URL that ends in one.
var shortID = regexp.MustCompile(`(^|/)cx_[a-z2-7]{26}$`)

// shortAddress matches the URL of a snapshot with a short id, or of its signed copy.
var shortAddress = regexp.MustCompile(`^(https?://.+)/(?:s|api/v1/share)/(cx_[a-z2-7]{26})(?:/signed)?$`)

// ErrStated means that the releases of a server cannot be verified, because it keeps their bytes.
var ErrStated = errors.New("a server keeps the bytes of its releases: of a server, only snapshots and receipts can be verified. slipstick lock --check compares its digests with a lock file")

// ErrShortID means that the store in Data does not have the record of a short snapshot id.
var ErrShortID = errors.New("the data directory (--data) does not have the snapshot with this short id; download the snapshot (curl HOST/api/v1/share/ID/signed > snapshot.json) and verify the file")
