package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/queue"
)

// Submitted writes the changes of a submission to the queue.
func Submitted(w io.Writer, job *queue.Job, s *queue.Submitted, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(Plain(w)).Encode(struct {
			Job    string `json:"job"`
			New    bool   `json:"new"`
			Shards int    `json:"shards"`
			Rows   int64  `json:"rows"`
			Queued int    `json:"queued"`
			Done   int    `json:"done"`
		}{job.ID, s.New, job.Shards, job.Rows, s.Queued, s.Done})
	}
	what := "is in the queue"
	if !s.New {
		what = "was in the queue before"
	}
	_, err := fmt.Fprintf(w, "job %.12s %s: %d rows in %s, %d queued now, %d done before\n", job.ID, what, job.Rows, Count(job.Shards, "shard"), s.Queued, s.Done)
	return err
}

// jobText is a status for programs.
type jobText struct {
	Job      string          `json:"job"`
	Ended    bool            `json:"ended"`
	Shards   int             `json:"shards"`
	Waiting  int             `json:"waiting"`
	Taken    int             `json:"taken"`
	Done     int             `json:"done"`
	Parked   int             `json:"parked"`
	Missing  int             `json:"missing"`
	Rows     int64           `json:"rows"`
	Of       int64           `json:"of"`
	Rejected int64           `json:"rejected"`
	Rate     float64         `json:"rows_per_second"`
	Left     float64         `json:"seconds_left,omitempty"`
	From     string          `json:"from"`
	Results  string          `json:"results"`
	Running  []queue.Attempt `json:"running,omitempty"`
	Troubles []queue.Trouble `json:"troubles,omitempty"`
	Refusal  *queue.Refusal  `json:"last_refusal,omitempty"`
}

// JobStatus writes the progress of a job.
func JobStatus(w io.Writer, s *queue.Status, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(Plain(w)).Encode(jobText{
			s.Job.ID, s.Ended(), s.Job.Shards, s.Waiting, s.Taken, s.Done, s.Failed, s.Missing(),
			s.Rows, s.Job.Rows, s.Rejected, s.Rate, s.Left.Seconds(), s.Job.From, s.Job.Results, s.Running, s.Troubles, s.Refusal,
		})
	}
	Printf(w, "%s\n  rows      %s\n  results   %s\n", JobLine(s), s.Job.From, s.Job.Results)
	for _, one := range s.Running {
		Printf(w, "  running   %d by %s since %s\n", one.Shard, one.Worker, one.Since.Local().Format(time.DateTime))
	}
	for _, one := range alike(s.Troubles) {
		Printf(w, "  %-9s %s after %s, the last by %s: %s\n", statusText(one.Status), ranges(one.shards), Count(one.Starts, "attempt"), one.Worker, one.Reason)
	}
	if len(s.Troubles) == queue.MaxNamed {
		Printf(w, "  and perhaps more\n")
	}
	if s.Refusal != nil {
		Printf(w, "  refused   by %s: %s\n", s.Refusal.Worker, s.Refusal.Reason)
	}
	if n := s.Missing(); n > 0 {
		Printf(w, "  missing   %s not in the queue: submit the job again\n", Count(n, "shard"))
	}
	return nil
}

// statusText returns the status of a shard for people. The stored value of a failed shard is "parked".
func statusText(s queue.ShardStatus) string {
	if s == queue.Failed {
		return "failed"
	}
	return string(s)
}

// troubles are shards that failed for one reason. The other members are from the first shard.
type troubles struct {
	queue.Trouble
	shards []int
}

// alike groups shards that failed for one reason.
func alike(list []queue.Trouble) (groups []troubles) {
	for _, one := range list {
		i := slices.IndexFunc(groups, func(g troubles) bool { return g.Status == one.Status && g.Reason == one.Reason })
		if i < 0 {
			i = len(groups)
			groups = append(groups, troubles{Trouble: one})
		}
		groups[i].shards = append(groups[i].shards, one.Shard)
	}
	return groups
}

