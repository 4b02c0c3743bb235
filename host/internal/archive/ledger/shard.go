package ledger

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/record"
)

// shardsEach is the number of shards for each processor.
const shardsEach = 4

// A shard is a buffer in which records wait for the writer. There are several shards, so that a
// request does not wait for another request, which the machine may have just suspended.
//
// A place is assigned while a shard is locked. So a goroutine that has locked all shards finds the
// records of all assigned places in them, in increasing order within each shard.
type shard struct {
	mu      sync.Mutex
	data    []byte // entries as from appendEntry
	records uint64

	// Numbers of the releases that records in the shard name, for the segment of the last record.
	segment uint64
	release *record.Release // that was named last
	number  uint64          // number of that release
	numbers map[*record.Release]uint64
	names   *names

	key  record.Key // a field, so that it is not allocated for each record
	hash []byte     // as key

	lost   record.Record // number and times of the losses that are not recorded yet
	total  uint64        // lost since the start of the server
	lastAt time.Time
	_      [64]byte // padding: other processors write to other shards
}

// An entry is the place of a record, the size of the encoded record, and the encoded record.
const entryHead = 8 + 4

// Record accepts a record, and returns its receipt. It does not wait. If too many records wait for
// the disk, the record is lost, and Record returns the zero Receipt. Losses are counted and
// recorded.
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

// hasCapacity reports whether a shard accepts more records. The writer has the other half of the
// queue.
func (l *Ledger) hasCapacity(s *shard) bool { return len(s.data) <= l.options.Queue/2/len(l.shards) }

// lockShard locks a shard. It prefers an unlocked shard with capacity, and first tries the shard
// that the processor used last, because its memory is in the cache.
func (l *Ledger) lockShard() *shard {
	index := l.preferred.Get().(*int)
	defer l.preferred.Put(index)
	for i := range l.shards {
		s := &l.shards[(*index+i)%len(l.shards)]
		if !s.mu.TryLock() {
			continue
		}
		if l.hasCapacity(s) {
			return s
		}
		s.mu.Unlock()
	}
	s := &l.shards[*index]
	s.mu.Lock()
	return s
}

// Number implements [record.Numbers] for the segment of the shard.
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

// enter resets the numbers if the segment has changed.
func (s *shard) enter(segment uint64) {
	if segment != s.segment {
		s.segment, s.numbers, s.release = segment, map[*record.Release]uint64{}, nil
	}
}

// lose counts a lost record.
func (s *shard) lose(created, now time.Time) {
	s.lost.Count++
	if s.lost.Count == 1 {
		s.lost.Since = created
	}
	s.lost.Time, s.lastAt = created, now
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

// add assigns a place to a record, and adds it to a locked shard.
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

// nextPlace returns the place of the next record. If a segment is full, the place is in the next
// segment. So the place of each record is known before the record is written.
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

// firstPlace returns the place of the first entry.
func firstPlace(b []byte) place { return place(binary.LittleEndian.Uint64(b)) }

// cutEntry returns the record of the first entry, and the remaining entries.
func cutEntry(b []byte) (leaf, rest []byte) {
	end := entryHead + int(binary.LittleEndian.Uint32(b[8:]))
	return b[entryHead:end], b[end:]
}

// take returns the records accepted since the last call, for each shard in order, and the place
// after them. It also returns the releases that these records name for the first time. It
// overwrites the memory in the parameter.
func (l *Ledger) take(into [][]byte) (end place, fresh []named) {
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
	end = place(l.place.Load())
	fresh = l.names.take(end.segment())
	for i := range l.shards {
		l.shards[i].mu.Unlock()
	}
	return end, fresh
}

// take returns the entries of the shard, and adds its losses to lost. The shard uses the memory for
// its next entries.
func (s *shard) take(memory []byte, lost *record.Record) []byte {
	if cap(memory) > shardsEach*chunkSize { // grown while the disk was slow
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
