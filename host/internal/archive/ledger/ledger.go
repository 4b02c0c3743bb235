// Package ledger records the responses of a server in an append-only log that shows whether a
// record is missing or changed. A server opens a [Ledger] with [Open], and adds records with
// [Ledger.Record]. The records are written after the response, into segments. Each segment is
// closed with the root of a Merkle tree; the roots are chained and signed. A full or slow disk
// loses records, which are counted, but does not affect responses.
//
// [Each] and [Read] read the records of a ledger, [Check] verifies a ledger, and [Proof.Verify]
// verifies the proof for one receipt.
package ledger

import (
	"cmp"
	"context"
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
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/record"
)

// Inputs is the form in which records contain inputs.
type Inputs string

// Forms of inputs in records.
const (
	Hashed Inputs = "hash"   // a keyed hash: a person who has the inputs can prove that a record is about them
	Whole  Inputs = "inputs" // the inputs, so that the record can be recomputed
)

// Options are options of [Open]. Sign and Secret are required; all other fields can be zero.
type Options struct {
	Inputs Inputs        // [Hashed] if empty
	Sync   time.Duration // interval at which records are synced to the disk; 1 s if zero
	Close  time.Duration // age at which a segment is closed; 10 min if zero
	Keep   time.Duration // time for which the records of a closed segment are kept; 0: forever
	Queue  int           // maximum bytes of records that wait for the disk; 16 MiB if zero

	Sign   Sign
	Secret []byte // 32 bytes, for the keys of receipts; old receipts are valid only with the same secret

	Stamp Stamp // timestamps the statements of segments; nil: no timestamps

	Log *slog.Logger     // discarded if nil
	Now func() time.Time // time.Now if nil

	segment      uint64        // maximum number of records in a segment; segmentSize if zero
	restampAfter time.Duration // time between two attempts to get a timestamp; the constant restampAfter if zero
}

const (
	segmentSize = 1 << 16
	chunkSize   = 256 << 10

	defaultSync  = time.Second
	defaultClose = 10 * time.Minute
	defaultQueue = 16 << 20

	secretSize = 32
)

// Ledger is the ledger of one running server. It is safe for concurrent use.
type Ledger struct {
	options Options
	dir     string
	name    string
	lock    *os.File
	keys    cipher.Block // for receipts, and for hashes of inputs

	place     atomic.Uint64 // of the next record
	shards    []shard       // with the records that wait for the writer
	preferred sync.Pool     // of shard indexes; each processor prefers one shard
	names     names

	mu      sync.Mutex
	failure error // why the ledger cannot be written now; nil if it can

	wake    chan struct{}
	ending  chan struct{}
	stopped chan struct{}

	unstamped    chan closed
	cancelStamps context.CancelFunc // cancels the timestamping
	stamped      chan struct{}      // closed after the timestamping has ended

	writer writer
	proofs proofs
}

// place is the position of a record: its segment and leaf. Places are assigned in increasing order.
type place uint64

const leafBits = 32

func placeOf(segment, leaf uint64) place { return place(segment<<leafBits | leaf) }

func (p place) segment() uint64 { return uint64(p) >> leafBits }
func (p place) leaf() uint64    { return uint64(p) & (1<<leafBits - 1) }

// Stats are counters since the start of the server.
type Stats struct {
	Records uint64 // records accepted
	Lost    uint64
	LastAt  time.Time // time of the last loss
	Failure error     // why the ledger cannot be written now; nil if it can
}

// ErrInUse means that another server writes to the directory.
var ErrInUse = errors.New("another server uses this ledger directory; set a different directory for each server")

