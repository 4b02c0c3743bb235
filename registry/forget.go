package registry

import (
	"context"
	"fmt"

	"github.com/slipstick/slipstick/sdk"
)

// Drop removes a capability from a mirror, for all readers at once. Use it for a capability
// that should never have been published, and that the mirrored registry no longer has.
func (r *Registry) Drop(ctx context.Context, capability string) error {
	if !sdk.IsCapability(capability) {
		return fmt.Errorf("drop %.200q: that is not a capability id", capability)
	}
	w, err := r.store.LockOne(ctx, capability)
	if err == nil {
		defer w.Close()
		err = w.Drop(capability)
	}
	if err != nil {
		return fmt.Errorf("drop %s: %w", capability, err)
	}
	return nil
}

// Forget removes a version from the memory, so that its absence is not damage. It does not
// remove a revoked version. The error means that the file could not be written.
func (m *Memory) Forget(capability, version string) error {
	all := m.seen[capability]
	if all == nil {
		return nil
	}
	was, known := all.Versions[version]
	if !known || was.Revoked != "" {
		return nil
	}
	delete(all.Versions, version)
	delete(m.checked, capability)
	all.text = nil
	if len(all.Versions) == 0 {
		delete(m.seen, capability)
	}
	m.unsaved = true
	return m.save()
}
