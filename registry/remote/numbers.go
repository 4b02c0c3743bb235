package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// numbers returns the sequence numbers of the signed statements that the draft adds to the
// history of the capability. It fails if another publisher has used one of them since the
// draft was made.
func (p *push) numbers(ctx context.Context, isNew bool) ([]uint64, error) {
	local, err := p.local.Numbers(ctx, p.id)
	if err != nil {
		return nil, err
	}
	ours, err := p.added(ctx, local)
	if err != nil || len(ours) == 0 || isNew {
		return ours, err
	}
	damage, err := p.remote.take(ctx, p.id) // statements by others since the draft was made
	err = errors.Join(damage, err)
	if err != nil {
		return nil, err
	}
	theirs, err := p.remote.mirror.Numbers(ctx, p.id)
	if err != nil {
		return nil, err
	}
	for n := range theirs {
		if n >= ours[0] && slices.ContainsFunc(theirs[n], func(d string) bool { return !slices.Contains(local[n], d) }) {
			return nil, fmt.Errorf("another publisher has signed statement %d of its history since: look at it, and try again", n)
		}
	}
	return ours, nil
}

// added returns the numbers in the draft that the mirror lacks, sorted.
func (p *push) added(ctx context.Context, local map[uint64][]string) (ours []uint64, err error) {
	known, err := p.remote.mirror.Numbers(ctx, p.id)
	if err != nil {
		return nil, err
	}
	for _, n := range slices.Sorted(maps.Keys(local)) {
		if slices.ContainsFunc(local[n], func(d string) bool { return !slices.Contains(known[n], d) }) {
			ours = append(ours, n)
		}
	}
	return ours, nil
}

// alone returns an error if another publisher used one of the numbers at the same instant. The
// mirror has just been updated.
func (p *push) alone(ctx context.Context, ours []uint64) error {
	if len(ours) == 0 {
		return nil
	}
	all, err := p.remote.mirror.Numbers(ctx, p.id)
	if err != nil {
		return err
	}
	for _, n := range ours {
		if len(all[n]) > 1 {
			return fmt.Errorf("it was pushed, but another publisher has used the sequence number %d at the same time: look at the published versions, and try again", n)
		}
	}
	return nil
}
