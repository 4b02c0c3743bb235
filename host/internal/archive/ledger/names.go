package ledger

import (
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc/record"
)

// names assigns numbers to releases. In each segment, the numbers follow the order in which records
// first name the releases. The zero value is usable.
type names struct {
	mu      sync.Mutex
	numbers map[uint64]map[record.ReleaseID]uint64 // by segment
	fresh   []named                                // not known to the writer yet
}

// named is a release that has a number in a segment.
type named struct {
	segment uint64
	release *record.Release
}

// number returns the number of a release in a segment.
func (n *names) number(segment uint64, r *record.Release) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	numbers := n.numbers[segment]
	if numbers == nil {
		numbers = map[record.ReleaseID]uint64{}
		if n.numbers == nil {
			n.numbers = map[uint64]map[record.ReleaseID]uint64{}
		}
		n.numbers[segment] = numbers
	}
	number, known := numbers[r.ID()]
	if !known {
		number = uint64(len(numbers))
		numbers[r.ID()] = number
		n.fresh = append(n.fresh, named{segment, r})
	}
	return number
}

// take returns the releases that got a number since the last call. Segments before the given one
// must not get further numbers.
func (n *names) take(segment uint64) (fresh []named) {
	n.mu.Lock()
	defer n.mu.Unlock()
	fresh, n.fresh = n.fresh, nil
	for over := range n.numbers {
		if over < segment {
			delete(n.numbers, over)
		}
	}
	return fresh
}
