package registry

import (
	"context"
	"time"

	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/store"
)

// SetFault lets f decide before every step of writing whether it fails.
func (r *Registry) SetFault(f func(step string) error) {
	files, err := store.Open(r.store.Dir(), &store.Options{Before: f})
	if err != nil {
		panic(err)
	}
	r.store = files
}

// SetClock lets now tell the time.
func (r *Registry) SetClock(now func() time.Time) {
	files, err := store.Open(r.store.Dir(), &store.Options{Now: now})
	if err != nil {
		panic(err)
	}
	r.store = files
}

// AttachWhatever attaches a review as another program could, without a look at it.
func (r *Registry) AttachWhatever(ctx context.Context, capability, version string, review evidence.Review) error {
	_, err := r.attach(ctx, capability, version, sign.Review, store.Marshal(review), func(*Release) error { return nil })
	return err
}

// Hang lets the reading of the capabilities for which it returns a channel hang until
// that is closed.
func (f *Follower) Hang(gate func(id string) <-chan struct{}) {
	read := f.read
	f.read = func(ctx context.Context, id string, was followed) reading {
		if g := gate(id); g != nil {
			<-g
		}
		return read(ctx, id, was)
	}
}
