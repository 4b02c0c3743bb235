package versions_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/versions"
)

// FuzzAgree asserts that the verdict follows from the values alone and does
// not depend on the order of the pins.
func FuzzAgree(f *testing.F) {
	for _, c := range requests {
		lines := strings.Join(c.request.header, "\n")
		bodyText, _ := c.request.body.(string)
		if len(lines)+len(bodyText) < 1000 {
			f.Add(lines, bodyText, c.request.body != nil, uint64(len(c.name)))
		}
	}
	f.Add("1.0.0"+strings.Repeat(",1.0.0", versions.MaxConflictPins), "2.0.0", true, uint64(1))
	f.Fuzz(func(t *testing.T, lines, bodyText string, withBody bool, order uint64) {
		pins := collect(lines, bodyText, withBody)
		version, pinned, err := versions.Agree(pins)
		if got, want := code(err), verdict(pins); got != want {
			t.Fatalf("%q: got %s, want %s", pins, got, want)
		}
		if pinned != (err == nil && len(pins) > 0) || pinned && version != pins[0].Value || !pinned && version != "" {
			t.Fatalf("%q: got %q, %v, %v", pins, version, pinned, err)
		}
		checkWitnesses(t, pins, err)

		shuffled := slices.Clone(pins)
		rand.New(rand.NewPCG(order, 0)).Shuffle(len(shuffled), func(i, j int) {
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		})
		again, _, err2 := versions.Agree(shuffled)
		if code(err) != code(err2) || version != again {
			t.Fatalf("%q: got %s %q, in another order %s %q", pins, code(err), version, code(err2), again)
		}
	})
}

func collect(lines, bodyText string, withBody bool) []versions.Pin {
	var pins []versions.Pin
	if lines != "" {
		pins = versions.Header(strings.Split(lines, "\n"))
	}
	if withBody {
		pins = append(pins, at(body, bodyText))
	}
	return pins
}

// verdict returns the result of Agree in the words of the spec.
func verdict(pins []versions.Pin) string {
	isBlank := func(p versions.Pin) bool { return strings.TrimSpace(p.Value.(string)) == "" }
	differs := func(p versions.Pin) bool { return p.Value != pins[0].Value }
	switch {
	case slices.ContainsFunc(pins, isBlank):
		return "INVALID_VERSION_PIN"
	case slices.ContainsFunc(pins, differs):
		return "VERSION_PIN_CONFLICT"
	}
	return "ok"
}

func checkWitnesses(t *testing.T, pins []versions.Pin, err error) {
	t.Helper()
	if err != nil {
		checkText(t, err)
	}
	var conflict *versions.ConflictError
	if !errors.As(err, &conflict) {
		return
	}
	shown := conflict.Pins
	if len(shown) != min(len(pins), versions.MaxConflictPins) || verdict(shown) != "VERSION_PIN_CONFLICT" {
		t.Fatalf("%q: the error shows %q", pins, shown)
	}
}

// FuzzResolve asserts that a pin resolves only to a version with the same bytes.
func FuzzResolve(f *testing.F) {
	for _, c := range requests {
		if pin, ok := c.request.body.(string); ok && len(pin) < 1000 {
			f.Add(pin, true, "1.0.0\n2.0.0\n3.0.0-rc.1", "2.0.0")
		}
	}
	f.Add("", false, "1.0.0", "")
	f.Add("", true, "", "")
	f.Add("1.0.0", false, "1.0.0\nlatest\n1.0.0+x\n01.0.0", "1.0.0")
	f.Fuzz(func(t *testing.T, pin string, pinned bool, list, current string) {
		published := strings.Split(list, "\n")
		got, err := versions.Resolve(pin, pinned, published, current)
		if want := current; !pinned && want != "" {
			if got != want || err != nil {
				t.Fatalf("unpinned: got %q, %v, want %q", got, err, want)
			}
			return
		}
		if err == nil {
			if !pinned || got != pin || !slices.Contains(published, got) {
				t.Fatalf("pin %q, %v: got %q", pin, pinned, got)
			}
			return
		}
		if pinned && slices.Contains(published, pin) {
			t.Fatalf("pin %q is published: %v", pin, err)
		}
		checkMismatchHolds(t, err, published)
	})
}

func checkMismatchHolds(t *testing.T, err error, published []string) {
	t.Helper()
	var mismatch *versions.MismatchError
	if !errors.As(err, &mismatch) {
		t.Fatalf("got %v, want a MismatchError", err)
	}
	_ = err.Error()
	if got, want := sorted(mismatch.Available), sorted(published); !slices.Equal(got, want) {
		t.Fatalf("available %q, want the published %q", got, want)
	}
	for i := range mismatch.Available[1:] {
		newer, errNewer := versions.Parse(mismatch.Available[i])
		older, errOlder := versions.Parse(mismatch.Available[i+1])
		if errNewer != nil && errOlder == nil || errNewer == nil && errOlder == nil && newer.Compare(older) < 0 {
			t.Fatalf("out of order: %q", mismatch.Available)
		}
	}
}

func sorted(list []string) []string {
	return slices.Sorted(slices.Values(list))
}
