package source

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/registry"
)

// ChangeError reports a capability that was found but could not be changed.
type ChangeError struct{ Err error }

func (e *ChangeError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ChangeError) Unwrap() error { return e.Err }

// Change calls f to change the capability with this capability id or tool id, and pushes the change.
// The error is a [*problem.Problem] if the id is unknown, and a [*ChangeError] if the change fails.
func (s *Store) Change(ctx context.Context, id string, f func(reg *registry.Registry, capability string) error) error {
	entry, err := s.Find(ctx, id)
	if err != nil {
		return problem.Of(err)
	}
	err = f(s.Registry, entry.ID)
	if err == nil {
		err = s.Push(ctx, entry.ID)
	}
	if err != nil {
		return &ChangeError{err}
	}
	return nil
}
