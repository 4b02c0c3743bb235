package ledger

import (
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/record"
)

// shardsEach is the number of shards for each processor.
const shardsEach = 4

// A shard is memory in which records wait for the writer. There are several, so that nobody who
// answers waits for another one, whom the machine may just have stopped in the middle.
//
// A place is given while a shard is locked. So who has locked all shards finds all records in them
// whose places were given, and each shard has its records in their order.
type shard struct {
	mu      sync.Mutex
	data    []byte // entries, see appendEntry
	records uint64
	lost    record.Record // count and times of those that were not told yet
	total   uint64        // lost since the host began
	lastAt  time.Time

	segment uint64                   // of the record that was added last
	release *record.Release          // of it
	named   map[*record.Release]bool // releases of the records in the segment
	fresh   []named                  // of them, those that the writer does not know

	scratch [16]byte // for keys, so that they need no memory
	hash    [32]byte // likewise
	_       [64]byte // other shards are changed by other processors
}

// An entry is the place of a record, the size of what follows, and the record with a zero in front
// of it, which is what the hash of a leaf is made of (RFC 6962).
const (
	entryHead  = 8 + 4
	leafPrefix = 0
)

// Record takes a record and returns where it will stand. It does not wait: if too many wait for
// the disk already, the record is lost, which is counted and recorded, and the zero Receipt is
// returned.
func (l *Ledger) Record(r record.Record) record.Receipt {
	s := l.lockShard()
	if len(s.data) > l.options.Queue/2/len(l.shards) { // the other half is with the writer
		s.lose(r.Time, l.options.Now())
		s.mu.Unlock()
		return record.Receipt{}
	}
	s.records++
	receipt, waiting := l.add(s, &r), len(s.data)
	s.mu.Unlock()
	if waiting >= chunkSize/len(l.shards) {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
	return receipt
}

// lockShard locks one that nobody else has locked, if there is one.
func (l *Ledger) lockShard() *shard {
	first := rand.IntN(len(l.shards))
	for i := range l.shards {
		if s := &l.shards[(first+i)%len(l.shards)]; s.mu.TryLock() {
			return s
		}
	}
	s := &l.shards[first]
	s.mu.Lock()
	return s
}

// named is a release, and a segment with a record that names it.
type named struct {
	segment uint64
	release *record.Release
}

// name makes the writer know a release before it gets a record that names it.
func (s *shard) name(segment uint64, r *record.Release) {
	if segment == s.segment && r == s.release {
		return
	}
	if segment != s.segment {
		s.named = map[*record.Release]bool{}
	}
	s.segment, s.release = segment, r
	if !s.named[r] {
		s.named[r] = true
		s.fresh = append(s.fresh, named{segment, r})
	}
}

// lose counts a record that finds no room.
func (s *shard) lose(made, now time.Time) {
	if s.lost.Count++; s.lost.Count == 1 {
		s.lost.Since = made
	}
	s.lost.Time, s.lastAt = made, now
	s.total++
}

func (s *shard) count(sum *Stats) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum.Records += s.records
	sum.Lost += s.total
	if s.lastAt.After(sum.LastAt) {
		sum.LastAt = s.lastAt
	}
}

// add gives a record its place, and adds it to a shard that is locked.
func (l *Ledger) add(s *shard, r *record.Record) record.Receipt {
	p := l.nextPlace()
	if r.Kind == record.Answer && l.options.Inputs != Whole {
		putKey(l.salts, p, s.scratch[:])
		r.Hash = record.HashInputs(s.hash[:0], s.scratch[:], r.Inputs)
	}
	if r.Kind == record.Answer {
		s.name(p.segment(), r.Release)
	}
	for _, release := range r.Releases { // of a batch
		s.name(p.segment(), release)
	}
	s.data = appendEntry(s.data, p, r)
	putKey(l.keys, p, s.scratch[:])
	return record.Receipt{Ledger: l.name, Segment: p.segment(), Leaf: p.leaf(), Key: s.scratch}
}

// nextPlace returns the place of one more record. A full segment ends, so that every record knows
// its place before it is written.
func (l *Ledger) nextPlace() place {
	for {
		now := l.place.Load()
		p := place(now)
		if p.leaf() >= l.options.segment {
			p = placeOf(p.segment()+1, 0)
		}
		if l.place.CompareAndSwap(now, uint64(p)+1) {
			return p
		}
	}
}

func appendEntry(b []byte, p place, r *record.Record) []byte {
	from := len(b)
	b = binary.LittleEndian.AppendUint64(b, uint64(p))
	b = append(b, 0, 0, 0, 0, leafPrefix)
	b = r.Append(b)
	binary.LittleEndian.PutUint32(b[from+8:], uint32(len(b)-from-entryHead))
	return b
}

// firstPlace returns the place of the first of entries.
func firstPlace(b []byte) place { return place(binary.LittleEndian.Uint64(b)) }

// cutEntry returns the first of entries, from the zero in front of its record on, and the others.
func cutEntry(b []byte) (leaf, rest []byte) {
	end := entryHead + int(binary.LittleEndian.Uint32(b[8:]))
	return b[entryHead:end], b[end:]
}

// take returns all records that were taken since the last time, those of each shard in their
// order, the place behind them, and releases that they name and earlier ones did not. What is in the memory that it gets may be overwritten.
func (l *Ledger) take(into [][]byte) (behind place, fresh []named) {
	for i := range l.shards {
		l.shards[i].mu.Lock()
	}
	var lost record.Record
	for i := range l.shards {
		s := &l.shards[i]
		into[i] = s.take(into[i], &lost)
		fresh, s.fresh = append(fresh, s.fresh...), s.fresh[:0]
	}
	if lost.Count > 0 {
		lost.Kind = record.Lost
		into[0] = appendEntry(into[0], l.nextPlace(), &lost)
	}
	behind = place(l.place.Load())
	for i := range l.shards {
		l.shards[i].mu.Unlock()
	}
	return behind, fresh
}

// take returns the entries of the shard, which uses the memory for others, and adds to those that
// were lost.
func (s *shard) take(memory []byte, lost *record.Record) []byte {
	if cap(memory) > chunkSize { // a disk was slow
		memory = nil
	}
	taken := s.data
	s.data = memory[:0]
	if s.lost.Count > 0 {
		if lost.Count == 0 || s.lost.Since.Before(lost.Since) {
			lost.Since = s.lost.Since
		}
		if s.lost.Time.After(lost.Time) {
			lost.Time = s.lost.Time
		}
		lost.Count += s.lost.Count
		s.lost = record.Record{}
	}
	return taken
}
