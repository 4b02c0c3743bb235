// Package ledger answers one question: what has this host answered, and is anything of it
// missing or changed? Records are written behind the answers, into segments that are closed with
// the root of a Merkle tree, chained and signed. A disk that is full or slow costs records, which
// are counted, and never an answer.
package ledger

import (
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/record"
)

// Inputs is what records keep of inputs.
type Inputs string

// What records keep of inputs.
const (
	Hashed Inputs = "hash"   // a keyed hash: who has the inputs can show that a record is of them
	Whole  Inputs = "inputs" // the inputs, so that the record can be computed again
)

// Options of a Ledger. Sign and Secret are required, everything else may be zero.
type Options struct {
	Inputs Inputs        // [Hashed] if empty
	Sync   time.Duration // how often records are put on the disk; 1 s if zero
	Close  time.Duration // age at which a segment is closed; 10 min if zero
	Keep   time.Duration // how long the records of a closed segment are kept; 0: for ever
	Queue  int           // bytes of records that may wait for the disk; 16 MiB if zero

	Sign   Sign
	Secret []byte // 32 bytes, for the keys of receipts and of hashes; the same for as long as these shall hold

	Log *slog.Logger     // discarded if nil
	Now func() time.Time // time.Now if nil

	segment uint64 // records of a full segment; segmentSize if zero
}

const (
	segmentSize = 1 << 16
	chunkSize   = 256 << 10

	defaultSync  = time.Second
	defaultClose = 10 * time.Minute
	defaultQueue = 16 << 20
)

// Ledger is the ledger of one running host. It is safe for concurrent use.
type Ledger struct {
	options Options
	dir     string
	name    string
	lock    *os.File
	keys    cipher.Block // of receipts
	salts   cipher.Block // of hashes of inputs

	mu      sync.Mutex
	chunk   *chunk // that records are added to
	full    []*chunk
	queued  int // bytes in full
	segment uint64
	leaf    uint64
	opened  time.Time // when the first record of the segment came
	scratch []byte
	lost    record.Record // count and time of those that were not told yet
	stats   Stats
	spare   []*chunk
	synced  bool // the disk has all that was handed to the writer

	wake    chan struct{}
	ending  chan struct{}
	stopped chan struct{}
	writer  writer
	proofs  proofs
}

// Stats are figures since the host began.
type Stats struct {
	Records uint64 // taken
	Lost    uint64
	LastAt  time.Time // when the last one was lost
	Failure error     // why nothing can be written now; nil if it can
}

// chunk is a part of a segment that is written as one block.
type chunk struct {
	first   uint64
	records int
	data    []byte
	end     End // why the segment ends behind it; "" if it does not
}

// ErrInUse means that another host writes to the directory.
var ErrInUse = errors.New("another host keeps its ledger there: give each host a directory of its own")

// Open opens the ledger of a directory, which is made if it is not there. A segment that a host
// left open because it was killed is closed with the records that it has.
func Open(dir string, o *Options) (_ *Ledger, err error) {
	l := &Ledger{dir: dir, options: *o, wake: make(chan struct{}, 1), ending: make(chan struct{}), stopped: make(chan struct{})}
	l.options.Inputs = cmp.Or(o.Inputs, Hashed)
	l.options.Sync = cmp.Or(o.Sync, defaultSync)
	l.options.Close = cmp.Or(o.Close, defaultClose)
	l.options.Queue = cmp.Or(o.Queue, defaultQueue)
	l.options.segment = cmp.Or(o.segment, segmentSize)
	if l.options.Now == nil {
		l.options.Now = time.Now
	}
	if l.options.Log == nil {
		l.options.Log = slog.New(slog.DiscardHandler)
	}
	if err := l.makeKeys(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if l.lock, err = lockDir(dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = l.lock.Close()
		}
	}()
	if err := l.begin(); err != nil {
		return nil, err
	}
	go l.write()
	return l, nil
}

// makeKeys derives the two keys from the secret.
func (l *Ledger) makeKeys() error {
	if len(l.options.Secret) != 32 {
		return fmt.Errorf("a secret of %d bytes, and not of 32", len(l.options.Secret))
	}
	l.keys, _ = aes.NewCipher(l.options.Secret[:16]) // of a right size
	l.salts, _ = aes.NewCipher(l.options.Secret[16:])
	return nil
}

// begin closes what the host before has left, and opens the first segment of this one.
func (l *Ledger) begin() error {
	last, err := recoverLast(l.dir, l.options.Sign, l.options.Now)
	if err != nil {
		return err
	}
	now := l.options.Now().UTC()
	h := Header{Inputs: l.options.Inputs, Run: now, Opened: now, Segment: 1}
	if last == nil {
		h.Ledger = strings.ToLower(rand.Text()[:8])
	} else {
		h.Ledger, h.Segment, h.Previous = last.Ledger, last.Segment+1, last.Signed.hash()
		h.Killed = last.Statement.End != Ended
	}
	if h.Killed {
		l.options.Log.Warn("the host before was killed; what its ledger had not written yet is lost", "segment", last.Name(), "records", last.Records)
	}
	l.name, l.segment = h.Ledger, h.Segment
	l.writer = writer{ledger: l, header: h}
	l.chunk = &chunk{}
	return l.writer.open()
}

