package limit

import (
	"sync/atomic"
	"time"
)

// probeEvery is the time between two attempts while the breaker is open.
const probeEvery = time.Second

// breaker stops calls to a server that failed, except for one probe a second.
type breaker struct {
	retryAt atomic.Int64 // 0 if the breaker is closed
}

// pass is a permission to call the server. Its value is the state of the breaker when it was issued.
type pass int64

// admit reports whether the server may be called now.
func (b *breaker) admit(now time.Duration) (pass, bool) {
	at := b.retryAt.Load()
	if at == 0 {
		return 0, true
	}
	next := int64(now + probeEvery)
	return pass(next), int64(now) >= at && b.retryAt.CompareAndSwap(at, next)
}

// succeeded closes the breaker if the pass belongs to the last probe. The success of a call that started before
// the failure proves nothing.
func (b *breaker) succeeded(p pass) {
	if p != 0 {
		b.retryAt.CompareAndSwap(int64(p), 0)
	}
}

// failed opens the breaker. If it was closed, the pass is the pass of the first probe.
func (b *breaker) failed(now time.Duration) (p pass, opened bool) {
	next := int64(now + probeEvery)
	return pass(next), b.retryAt.CompareAndSwap(0, next)
}

func (b *breaker) open() bool { return b.retryAt.Load() != 0 }
