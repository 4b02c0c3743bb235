package source

import (
	"errors"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry"
)

// Readiness depends on the age of the last look, also while a look does not end.
func TestReadyByAge(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	r := &state{now: func() time.Time { return now }}
	r.start(time.Second)
	is := func(want string) {
		t.Helper()
		if got := r.String(); got != want {
			t.Errorf("at %s it is %q, want %q", now.Format(time.TimeOnly), got, want)
		}
	}
	is("ok")
	now = now.Add(leastAge)
	r.setTimes(readTimes{list: now, oldest: now, stored: now})
	is("ok")
	now = now.Add(leastAge)
	is("ok")
	now = now.Add(time.Second)
	is("has not been read for 11 s; the server serves the known versions")
	r.setResult(errors.New("down"), nil)
	is("cannot be read; the server serves the known versions")
	r.setResult(nil, []registry.Capability{{ID: "a.b", Problem: errors.New("wrong")}})
	r.setTimes(readTimes{list: now, unsaved: true})
	is("damaged in 1 place; the log has the details; the trust-on-first-use store cannot be written; the log has the reason")
	r.setResult(nil, nil)
	r.setTimes(readTimes{list: now})
	is("ok")
	r.start(10 * time.Second)
	now = now.Add(30 * time.Second)
	is("ok")
	now = now.Add(time.Second)
	is("has not been read for 31 s; the server serves the known versions")
	r.start(0)
	is("ok") // the server does not look
}
