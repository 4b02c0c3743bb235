package versions_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/slipstick/slipstick/versions"
)

func TestResolve(t *testing.T) {
	published := []string{"1.0.0", "1.10.0", "1.9.0", "2.0.0-rc.1"}
	newest := []string{"2.0.0-rc.1", "1.10.0", "1.9.0", "1.0.0"}
	for _, c := range []struct {
		name      string
		version   string
		pinned    bool
		published []string
		current   string
		want      string
		mismatch  *versions.MismatchError
		text      string
	}{
		{"unpinned", "", false, published, "1.10.0", "1.10.0", nil, ""},
		{"unpinned ignores the version", "1.0.0", false, published, "1.10.0", "1.10.0", nil, ""},
		{"pinned", "1.9.0", true, published, "1.10.0", "1.9.0", nil, ""},
		{"pinned without current", "1.9.0", true, published, "", "1.9.0", nil, ""},
		{
			"not published", "1.0", true, published, "1.10.0", "",
			&versions.MismatchError{Requested: "1.0", Current: "1.10.0", Available: newest},
			`version "1.0" is not published; leave the pin out for 1.10.0, or pin exactly one of 2.0.0-rc.1, 1.10.0, 1.9.0, 1.0.0`,
		},
		{
			"not published and no current", "3.0.0", true, published, "", "",
			&versions.MismatchError{Requested: "3.0.0", Available: newest},
			`version "3.0.0" is not published; pin exactly one of 2.0.0-rc.1, 1.10.0, 1.9.0, 1.0.0`,
		},
		{
			"current is no alias", "1.10", true, []string{"1.10.0"}, "1.10.0", "",
			&versions.MismatchError{Requested: "1.10", Current: "1.10.0", Available: []string{"1.10.0"}},
			`version "1.10" is not published; leave the pin out, or pin 1.10.0`,
		},
		{
			"unpinned and no current", "", false, published, "", "",
			&versions.MismatchError{Available: newest},
			`no version is current; pin exactly one of 2.0.0-rc.1, 1.10.0, 1.9.0, 1.0.0`,
		},
		{
			"nothing published", "1.0.0", true, nil, "", "",
			&versions.MismatchError{Requested: "1.0.0", Available: []string{}},
			`version "1.0.0" is not published, and no version can be pinned; ask again when a version is published`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := versions.Resolve(c.version, c.pinned, c.published, c.current)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			checkMismatch(t, err, c.mismatch, c.text)
		})
	}
}

func checkMismatch(t *testing.T, err error, want *versions.MismatchError, text string) {
	t.Helper()
	var got *versions.MismatchError
	errors.As(err, &got)
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %#v, want %#v", err, want)
	}
	if want != nil && err.Error() != text {
		t.Errorf("got  %s\nwant %s", err, text)
	}
}

// hundredThousand returns versions that are sorted neither oldest nor newest first.
func hundredThousand() []string {
	list := make([]string, 0, 100_000)
	for i := range 100_000 {
		n := i * 77_773 % 100_000
		list = append(list, fmt.Sprintf("%d.%d.%d", n/10_000, n/100%100, n%100))
	}
	return list
}

func TestResolveAmongHundredThousand(t *testing.T) {
	published := hundredThousand()
	for _, pin := range []string{"0.0.0", "9.99.99", "5.37.4", published[0], published[99_999]} {
		if got, err := versions.Resolve(pin, true, published, "1.0.0"); got != pin || err != nil {
			t.Errorf("pin %s: got %q, %v", pin, got, err)
		}
	}
	_, err := versions.Resolve("10.0.0", true, published, "1.0.0")
	var mismatch *versions.MismatchError
	if !errors.As(err, &mismatch) || len(mismatch.Available) != 100_000 || mismatch.Available[0] != "9.99.99" || mismatch.Available[99_999] != "0.0.0" {
		t.Fatalf("got %d versions", len(mismatch.Available))
	}
	want := `version "10.0.0" is not published; leave the pin out for 1.0.0, or pin exactly one of 9.99.99, 9.99.98, 9.99.97, 9.99.96, 9.99.95 (and 99995 older)`
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}

func BenchmarkResolve(b *testing.B) {
	published := hundredThousand()
	for name, pin := range map[string]string{"published": published[99_999], "mismatch": "10.0.0"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				versions.Resolve(pin, true, published, "1.0.0")
			}
		})
	}
}
