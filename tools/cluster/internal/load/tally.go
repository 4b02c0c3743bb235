package load

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Kind is the kind of a failure.
type Kind string

// The kinds of failures.
const (
	NoConnection  Kind = "no connection"
	ClosedBetween Kind = "closed between two requests" // the server closed the connection, as it may when it is idle
	Broken        Kind = "broken before the answer"
	Cut           Kind = "answer cut off"
	NoAnswer      Kind = "no answer in time"
	Refused       Kind = "refused"       // an unexpected status
	StoreLate     Kind = "store late"    // the server reported a timeout of Redis
	WrongNumber   Kind = "wrong number"  // the worst failure
	WrongVersion  Kind = "wrong version" // another version than the pin, or a digest of another version
	WrongRecord   Kind = "wrong record"  // a snapshot that differs from the created one
)

// Failure is a call that failed.
type Failure struct {
	Kind   Kind
	Call   Call
	Status int // status of the response, if there was one
	Detail string
	From   time.Time // when the call was sent
	At     time.Time // when the call failed
}

// Error returns the kind and the detail of the failure.
func (f *Failure) Error() string { return string(f.Kind) + ": " + f.Detail }

// Call is the kind of a call.
type Call string

// The calls of a load.
const (
	Pinned   Call = "pinned"
	Current  Call = "current" // without a pin
	Batch    Call = "batch"
	Snapshot Call = "freeze"
	Read     Call = "read" // of a snapshot
)

// Sample is an answer to a call without a pin.
type Sample struct {
	From, To time.Time
	Version  string
}

// Tally counts the outcomes of a load's calls.
type Tally struct {
	Calls    map[Call]int
	Rows     int // rows of batches
	Changing int // refused calls while their version was being published or revoked
	Unstored int // reads of short ids while the store was unavailable, which the answer reports
	Failures []Failure
	Current  []Sample
	Slowest  time.Duration
	Took     time.Duration
}

// Total returns the number of calls.
func (t *Tally) Total() int {
	n := 0
	for _, c := range t.Calls {
		n += c
	}
	return n
}

// Mixed counts answers that a client must never get: with another version, number or record.
func (t *Tally) Mixed() int {
	return len(t.failed(func(f Failure) bool {
		return f.Kind == WrongNumber || f.Kind == WrongVersion || f.Kind == WrongRecord
	}))
}

// SentAfter counts the failed calls that were sent after the given time.
func (t *Tally) SentAfter(moment time.Time) int {
	return len(t.failed(func(f Failure) bool { return f.From.After(moment) }))
}

// ClosedAfter counts the failed calls sent after the given time with a connection that was closed between two
// requests.
func (t *Tally) ClosedAfter(moment time.Time) int {
	return len(t.failed(func(f Failure) bool { return f.Kind == ClosedBetween && f.From.After(moment) }))
}

// Closed counts the failed calls whose connection was closed between two requests.
func (t *Tally) Closed() int { return t.ClosedAfter(time.Time{}) }

// LastFailed returns when the last failed call was sent, or the zero time if none failed.
func (t *Tally) LastFailed() (last time.Time) {
	for _, f := range t.Failures {
		if f.From.After(last) {
			last = f.From
		}
	}
	return last
}

func (t *Tally) failed(which func(Failure) bool) []Failure {
	return slices.DeleteFunc(slices.Clone(t.Failures), func(f Failure) bool { return !which(f) })
}

// Kinds lists the failures, the most frequent first.
func (t *Tally) Kinds() []string {
	counts := map[string]int{}
	for _, f := range t.Failures {
		name := fmt.Sprintf("%s: %s", f.Call, f.Kind)
		if f.Status != 0 {
			name += fmt.Sprintf(" (%d)", f.Status)
		}
		counts[name]++
	}
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return counts[b] - counts[a] })
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", counts[name], name)
	}
	return names
}

// Spread returns how long after the first answer of the version clients still sent calls that got another version.
func Spread(samples []Sample, version string) time.Duration {
	var first, last time.Time
	for _, s := range samples {
		if s.Version == version && (first.IsZero() || s.To.Before(first)) {
			first = s.To
		}
	}
	for _, s := range samples {
		if s.Version != version && !first.IsZero() && s.From.After(first) && s.From.After(last) {
			last = s.From
		}
	}
	if last.IsZero() {
		return 0
	}
	return last.Sub(first)
}

// book is a tally with concurrent writers.
type book struct {
	mu sync.Mutex
	t  Tally
}

func (b *book) add(call Call, from time.Time, version string, err error) {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.t.Calls[call]++
	b.t.Slowest = max(b.t.Slowest, now.Sub(from))
	if err != nil {
		f, ok := err.(*Failure)
		if !ok {
			f = &Failure{Kind: Broken, Detail: err.Error()}
		}
		noted := *f
		noted.Call, noted.From, noted.At = call, from, now
		b.t.Failures = append(b.t.Failures, noted)
		return
	}
	if call == Current {
		b.t.Current = append(b.t.Current, Sample{from, now, version})
	}
}

func (b *book) note(add func(t *Tally)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	add(&b.t)
}

// Since returns the samples that were sent after the given time.
func Since(samples []Sample, moment time.Time) []Sample {
	return slices.DeleteFunc(slices.Clone(samples), func(s Sample) bool { return s.From.Before(moment) })
}
