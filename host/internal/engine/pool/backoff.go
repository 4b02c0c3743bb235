package pool

import (
	"fmt"
	"time"
)

// Back-off between starts of one program that fail, or whose process ends before its
// first call.
const (
	firstPause   = 100 * time.Millisecond
	maxPause     = 30 * time.Second
	backOffAfter = 5 // such failures in a row
)

// backoff counts the failures of one program and decides when it may be started again.
type backoff struct {
	failures int       // since the last good answer
	failure  error     // of the last start; nil after a start that succeeded
	retryAt  time.Time // earliest time of the next start
}

// fail counts a failure. It reports whether the program backs off for long from now on.
func (b *backoff) fail(now time.Time) (backingOff bool) {
	b.failures++
	pause := time.Duration(0)
	if b.failures > 1 {
		pause = min(firstPause<<min(b.failures-2, 16), maxPause)
	}
	if b.failures >= backOffAfter {
		pause = maxPause
	}
	b.retryAt = now.Add(pause)
	return b.failures == backOffAfter
}

// reset resets the count after a good answer. The error of a failed start stays until a
// start succeeds.
func (b *backoff) reset() { b.failures, b.retryAt = 0, time.Time{} }

// backingOff reports whether the program must not start now because it failed so often.
func (b *backoff) backingOff(now time.Time) bool {
	return b.failures >= backOffAfter && now.Before(b.retryAt)
}

// rest returns how long to wait before the next start. The error means that the wait is too
// long for a caller, and explains why.
func (b *backoff) rest(now time.Time) (time.Duration, error) {
	rest := b.retryAt.Sub(now)
	switch {
	case rest <= 0:
		return 0, nil
	case b.failure != nil:
		return rest, b.failure
	case b.failures >= backOffAfter:
		return rest, fmt.Errorf("%w: %d processes failed one after the other; the next try is in %s", ErrUnavailable, b.failures, rest.Round(time.Second))
	}
	return rest, nil
}

// fault returns why the program cannot run now, or nil if no reason is known.
func (b *backoff) fault(now time.Time) error {
	switch {
	case b.failure != nil:
		return b.failure
	case b.backingOff(now):
		return fmt.Errorf("%w: %d processes failed one after the other", ErrUnavailable, b.failures)
	}
	return nil
}
