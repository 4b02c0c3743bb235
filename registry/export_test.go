package registry

import (
	"context"
	"time"

	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/internal/faulty"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/store"
)

// SetFault calls f before every step of writing. The step fails with the error of f.
func (r *Registry) SetFault(f func(step string) error) {
	var o store.Options
	if f != nil {
		o.Disk = faulty.Disk(f)
	}
	files, err := store.Open(r.store.Dir(), &o)
	if err != nil {
		panic(err)
	}
	r.store = files
}

// SetClock sets the clock of the registry.
func (r *Registry) SetClock(now func() time.Time) {
	files, err := store.Open(r.store.Dir(), &store.Options{Now: now})
	if err != nil {
		panic(err)
	}
	r.store = files
}

// AttachWhatever attaches a review without checks, as another program could.
func (r *Registry) AttachWhatever(ctx context.Context, capability, version string, review evidence.Review) error {
	_, err := r.attach(ctx, capability, version, sign.Review, store.Marshal(review), func(*Release) error { return nil })
	return err
}

// Hang blocks the reading of the capabilities for which gate returns a channel, until that
// channel is closed.
func (f *Follower) Hang(gate func(id string) <-chan struct{}) {
	read := f.read
	f.read = func(ctx context.Context, id string, was followed) reading {
		if g := gate(id); g != nil {
			<-g
		}
		return read(ctx, id, was)
	}
}