// Open opens the ledger in a directory, and creates the directory if necessary. If a killed server
// left a segment open, Open closes it with the records that it has.
func Open(dir string, o *Options) (_ *Ledger, err error) {
	l := &Ledger{dir: dir, options: *o, wake: make(chan struct{}, 1), ending: make(chan struct{}), stopped: make(chan struct{}), unstamped: make(chan closed, maxUnstamped), stamped: make(chan struct{})}
	l.options.Inputs = cmp.Or(o.Inputs, Hashed)
	l.options.Sync = cmp.Or(o.Sync, defaultSync)
	l.options.Close = cmp.Or(o.Close, defaultClose)
	l.options.Queue = cmp.Or(o.Queue, defaultQueue)
	l.options.segment = cmp.Or(o.segment, segmentSize)
	l.options.restampAfter = cmp.Or(o.restampAfter, restampAfter)
	if l.options.Now == nil {
		l.options.Now = time.Now
	}
	if l.options.Log == nil {
		l.options.Log = slog.New(slog.DiscardHandler)
	}
	if len(l.options.Secret) != secretSize {
		return nil, fmt.Errorf("the secret has %d bytes, not %d", len(l.options.Secret), secretSize)
	}
	l.keys, _ = aes.NewCipher(l.options.Secret) // of a right size
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	l.lock, err = lockDir(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = l.lock.Close()
		}
	}()
	if err := l.start(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.cancelStamps = cancel
	go l.write()
	go l.stamp(ctx)
	return l, nil
}

// start closes the last segment of the previous server if necessary, and opens the first segment of
// this server.
func (l *Ledger) start() error {
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
		if !isStamped(l.dir, last.Segment) {
			l.toStamp(closed{last.Segment, h.Previous})
		}
	}
	if h.Killed {
		l.options.Log.Warn("the previous server was killed; the records that it had not written are lost", "segment", last.Name(), "records", last.Records)
	}
	l.name = h.Ledger
	l.place.Store(uint64(placeOf(h.Segment, 0)))
	l.shards = make([]shard, shardsEach*runtime.GOMAXPROCS(0))
	for i := range l.shards {
		l.shards[i].names = &l.names
	}
	var spread atomic.Uint64
	l.preferred.New = func() any {
		index := int(spread.Add(1) % uint64(len(l.shards)))
		return &index
	}
	l.writer = writer{ledger: l, header: h, number: h.Segment, taken: make([][]byte, len(l.shards)), rest: make([][]byte, len(l.shards))}
	return l.writer.open()
}

// putKey computes the key of one leaf. The key reveals nothing about the keys of other leaves.
func (l *Ledger) putKey(p place, key *record.Key) {
	binary.BigEndian.PutUint64(key[:], p.segment())
	binary.BigEndian.PutUint64(key[8:], p.leaf())
	l.keys.Encrypt(key[:], key[:])
}

// known reports whether this ledger issued the receipt.
func (l *Ledger) known(r record.Receipt) bool {
	if r.Segment >= 1<<(64-leafBits) || r.Leaf >= 1<<leafBits {
		return false
	}
	var key record.Key
	l.putKey(placeOf(r.Segment, r.Leaf), &key)
	return r.Ledger == l.name && subtle.ConstantTimeCompare(key[:], r.Key[:]) == 1
}

// Stats returns the current counters.
func (l *Ledger) Stats() (s Stats) {
	for i := range l.shards {
		l.shards[i].count(&s)
	}
	s.Failure = l.failed()
	return s
}

// failed returns why the ledger cannot be written now.
func (l *Ledger) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failure
}

// Close writes the accepted records, and closes the segment and the ledger. Record must not be
// called any more. If records were lost, Close returns an error.
func (l *Ledger) Close() error {
	close(l.ending)
	<-l.stopped
	close(l.unstamped)
	deadline := time.AfterFunc(lastStamp, l.cancelStamps)
	<-l.stamped
	deadline.Stop()
	l.cancelStamps()
	return errors.Join(l.failed(), l.lock.Close())
}

// recoverLast closes the last segment of a directory, if a server left it open. It returns the last
// segment, nil if there is none. If it is killed, the next call completes the work.
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
		return nil, fmt.Errorf("segment %s: %w; move the ledger to another directory to start a new one", path, s.Problem)
	case s.Size == 0: // the file does not even have its first block, and so no record; or it has another format
		if errors.Is(s.Problem, errDamaged) {
			if err := backUpDamaged(path); err != nil {
				return nil, err
			}
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
		return recoverLast(dir, sign, now)
	}
	if errors.Is(s.Problem, errDamaged) {
		if err := backUpDamaged(path); err != nil {
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
	st := s.statement()
	st.Closed, st.End = now().UTC(), Recovered
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

// backUpDamaged copies a file before the part after a damaged block is cut off. Usually the damage is
// data that was not written before the machine stopped, but this is not certain.
func backUpDamaged(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path+".damaged", data, 0o600)
}
