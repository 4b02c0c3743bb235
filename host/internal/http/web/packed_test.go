package web

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc"
)

// A kept body is compressed once for all requests.
func TestCompressedIsKept(t *testing.T) {
	var one, other packed
	kept := &calc.Body{Text: []byte(strings.Repeat("0123456789", 400))}
	first, chunked := one.compressed(kept.Text, kept)
	want := string(first)
	again, sameForm := other.compressed(kept.Text, kept)
	if &again[0] != &first[0] || sameForm != chunked {
		t.Error("the body was compressed again")
	}
	got, _ := other.compressed(kept.Text, nil)
	if string(got) != want {
		t.Errorf("a body that is not kept has %d bytes, want %d", len(got), len(want))
	}
	_, _ = one.compressed([]byte(strings.Repeat("9876543210", 400)), nil)
	if string(kept.Compressed.Load().Text) != want {
		t.Error("another body changed the kept one")
	}
}
