package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc"
)

// Compressed bodies expand to the same bytes, with or without the ending of a release, and are small.
func TestPackedBodies(t *testing.T) {
	ending := calc.Ending{Text: []byte(strings.Repeat(`"assumptions":["the beam is straight"],`, 60)), Deflated: new(atomic.Pointer[[]byte])}
	for _, tt := range []struct {
		name, start string
		most        int // bytes that it can have
		method      byte
	}{
		{"without an ending", strings.Repeat("0123456789", 400), 100, 1},
		{"only an ending", "", 150, 0},
		{"a short start", strings.Repeat("7319", 200), 950, 0},
		{"a start that is too long for two packets", strings.Repeat("7319", 2000), 2500, 2},
		{"a start longer than a stored block", strings.Repeat("7319", 20_000), 24_000, 2},
	} {
		body, e := []byte(tt.start+string(ending.Text)+"\n"), ending
		if tt.method == 1 {
			body, e = []byte(tt.start+"\n"), calc.Ending{}
		}
		packed := appendGzip([]byte("before"), body, e)[len("before"):]
		if len(packed) > tt.most {
			t.Errorf("%s: %d bytes, want at most %d", tt.name, len(packed), tt.most)
		}
		if got := packed[len(gzipHead)] >> 1 & 3; tt.method != 1 && got != tt.method {
			t.Errorf("%s: the first block has type %d, want %d", tt.name, got, tt.method)
		}
		if got := expanded(t, packed); got != string(body) {
			t.Errorf("%s: %d bytes became %d", tt.name, len(body), len(got))
		}
	}
	other := []byte(strings.Repeat("another ending", 500) + "\n")
	if got := expanded(t, appendGzip(nil, other, ending)); got != string(other) {
		t.Error("a body without the ending expands to something else")
	}
}

// A kept body is compressed once for all requests, and an ending once for all bodies.
func TestCompressedIsKept(t *testing.T) {
	kept := &calc.Body{Text: []byte(strings.Repeat("0123456789", 400) + "\n")}
	first := appendPacked(nil, kept.Text, kept, calc.Ending{})
	known := kept.Compressed.Load()
	if again := appendPacked(nil, kept.Text, kept, calc.Ending{}); !bytes.Equal(again, first) || kept.Compressed.Load() != known {
		t.Error("the body was compressed again")
	}
	if got := appendPacked(nil, kept.Text, nil, calc.Ending{}); !bytes.Equal(got, first) {
		t.Errorf("a body that is not kept has %d bytes, want %d", len(got), len(first))
	}
	ending := calc.Ending{Text: kept.Text[10 : len(kept.Text)-1], Deflated: new(atomic.Pointer[[]byte])}
	_ = appendPacked(nil, kept.Text, nil, ending)
	made := ending.Deflated.Load()
	_ = appendPacked(nil, kept.Text, nil, ending)
	if ending.Deflated.Load() != made {
		t.Error("the ending was compressed again")
	}
}

func expanded(t *testing.T, packed []byte) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(z) // checks the length and the CRC
	if err != nil {
		t.Error(err)
	}
	return string(body)
}
