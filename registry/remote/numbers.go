package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// numbers returns the sequence numbers of what the draft adds to the signed statements
// about the life of the capability. None of them may have been used there meanwhile.
func (p *push) numbers(ctx context.Context, isNew bool) ([]uint64, error) {
	local, err := p.local.Numbers(ctx, p.id)
	if err != nil {
		return nil, err
	}
	ours, err := p.added(ctx, local)
	if err != nil || len(ours) == 0 || isNew {
		return ours, err
	}
	damage, err := p.remote.take(ctx, p.id) // what others have said since the draft was made
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
			return nil, fmt.Errorf("somebody else has signed the statement %d of its life there meanwhile: look at it, and try again", n)
		}
	}
	return ours, nil
}

// added returns the numbers that the draft has and the mirror has not, sorted.
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

// alone returns an error if somebody else used one of the numbers at the same instant. The
// mirror has just been brought up to date.
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
			return fmt.Errorf("it was pushed, but somebody else has signed another statement with the sequence number %d at the same time: look at what is published now, and do it again", n)
		}
	}
	return nil
}
