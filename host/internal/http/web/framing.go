package web

import (
	"context"
	"net/http"
	"sync/atomic"
)

type ambiguousKey struct{}

// WithAmbiguous returns the context of a connection. Ambiguous becomes true when a request on it has both a
// length and chunks.
func WithAmbiguous(ctx context.Context, ambiguous *atomic.Bool) context.Context {
	return context.WithValue(ctx, ambiguousKey{}, ambiguous)
}

// Ambiguous reports whether a request on the connection of r had both a length and chunks. It is false on
// connections without [WithAmbiguous].
func Ambiguous(r *http.Request) bool {
	ambiguous, ok := r.Context().Value(ambiguousKey{}).(*atomic.Bool)
	return ok && ambiguous.Load()
}
