// Package ledger answers one question: what has this host answered, and is anything of it
// missing or changed? Records are written behind the answers, into segments that are closed with
// the root of a Merkle tree, chained and signed. A disk that is full or slow costs records, which
// are counted, and never an answer.
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
	Secret []byte // 32 bytes, for the keys of receipts; the same for as long as these shall hold

	Stamp Stamp // of the statements of segments; nil: nobody is asked

	Log *slog.Logger     // discarded if nil
	Now func() time.Time // time.Now if nil

	segment      uint64        // records of a full segment; segmentSize if zero
	restampAfter time.Duration // stampAgain if zero
}

const (
	segmentSize = 1 << 16
	chunkSize   = 256 << 10

	defaultSync  = time.Second
	defaultClose = 10 * time.Minute
	defaultQueue = 16 << 20

	secretSize = 32
)

// Ledger is the ledger of one running host. It is safe for concurrent use.
type Ledger struct {
	options Options
	dir     string
	name    string
	lock    *os.File
	keys    cipher.Block // of receipts, and of hashes of inputs

	place  atomic.Uint64 // of the next record, see place
	shards []shard       // in which records wait for the writer
	near   sync.Pool     // of indexes of shards, which are kept for each processor
	names  names

	mu      sync.Mutex
	failure error // why nothing can be written now; nil if it can

	wake    chan struct{}
	ending  chan struct{}
	stopped chan struct{}

	unstamped chan closed
	unstamp   context.CancelFunc // ends the stamping
	stamped   chan struct{}      // it has ended

	writer writer
	proofs proofs
}

// place is where a record stands: places are given in their order.
type place uint64

const leafBits = 32

func placeOf(segment, leaf uint64) place { return place(segment<<leafBits | leaf) }

func (p place) segment() uint64 { return uint64(p) >> leafBits }
func (p place) leaf() uint64    { return uint64(p) & (1<<leafBits - 1) }

// Stats are figures since the host began.
type Stats struct {
	Records uint64 // taken
	Lost    uint64
	LastAt  time.Time // when the last one was lost
	Failure error     // why nothing can be written now; nil if it can
}

// ErrInUse means that another host writes to the directory.
var ErrInUse = errors.New("another host keeps its ledger there: give each host a directory of its own")

// Open opens the ledger of a directory, which is made if it is not there. A segment that a host
// left open because it was killed is closed with the records that it has.
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
		return nil, fmt.Errorf("a secret of %d bytes, and not of %d", len(l.options.Secret), secretSize)
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
	if err := l.begin(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.unstamp = cancel
	go l.write()
	go l.stamp(ctx)
	return l, nil
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
		if !isStamped(l.dir, last.Segment) {
			l.toStamp(closed{last.Segment, h.Previous})
		}
	}
	if h.Killed {
		l.options.Log.Warn("the host before was killed; what its ledger had not written yet is lost", "segment", last.Name(), "records", last.Records)
	}
	l.name = h.Ledger
	l.place.Store(uint64(placeOf(h.Segment, 0)))
	l.shards = make([]shard, shardsEach*runtime.GOMAXPROCS(0))
	for i := range l.shards {
		l.shards[i].names = &l.names
	}
	var spread atomic.Uint64
	l.near.New = func() any {
		near := int(spread.Add(1) % uint64(len(l.shards)))
		return &near
	}
	l.writer = writer{ledger: l, header: h, number: h.Segment, taken: make([][]byte, len(l.shards)), rest: make([][]byte, len(l.shards))}
	return l.writer.open()
}

// putKey makes the key that belongs to one leaf, and tells nothing of others.
func (l *Ledger) putKey(p place, key *record.Key) {
	binary.BigEndian.PutUint64(key[:], p.segment())
	binary.BigEndian.PutUint64(key[8:], p.leaf())
	l.keys.Encrypt(key[:], key[:])
}

// known reports whether the receipt is one of this ledger's.
func (l *Ledger) known(r record.Receipt) bool {
	if r.Segment >= 1<<(64-leafBits) || r.Leaf >= 1<<leafBits {
		return false
	}
	var key record.Key
	l.putKey(placeOf(r.Segment, r.Leaf), &key)
	return r.Ledger == l.name && subtle.ConstantTimeCompare(key[:], r.Key[:]) == 1
}

// Stats returns the figures of now.
func (l *Ledger) Stats() (s Stats) {
	for i := range l.shards {
		l.shards[i].count(&s)
	}
	s.Failure = l.failed()
	return s
}

// failed returns why nothing can be written now.
func (l *Ledger) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failure
}

// Close writes what was taken, closes the segment and the ledger. There must be no calls of
// Record any more. The error says that records were lost.
func (l *Ledger) Close() error {
	close(l.ending)
	<-l.stopped
	close(l.unstamped)
	hurry := time.AfterFunc(lastStamp, l.unstamp)
	<-l.stamped
	hurry.Stop()
	l.unstamp()
	return errors.Join(l.failed(), l.lock.Close())
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
	case s.Size == 0: // not even its first block was written, and so no record; or it has another format
		if errors.Is(s.Problem, errDamaged) {
			if err := keepDamaged(path); err != nil {
				return nil, err
			}
		}
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

// keepDamaged copies a file of which the part behind a damaged block will be cut off. Mostly that
// is what a machine had not written yet when it stopped, but nobody knows.
func keepDamaged(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path+".damaged", data, 0o600)
}
