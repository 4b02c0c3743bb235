package remote

// At returns the same mirror with the registry at another address, as if that one had
// been put in place of the first.
func (r *Registry) At(address string) (*Registry, error) {
	other, err := Open(address, r.dir+"-unused", nil)
	if err != nil {
		return nil, err
	}
	other.dir, other.mirror = r.dir, r.mirror
	return other, nil
}
