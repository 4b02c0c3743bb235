package words_test

import (
	"slices"
	"testing"

	"github.com/slipstick/slipstick/host/tools/words"
)

func finding(path, body string) words.Finding {
	return words.Finding{Sentence: words.Sentence{Path: path, Body: body}, Rule: "Stand"}
}

func total(r words.Ratchet) (sum int) {
	for _, n := range r.Totals() {
		sum += n
	}
	return sum
}

// The ratchet follows sentences to other files and modules, and does not accept new ones.
func TestRatchet(t *testing.T) {
	modules := []string{"host", "sdk"}
	known := words.Ratchet{}
	for _, f := range []words.Finding{finding("host/a.go", "One stands."), finding("host/a.go", "Two stand."), finding("README.md", "Three stand in docs/a/b.md.")} {
		known[f.Entry(modules)]++
	}
	if again, err := words.ParseRatchet(known.String()); err != nil || again.String() != known.String() {
		t.Errorf("read again: %v, %v", again, err)
	}
	for name, tt := range map[string]struct {
		found       []words.Finding
		fresh, gone int
	}{
		"the same":                 {[]words.Finding{finding("host/a.go", "One stands."), finding("host/a.go", "Two stand."), finding("README.md", "Three stand in docs/a/b.md.")}, 0, 0},
		"a rename":                 {[]words.Finding{finding("host/b.go", "One stands."), finding("host/b.go", "Two stand."), finding("docs/c.md", "Three stand in docs/a/b.md.")}, 0, 0},
		"a split":                  {[]words.Finding{finding("host/b.go", "One stands."), finding("host/c/c.go", "Two stand."), finding("README.md", "Three stand in docs/a/b.md.")}, 0, 0},
		"a path":                   {[]words.Finding{finding("host/a.go", "One stands."), finding("host/a.go", "Two stand."), finding("README.md", "Three stand in ../b.md.")}, 0, 0},
		"another path":             {[]words.Finding{finding("host/a.go", "One stands."), finding("host/a.go", "Two stand."), finding("README.md", "Three stand in docs/a/c.md.")}, 1, 1},
		"mended":                   {[]words.Finding{finding("host/a.go", "One stands."), finding("README.md", "Three stand in docs/a/b.md.")}, 0, 1},
		"changed":                  {[]words.Finding{finding("host/a.go", "One stands now."), finding("host/a.go", "Two stand."), finding("README.md", "Three stand in docs/a/b.md.")}, 1, 1},
		"a copy":                   {[]words.Finding{finding("host/a.go", "One stands."), finding("host/b.go", "One stands."), finding("host/a.go", "Two stand."), finding("README.md", "Three stand in docs/a/b.md.")}, 1, 0},
		"another module":           {[]words.Finding{finding("sdk/a.go", "One stands."), finding("host/a.go", "Two stand."), finding("README.md", "Three stand in docs/a/b.md.")}, 0, 0},
		"a copy in another module": {[]words.Finding{finding("sdk/a.go", "One stands."), finding("host/a.go", "One stands."), finding("host/a.go", "Two stand."), finding("README.md", "Three stand in docs/a/b.md.")}, 1, 0},
		"two of one moved":         {[]words.Finding{finding("sdk/a.go", "One stands."), finding("sdk/b.go", "One stands."), finding("host/a.go", "Two stand."), finding("README.md", "Three stand in docs/a/b.md.")}, 1, 0},
	} {
		fresh, kept := known.Compare(tt.found, modules)
		gone := total(known) - total(kept)
		if len(fresh) != tt.fresh || gone != tt.gone {
			t.Errorf("%s: %d new and %d gone, want %d and %d", name, len(fresh), gone, tt.fresh, tt.gone)
		}
		if len(kept.Risen(known)) > 0 {
			t.Errorf("%s: the ratchet that is kept has risen", name)
		}
	}
	more := words.Ratchet{{Module: "host", Rule: "Stand", Digest: "1"}: 3, {Module: "sdk", Rule: "Stand", Digest: "2"}: 1}
	if risen := more.Risen(known); !slices.Equal(risen, []string{"host", "sdk"}) {
		t.Errorf("risen in %v", risen)
	}
	if risen := more.Risen(words.Ratchet{}); risen != nil {
		t.Errorf("an empty ratchet has begun, not risen in %v", risen)
	}
	for _, text := range []string{"host Stand\n", "one two three four\n", "\n"} {
		if _, err := words.ParseRatchet(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
