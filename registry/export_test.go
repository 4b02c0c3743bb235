package registry

import "context"

// SetFault lets f decide before every step of writing whether it fails.
func (r *Registry) SetFault(f func(step string) error) { r.fault = f }

// Hang lets the reading of the capabilities for which it returns a channel hang until
// that is closed.
func (f *Follower) Hang(gate func(id string) <-chan struct{}) {
	read := f.read
	f.read = func(ctx context.Context, id string, was *followed) reading {
		if g := gate(id); g != nil {
			<-g
		}
		return read(ctx, id, was)
	}
}
