// Package transparency keeps the log of all events in a registry. A reader who has seen a
// checkpoint of the log notices when entries before it were removed, changed or reordered. [New]
// returns an empty [Log], [Log.Append] adds entries, and [Read] reads a log from a directory.
// [Log.Continues] compares it with a [Checkpoint] that was seen here before, and [Log.Agrees] with
// one that another reader saw. [Log.Prove] proves that an entry is in the log.
//
// A Log is a Merkle tree as in RFC 6962 with one leaf per statement. It is stored in a directory as
// the tiles of c2sp.org/tlog-tiles, with a checkpoint as in c2sp.org/tlog-checkpoint. The
// checkpoint may be signed, and cosigned by witnesses; package sign checks that.
package transparency

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// Log is a log in memory, complete and consistent with its checkpoint. It does not change.
type Log struct {
	entries    []Entry
	hashes     []tlog.Hash // in the order of package tlog
	checkpoint Checkpoint
}

// FaultKind is the way in which a log differs from its earlier or expected state.
type FaultKind string

// The kinds of faults.
const (
	Damaged   FaultKind = "damaged"   // the entries do not match the checkpoint
	Shortened FaultKind = "shortened" // entries that were seen are missing
	Reordered FaultKind = "reordered" // times run backwards
	Forked    FaultKind = "forked"    // it does not continue the log that was seen here before
	Split     FaultKind = "split"     // others were shown another log
)

// Fault is the error of a log that differs from its earlier or expected state.
type Fault struct {
	Kind   FaultKind
	Detail string
}

// Error explains the fault.
func (f *Fault) Error() string { return fmt.Sprintf("the log is %s: %s", f.Kind, f.Detail) }

func fault(kind FaultKind, format string, args ...any) error {
	return &Fault{kind, fmt.Sprintf(format, args...)}
}

// ReadHashes returns stored hashes; it makes a Log a [tlog.HashReader].
func (l *Log) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		if at < 0 || at >= int64(len(l.hashes)) {
			return nil, fmt.Errorf("the log has no hash %d", at)
		}
		list[i] = l.hashes[at]
	}
	return list, nil
}

// Entries returns all entries. They must not be changed.
func (l *Log) Entries() []Entry { return l.entries }

// Checkpoint returns the checkpoint.
func (l *Log) Checkpoint() *Checkpoint { return &l.checkpoint }

// add appends an entry in its canonical spelling.
func (l *Log) add(data []byte) error {
	n := len(l.entries)
	if n == MaxEntries {
		return fmt.Errorf("the log has %d entries, which is the most it can have", n)
	}
	e, err := decodeEntry(data)
	if err != nil {
		return fault(Damaged, "entry %d cannot be read: %v", n, err)
	}
	if n > 0 && e.Time.Before(l.entries[n-1].Time) {
		return fault(Reordered, "entry %d is of %s, and entry %d before it of %s", n, stamp(e.Time), n-1, stamp(l.entries[n-1].Time))
	}
	hashes, err := tlog.StoredHashes(int64(n), data, l)
	if err != nil {
		return err
	}
	l.entries, l.hashes = append(l.entries, e), append(l.hashes, hashes...)
	return nil
}

// root returns the root of the tree of the first n entries.
func (l *Log) root(n int64) (tlog.Hash, error) { return tlog.TreeHash(n, l) }

// clone returns a copy to which entries can be appended.
func (l *Log) clone() *Log {
	return &Log{slices.Clip(l.entries), slices.Clip(l.hashes), l.checkpoint}
}

// Continues returns a [*Fault] unless the log starts with the entries of a checkpoint that was
// seen here before.
func (l *Log) Continues(seen *Checkpoint) error {
	switch now := &l.checkpoint; {
	case now.Origin != seen.Origin:
		return fault(Forked, "it is %s, and %s was seen before", now.Origin, seen.Origin)
	case now.Size < seen.Size:
		return fault(Shortened, "it has %d entries, and %d were seen before", now.Size, seen.Size)
	}
	return l.beginsWith(seen, Forked, "seen before")
}

// ErrNewer reports a checkpoint with more entries than the log. So the log cannot decide
// whether both are of the same log.
var ErrNewer = errors.New("it has more entries than this copy of the log, so the two cannot be compared: bring the copy up to date")

// ErrOther reports a checkpoint of another log.
var ErrOther = errors.New("it is of another log, so the two cannot be compared")

// Agrees returns a [*Fault] unless the log starts with the entries of a checkpoint that was
// shown to another reader, or [ErrNewer] or [ErrOther].
func (l *Log) Agrees(other *Checkpoint) error {
	switch now := &l.checkpoint; {
	case now.Origin != other.Origin:
		return fmt.Errorf("%w: %s, and this is %s", ErrOther, other.Origin, now.Origin)
	case now.Size < other.Size:
		return ErrNewer
	}
	return l.beginsWith(other, Split, "shown to another reader")
}

func (l *Log) beginsWith(c *Checkpoint, kind FaultKind, owner string) error {
	root, err := l.root(c.Size)
	if err != nil {
		return err
	}
	if root != c.Root {
		return fault(kind, "its first %d entries have the root %s, and %s was %s", c.Size, root, c.Root, owner)
	}
	return nil
}

// Prove returns the proof that the entry is in the log with its checkpoint.
func (l *Log) Prove(entry int64) (tlog.RecordProof, error) {
	return tlog.ProveRecord(l.checkpoint.Size, entry, l)
}

// Append returns the log with further entries. Each has the given time, or the time of the
// previous entry if that is later, because the clocks of two writers may differ. The new
// checkpoint is not signed.
func (l *Log) Append(at time.Time, entries []Entry) (*Log, error) {
	next := l.clone()
	for _, e := range entries {
		e.Time = at
		if n := len(next.entries); n > 0 && next.entries[n-1].Time.After(at) {
			e.Time = next.entries[n-1].Time
		}
		data, err := e.encode()
		if err == nil {
			err = next.add(data)
		}
		if err != nil {
			return nil, err
		}
	}
	size := int64(len(next.entries))
	root, err := next.root(size)
	next.checkpoint = Checkpoint{Origin: l.checkpoint.Origin, Size: size, Root: root}
	return next, err
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
