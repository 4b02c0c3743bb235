package source

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/registry"
)

// ChangeError says that a capability was found, and could not be changed as was wanted.
type ChangeError struct{ Err error }

func (e *ChangeError) Error() string { return e.Err.Error() }

// Unwrap returns why.
func (e *ChangeError) Unwrap() error { return e.Err }

// Change lets f change the capability with the capability id or tool id, and makes
// effective what it changed. An id that nothing has is a [*calc.Problem], any other failure
// of the change a [*ChangeError].
func (s *Store) Change(ctx context.Context, id string, f func(reg *registry.Registry, capability string) error) error {
	entry, err := s.Find(ctx, id)
	if err != nil {
		return calc.ProblemOf(err)
	}
	if err = f(s.Registry, entry.ID); err == nil {
		err = s.Push(ctx, entry.ID)
	}
	if err != nil {
		return &ChangeError{err}
	}
	return nil
}
