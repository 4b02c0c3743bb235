package wire

import (
	"runtime"
	"testing"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// forced returns the number of forced garbage collections.
func forced() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumForcedGC
}

// When the server pings, the memory of many calls is returned, and the memory of few calls is
// not.
func TestRest(t *testing.T) {
	s := new(streamServer)
	ping := func() {
		t.Helper()
		if err := s.answer(contract.FramePing, contract.AppendID(nil, 1)); err != nil {
			t.Fatal(err)
		}
	}
	before := forced()
	s.calls = restAfter - 1
	ping()
	if s.calls != restAfter-1 {
		t.Errorf("%d calls are left of %d, which are few", s.calls, restAfter-1)
	}
	s.calls++
	ping()
	ping()
	late := time.After(10 * time.Second)
	for forced() == before {
		select {
		case <-late:
			t.Fatal("no memory was given back")
		default:
			runtime.Gosched()
		}
	}
	if s.calls != 0 {
		t.Errorf("%d calls are left", s.calls)
	}
}
