package ledger

import (
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc/record"
)

// names gives releases their numbers, those of each segment in the order in which records name
// them first. The zero value is ready.
type names struct {
	mu      sync.Mutex
	numbers map[uint64]map[record.ReleaseID]uint64 // by segment
	fresh   []named                                // that the writer does not know
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

// take returns those that have got their numbers since the last time. Segments before the one that is
// given get no further ones.
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
