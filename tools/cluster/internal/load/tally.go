package load

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Kind is how a call failed.
type Kind string

// The ways in which a call fails.
const (
	NoConnection  Kind = "no connection"
	ClosedBetween Kind = "closed between two requests" // by the server, as it may when it is idle
	Broken        Kind = "broken before the answer"
	Cut           Kind = "answer cut off"
	NoAnswer      Kind = "no answer in time"
	Refused       Kind = "refused"       // a status that is not the expected one
	StoreLate     Kind = "store late"    // the host waited for Redis as long as it does, and said so
	WrongNumber   Kind = "wrong number"  // of all, the worst
	WrongVersion  Kind = "wrong version" // another than the pin, or a digest of another
	WrongRecord   Kind = "wrong record"  // a snapshot that is not what was frozen
)

// Failure is a call that failed.
type Failure struct {
	Kind   Kind
	Call   Call
	Status int // of the answer, if there was one
	Detail string
	From   time.Time // when it was sent
	At     time.Time // when it failed
}

func (f *Failure) Error() string { return string(f.Kind) + ": " + f.Detail }

// Call is what was asked for.
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

// Tally is what became of the calls of a load.
type Tally struct {
	Calls    map[Call]int
	Rows     int // of batches
	Changing int // calls that were refused while their version was being published or revoked
	Unstored int // reads of short ids while the store was away, which is announced
	Failures []Failure
	Current  []Sample
	Slowest  time.Duration
	Took     time.Duration
}

// Total is the number of calls.
func (t *Tally) Total() int {
	n := 0
	for _, c := range t.Calls {
		n += c
	}
	return n
}

// Mixed counts answers that a client must never get: of another version, with another
// number, or another record.
func (t *Tally) Mixed() int {
	return len(t.failed(func(f Failure) bool {
		return f.Kind == WrongNumber || f.Kind == WrongVersion || f.Kind == WrongRecord
	}))
}

// SentAfter counts the failed calls that were sent later.
func (t *Tally) SentAfter(moment time.Time) int {
	return len(t.failed(func(f Failure) bool { return f.From.After(moment) }))
}

// ClosedAfter counts those of them whose connection was closed between two requests.
func (t *Tally) ClosedAfter(moment time.Time) int {
	return len(t.failed(func(f Failure) bool { return f.Kind == ClosedBetween && f.From.After(moment) }))
}

// Closed counts the failed calls whose connection was closed between two requests.
func (t *Tally) Closed() int { return t.ClosedAfter(time.Time{}) }

// LastFailed is when the last call was sent that failed, the zero time if none did.
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

// Kinds words the failures, the most frequent first.
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

// Spread is for how long after the first answer of the version calls were still sent that got
// another one.
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

// book is a tally that many write.
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

// Since returns the samples that were sent later.
func Since(samples []Sample, moment time.Time) []Sample {
	return slices.DeleteFunc(slices.Clone(samples), func(s Sample) bool { return s.From.Before(moment) })
}
