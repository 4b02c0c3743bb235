package ledger

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/record"
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

	// The numbers of releases that records in the shard name, in the segment of the last one.
	segment uint64
	release *record.Release // that was named last
	number  uint64          // of it
	numbers map[*record.Release]uint64
	names   *names

	key  record.Key // so that it needs no memory
	hash []byte     // likewise

	lost   record.Record // count and times of those that were not told yet
	total  uint64        // lost since the host began
	lastAt time.Time
	_      [64]byte // other shards are changed by other processors
}

// An entry is the place of a record, the size of what follows, and the record.
const entryHead = 8 + 4

// Record takes a record and returns where it will stand. It does not wait: if too many wait for
// the disk already, the record is lost, which is counted and recorded, and the zero Receipt is
// returned.
func (l *Ledger) Record(r record.Record) record.Receipt {
	s := l.lockShard()
	if !l.hasCapacity(s) {
		s.lose(r.Time, l.options.Now())
		s.mu.Unlock()
		return record.Receipt{}
	}
	s.records++
	receipt, waiting := l.add(s, &r), len(s.data)
	s.mu.Unlock()
	if waiting >= chunkSize/(len(l.shards)/shardsEach) {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
	return receipt
}

// hasCapacity reports whether a shard takes further records. The other half of the queue is with the writer.
func (l *Ledger) hasCapacity(s *shard) bool { return len(s.data) <= l.options.Queue/2/len(l.shards) }

// lockShard locks one that nobody else has locked and that has room, if there is one: rather that
// which the processor had before, because its memory is near.
func (l *Ledger) lockShard() *shard {
	near := l.near.Get().(*int)
	defer l.near.Put(near)
	for i := range l.shards {
		s := &l.shards[(*near+i)%len(l.shards)]
		if !s.mu.TryLock() {
			continue
		}
		if l.hasCapacity(s) {
			return s
		}
		s.mu.Unlock()
	}
	s := &l.shards[*near]
	s.mu.Lock()
	return s
}

// Number implements [record.Numbers] in the segment of the shard.
func (s *shard) Number(r *record.Release) uint64 {
	if r == s.release {
		return s.number
	}
	number, known := s.numbers[r]
	if !known {
		number = s.names.number(s.segment, r)
		s.numbers[r] = number
	}
	s.release, s.number = r, number
	return number
}

// enter makes the numbers those of the segment.
func (s *shard) enter(segment uint64) {
	if segment != s.segment {
		s.segment, s.numbers, s.release = segment, map[*record.Release]uint64{}, nil
	}
}

// lose counts a record that finds no room.
func (s *shard) lose(made, now time.Time) {
	s.lost.Count++
	if s.lost.Count == 1 {
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
	s.enter(p.segment())
	l.putKey(p, &s.key)
	if r.Kind == record.Answer && l.options.Inputs != Whole {
		s.hash = record.HashInputs(s.hash[:0], &s.key, r.Inputs)
		r.Hash = s.hash
	}
	s.data = appendEntry(s.data, p, r, s)
	return record.Receipt{Ledger: l.name, Segment: p.segment(), Leaf: p.leaf(), Key: s.key}
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

func appendEntry(b []byte, p place, r *record.Record, numbers record.Numbers) []byte {
	from := len(b)
	b = binary.LittleEndian.AppendUint64(b, uint64(p))
	b = append(b, 0, 0, 0, 0)
	b = r.Append(b, numbers)
	binary.LittleEndian.PutUint32(b[from+8:], uint32(len(b)-from-entryHead))
	return b
}

// firstPlace returns the place of the first of entries.
func firstPlace(b []byte) place { return place(binary.LittleEndian.Uint64(b)) }

// cutEntry returns the record of the first of entries, and the others.
func cutEntry(b []byte) (leaf, rest []byte) {
	end := entryHead + int(binary.LittleEndian.Uint32(b[8:]))
	return b[entryHead:end], b[end:]
}

// take returns all records that were taken since the last time, those of each shard in their
// order, the place behind them, and releases that they name and earlier ones did not. What is in the
// memory that it gets may be overwritten.
func (l *Ledger) take(into [][]byte) (behind place, fresh []named) {
	for i := range l.shards {
		l.shards[i].mu.Lock()
	}
	var lost record.Record
	for i := range l.shards {
		s := &l.shards[i]
		into[i] = s.take(into[i], &lost)
	}
	if lost.Count > 0 {
		lost.Kind = record.Lost
		into[0] = appendEntry(into[0], l.nextPlace(), &lost, nil)
	}
	behind = place(l.place.Load())
	fresh = l.names.take(behind.segment())
	for i := range l.shards {
		l.shards[i].mu.Unlock()
	}
	return behind, fresh
}

// take returns the entries of the shard, which uses the memory for others, and adds to those that
// were lost.
func (s *shard) take(memory []byte, lost *record.Record) []byte {
	if cap(memory) > shardsEach*chunkSize { // a disk was slow
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
