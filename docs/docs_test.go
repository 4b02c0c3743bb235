package docs_test

import (
	"testing"

	"github.com/slipstick/slipstick/docs"
)

func TestSlug(t *testing.T) {
	for heading, want := range map[string]string{
		"As one file": "as-one-file", "What `check` does": "what-check-does", "GET /api/v1/calc/{id}": "get-apiv1calcid", "Größe & Maß": "größe--maß",
		"snake_case": "snake_case", "A, b; c": "a-b-c",
	} {
		if got := docs.Slug(heading); got != want {
			t.Errorf("Slug(%q) = %q, want %q", heading, got, want)
		}
	}
}
