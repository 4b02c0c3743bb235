package registry

// SetFault lets f decide before every step of writing whether it fails.
func (r *Registry) SetFault(f func(step string) error) { r.fault = f }