// JobLine returns the progress of a job in one line.
func JobLine(s *queue.Status) string {
	text := fmt.Sprintf("job %.12s  %d of %d shards", s.Job.ID, s.Done, s.Job.Shards)
	if s.Taken > 0 {
		text += fmt.Sprintf(", %d with workers", s.Taken)
	}
	if s.Failed > 0 {
		text += fmt.Sprintf(", %d failed", s.Failed)
	}
	text += fmt.Sprintf("  %d of %d rows", s.Rows, s.Job.Rows)
	if s.Rejected > 0 {
		text += fmt.Sprintf(", %d rejected", s.Rejected)
	}
	if s.Rate > 0 {
		text += fmt.Sprintf("  %.0f rows/s", s.Rate)
	}
	if s.Left > 0 {
		text += fmt.Sprintf("  %s left", max(s.Left.Round(time.Second), time.Second))
	}
	return text
}

// Working writes the events of a worker.
type Working struct {
	GaveUp int // shards

	asJSON   *json.Encoder // nil for people
	lines    io.Writer
	show     func(string)
	mu       sync.Mutex
	began    time.Time
	computed int
	rows     int64
	printed  map[string]bool // reasons of failures and interruptions; each is printed once
}

// NewWorking starts the clock of a worker. Events are lines of JSON on out, or texts on errs.
func NewWorking(out, errs io.Writer, asJSON bool) *Working {
	w := &Working{lines: errs, show: Progress(errs), began: time.Now(), printed: map[string]bool{}}
	if asJSON {
		w.asJSON = json.NewEncoder(Plain(out))
	}
	return w
}

// eventText is an event for programs.
type eventText struct {
	Event  queue.EventKind `json:"event"`
	Job    string          `json:"job,omitempty"`
	Shard  int             `json:"shard,omitempty"`
	Reason string          `json:"reason,omitempty"`
	*queue.Output
}

// Observe writes an event.
func (w *Working) Observe(e queue.WorkEvent) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := eventText{Event: e.Kind, Shard: e.Shard}
	if e.Job != nil {
		text.Job = e.Job.ID
	}
	if e.Err != nil {
		text.Reason = e.Err.Error()
	}
	switch e.Kind {
	case queue.Computed:
		text.Output = &e.Output
		w.computed++
		w.rows += e.Output.Rows
		clear(w.printed)
	case queue.ShardFailed:
		w.GaveUp++
	}
	reason := string(e.Kind) + text.Reason
	switch {
	case w.asJSON != nil:
		_ = w.asJSON.Encode(text)
	case e.Kind == queue.Computed:
		w.show(fmt.Sprintf("job %.12s: shard %d of %d; %s", e.Job.ID, e.Shard, e.Job.Shards, w.summary()))
	case text.Reason == "" || !w.printed[reason]:
		w.printed[reason] = true
		w.show("")
		Printf(w.lines, "slipstick: %s\n", text.words())
	}
}

// words returns an event for people.
func (t *eventText) words() string {
	shard := fmt.Sprintf("job %.12s, shard %d", t.Job, t.Shard)
	switch t.Event {
	case queue.Refused:
		return fmt.Sprintf("job %.12s is not computed here: %s", t.Job, t.Reason)
	case queue.Unread:
		return t.Reason
	case queue.AttemptFailed:
		return shard + " failed, and will be tried again: " + t.Reason
	case queue.ShardFailed:
		return shard + " failed after its last attempt: " + t.Reason
	case queue.Released:
		if t.Reason != "" {
			return shard + " was started and could not be released; other workers get it when this worker counts as lost: " + t.Reason
		}
		return shard + " is released to other workers"
	}
	return "asking the broker again: " + t.Reason
}

func (w *Working) summary() string {
	return fmt.Sprintf("%s, %d rows in %s (%.0f a second)", Count(w.computed, "shard"), w.rows, time.Since(w.began).Round(time.Millisecond), float64(w.rows)/time.Since(w.began).Seconds())
}

// End writes a summary of the worker's shards and rows.
func (w *Working) End() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.show("")
	Printf(w.lines, "slipstick: %s\n", w.summary())
}
