package limit

import (
	"net/http"
	"strconv"
	"time"
)

// Decision is the answer to one call.
type Decision struct {
	Surface   string
	Allowed   bool
	Limit     int // calls per Window; 0: the surface has no limit, and all fields below are zero
	Remaining int // calls that would be accepted now, after this one

	// Reset is the time until the oldest counted call leaves the window. Until then at most Remaining calls are
	// accepted; exactly then, at least one more. It is above 0 and at most Window.
	Reset time.Duration

	// RetryAfter is Reset if the call was refused, and 0 if it was accepted.
	RetryAfter time.Duration
}

// decide returns the decision on a call. Used is the number of calls that count after it.
func decide(surface string, allowed bool, limit, used int, reset time.Duration) Decision {
	d := Decision{
		Surface: surface, Allowed: allowed, Limit: limit,
		Remaining: max(limit-used, 0),
		Reset:     min(max(reset, 1), Window),
	}
	if !allowed {
		d.Remaining, d.RetryAfter = 0, d.Reset
	}
	return d
}

// Policy is the value of the header field RateLimit-Policy, such as "calc";q=60;w=60
// (draft-ietf-httpapi-ratelimit-headers-11).
func (d Decision) Policy() string {
	return string(d.AppendPolicy(nil))
}

// AppendPolicy appends the result of Policy.
func (d Decision) AppendPolicy(dst []byte) []byte {
	dst = append(d.appendSurface(dst), ";q="...)
	dst = append(strconv.AppendInt(dst, int64(d.Limit), 10), ";w="...)
	return strconv.AppendInt(dst, int64(seconds(Window)), 10)
}

// Quota is the value of the header field RateLimit, such as "calc";r=59;t=12
// (draft-ietf-httpapi-ratelimit-headers-11). t is Reset, rounded up.
func (d Decision) Quota() string {
	return string(d.AppendQuota(nil))
}

// AppendQuota appends the result of Quota.
func (d Decision) AppendQuota(dst []byte) []byte {
	dst = append(d.appendSurface(dst), ";r="...)
	dst = append(strconv.AppendInt(dst, int64(d.Remaining), 10), ";t="...)
	return strconv.AppendInt(dst, int64(seconds(d.Reset)), 10)
}

// appendSurface appends the surface as a string of RFC 9651. Surfaces are plain words.
func (d Decision) appendSurface(dst []byte) []byte {
	return append(append(append(dst, '"'), d.Surface...), '"')
}

// RetryAfterSeconds is RetryAfter in whole seconds, rounded up: 1 to 60 for a refused
// call, 0 for an accepted one.
func (d Decision) RetryAfterSeconds() int { return seconds(d.RetryAfter) }

// SetHeader sets the header fields that describe the decision: RateLimit-Policy and RateLimit, and Retry-After
// if the call was refused. A surface without a limit has none of them.
func (d Decision) SetHeader(h http.Header) {
	if d.Limit == 0 {
		return
	}
	h.Set("RateLimit-Policy", d.Policy())
	h.Set("RateLimit", d.Quota())
	if !d.Allowed {
		h.Set("Retry-After", strconv.Itoa(d.RetryAfterSeconds()))
	}
}

// seconds rounds up, so that a client that waits this long has waited long enough.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