// Record takes a record and returns where it will stand. It does not wait: if too many wait for
// the disk already, the record is lost, which is counted and recorded, and the zero Receipt is
// returned.
func (l *Ledger) Record(r record.Record) record.Receipt {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queued+len(l.chunk.data) > l.options.Queue {
		if l.lost.Count++; l.lost.Count == 1 {
			l.lost.Since = r.Time
		}
		l.lost.Time, l.stats.LastAt = r.Time, l.options.Now()
		l.stats.Lost++
		return record.Receipt{}
	}
	if l.lost.Count > 0 {
		l.lost.Kind = record.Lost
		l.add(&l.lost)
		l.lost = record.Record{}
	}
	l.stats.Records++
	return l.add(&r)
}

// add adds a record to the chunk. A segment ends behind a record, so that every record knows
// its place before it is written.
func (l *Ledger) add(r *record.Record) record.Receipt {
	if l.leaf == 0 {
		l.opened = r.Time
	}
	receipt := record.Receipt{Ledger: l.name, Segment: l.segment, Leaf: l.leaf}
	receipt.Key = keyOf(l.keys, l.segment, l.leaf)
	if r.Kind == record.Answer && l.options.Inputs != Whole {
		salt := keyOf(l.salts, l.segment, l.leaf)
		r.Hash = record.HashInputs(salt[:], r.Inputs)
	}
	l.scratch = r.Append(l.scratch[:0])
	l.chunk.data = appendLeaf(l.chunk.data, l.scratch)
	l.chunk.records++
	l.leaf++
	switch {
	case l.leaf >= l.options.segment:
		l.endSegment(Full)
	case len(l.chunk.data) >= chunkSize:
		l.endChunk("")
	}
	return receipt
}

// appendLeaf appends an encoded record as it stands in a data block.
func appendLeaf(b, leaf []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(leaf))), leaf...)
}

// endSegment makes the segment end behind the chunk.
func (l *Ledger) endSegment(end End) {
	l.segment++
	l.leaf = 0
	l.endChunk(end)
}

// endChunk hands the chunk to the writer, and begins another.
func (l *Ledger) endChunk(end End) {
	l.chunk.end = end
	l.synced = false
	l.full = append(l.full, l.chunk)
	l.queued += len(l.chunk.data)
	next := &chunk{}
	if n := len(l.spare); n > 0 {
		next, l.spare = l.spare[n-1], l.spare[:n-1]
	}
	*next = chunk{first: l.leaf, data: next.data[:0]}
	l.chunk = next
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// keyOf returns a key that belongs to one leaf, and tells nothing of others.
func keyOf(k cipher.Block, segment, leaf uint64) (key [16]byte) {
	binary.BigEndian.PutUint64(key[:], segment)
	binary.BigEndian.PutUint64(key[8:], leaf)
	k.Encrypt(key[:], key[:])
	return key
}

// known reports whether the receipt is one of this ledger's.
func (l *Ledger) known(r record.Receipt) bool {
	key := keyOf(l.keys, r.Segment, r.Leaf)
	return r.Ledger == l.name && subtle.ConstantTimeCompare(key[:], r.Key[:]) == 1
}

// Stats returns the figures of now.
func (l *Ledger) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}

// Close writes what was taken, closes the segment and the ledger. There must be no calls of
// Record any more. The error says that records were lost.
func (l *Ledger) Close() error {
	close(l.ending)
	<-l.stopped
	err := l.Stats().Failure
	return errors.Join(err, l.lock.Close())
}

// recoverLast closes the last segment of a directory, if a host left it open. It returns the
// last segment, nil if there is none. It may be killed at any time and begin again.
func recoverLast(dir string, sign Sign, now func() time.Time) (*Segment, error) {
	list, err := numbers(dir)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, nil
	}
	number := list[len(list)-1]
	path := filepath.Join(dir, fmt.Sprintf(segmentFile, number))
	s, err := readSegment(dir, number, nil)
	if err != nil {
		return nil, err
	}
	switch {
	case s.Signed != nil && s.Problem == nil:
		return s, nil
	case s.Signed != nil || s.Problem != nil && !errors.Is(s.Problem, errTorn) && !errors.Is(s.Problem, errDamaged):
		return nil, fmt.Errorf("segment %s: %w; move the ledger away to begin another", path, s.Problem)
	case s.Size == 0: // not even its first block was written, and so no record
		if err := os.Remove(path); err != nil {
			return nil, err
		}
		return recoverLast(dir, sign, now)
	}
	if errors.Is(s.Problem, errDamaged) {
		if err := keepDamaged(path); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Truncate(s.Size); err != nil {
		return nil, err
	}
	st := &Statement{Header: s.Header, Records: s.Records, Tiles: tilesOf(s.leaves), Closed: now().UTC(), End: Recovered}
	st.Root = treeHash(st.Tiles)
	data, signed, err := closing(st, sign)
	if err != nil {
		return nil, err
	}
	if _, err := f.WriteAt(data, s.Size); err != nil {
		return nil, err
	}
	s.Statement, s.Signed, s.Problem = st, signed, nil
	return s, f.Sync()
}

// keepDamaged copies a file of which the part behind a damaged block will be cut off. Mostly that
// is what a machine had not written yet when it stopped, but nobody knows.
func keepDamaged(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path+".damaged", data, 0o600)
}
