package source_test

import (
	"errors"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
)

// Change returns an error if no capability with the id is published.
func TestChangeUnpublished(t *testing.T) {
	s, err := (&source.Place{Registry: t.TempDir()}).Existing(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Change(t.Context(), "ohms-law", func(*registry.Registry, string) error {
		t.Error("an unpublished capability was changed")
		return nil
	})
	if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Code != problem.CodeEngineNotFound {
		t.Errorf("%v", err)
	}
}
