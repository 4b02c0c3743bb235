package source

import (
	"errors"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry"
)

// Readiness goes by how long ago the registry was read, also while a look never ends.
func TestReadyByAge(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	r := &state{now: func() time.Time { return now }}
	r.follows(time.Second)
	is := func(want string) {
		t.Helper()
		if got := r.String(); got != want {
			t.Errorf("at %s it is %q, want %q", now.Format(time.TimeOnly), got, want)
		}
	}
	is("ok")
	now = now.Add(leastAge)
	r.saw(readTimes{list: now, oldest: now, kept: now})
	is("ok")
	now = now.Add(leastAge)
	is("ok")
	now = now.Add(time.Second)
	is("has not been read for 11 s; what was published before is served")
	r.set(errors.New("down"), nil)
	is("cannot be read; what was published before is served")
	r.set(nil, []registry.Capability{{ID: "a.b", Problem: errors.New("wrong")}})
	r.saw(readTimes{list: now, unsaved: true})
	is("damaged in 1 place; the log says which; what was seen of it cannot be written down; the log says why")
	r.set(nil, nil)
	r.saw(readTimes{list: now})
	is("ok")
	r.follows(10 * time.Second)
	now = now.Add(30 * time.Second)
	is("ok")
	now = now.Add(time.Second)
	is("has not been read for 31 s; what was published before is served")
	r.follows(0)
	is("ok") // nobody looks
}
