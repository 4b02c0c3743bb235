package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Refusal is the reason why a worker refuses a job.
type Refusal struct {
	Worker string `json:"worker"`
	Reason string `json:"reason"`
}

// Trouble is a shard with a failed attempt.
type Trouble struct {
	Shard  int         `json:"shard"`
	Status ShardStatus `json:"standing"`
	Worker string      `json:"worker"`
	Starts int         `json:"begun"`
	Reason string      `json:"reason"`
}

// Attempt is an attempt at a shard that has started and, as far as the queue knows, not ended.
type Attempt struct {
	Shard  int       `json:"shard"`
	Worker string    `json:"worker"`
	Since  time.Time `json:"since"`
}

// Status is the progress of a job.
type Status struct {
	Job     *Job
	Waiting int // shards that no worker has
	Taken   int // shards that workers have, or that wait after a failed attempt
	Failed  int
	Done    int

	Rows     int64 // rows of the shards that are done
	Rejected int64
	Rate     float64       // rows per second of the latest shards; 0 if unknown
	Left     time.Duration // time until all rows are done at this rate; 0 if unknown

	Running  []Attempt // at most MaxNamed, sorted by shard
	Troubles []Trouble // at most MaxNamed, sorted by shard
	Refusal  *Refusal  // the latest; can be nil
}

// MaxNamed is the maximum number of shards of one kind that a status names.
const MaxNamed = 100

// Ended reports whether each shard of the job is done or has failed.
func (s *Status) Ended() bool { return s.Done+s.Failed == s.Job.Shards }

// Missing returns the number of shards that are neither done nor in the queue, because their submission
// has failed.
func (s *Status) Missing() int {
	return max(0, s.Job.Shards-s.Done-s.Failed-s.Waiting-s.Taken)
}

// Status returns the progress of a job.
func (q *Queue) Status(ctx context.Context, job *Job) (*Status, error) {
	s := &Status{Job: job}
	err := retry(ctx, func() error {
		consumer, err := q.stream.Consumer(ctx, job.ID)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			return nil // the job was removed in the meantime
		}
		if err == nil {
			info := consumer.CachedInfo()
			s.Waiting, s.Taken = int(info.NumPending), info.NumAckPending
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	states, err := q.states(ctx, job)
	if err != nil {
		return nil, err
	}
	s.count(states)
	list, err := q.entries(ctx, job.ID+".refusal")
	for _, one := range list {
		var r Refusal
		if err := json.Unmarshal(one.Value(), &r); err == nil {
			s.Refusal = &r
		}
	}
	return s, err
}

// count adds up the shards that workers have started.
func (s *Status) count(states map[int]shardState) {
	var done []shardState
	for k, one := range states {
		switch one.Status {
		case Done:
			done = append(done, one)
			s.Rows += one.Rows
			s.Rejected += one.Rejected
		case Failed:
			s.Failed++
		case Running:
			s.Running = append(s.Running, Attempt{k, one.Worker, one.at})
		}
		if one.Reason != "" && one.Status != Done {
			s.Troubles = append(s.Troubles, Trouble{k, one.Status, one.Worker, one.Starts, one.Reason})
		}
	}
	s.Done = len(done)
	slices.SortFunc(s.Running, func(a, b Attempt) int { return cmp.Compare(a.Shard, b.Shard) })
	s.Running = s.Running[:min(len(s.Running), MaxNamed)]
	slices.SortFunc(s.Troubles, func(a, b Trouble) int { return cmp.Compare(a.Shard, b.Shard) })
	s.Troubles = s.Troubles[:min(len(s.Troubles), MaxNamed)]
	slices.SortFunc(done, func(a, b shardState) int { return a.at.Compare(b.at) })
	s.setRate(done)
}

// setRate computes the rate of the latest shards, by the clock of the broker.
func (s *Status) setRate(done []shardState) {
	const last = 64
	since := s.Job.Submitted
	done = slices.DeleteFunc(done, func(one shardState) bool { return one.at.Before(since) })
	if len(done) == 0 {
		return
	}
	if n := len(done); n > last {
		since, done = done[n-last-1].at, done[n-last:]
	}
	rows := int64(0)
	for _, one := range done {
		rows += one.Rows
	}
	took := done[len(done)-1].at.Sub(since)
	if took <= 0 || rows == 0 {
		return
	}
	s.Rate = float64(rows) / took.Seconds()
	if !s.Ended() {
		s.Left = time.Duration(float64(max(0, s.Job.Rows-s.Rows)) / s.Rate * float64(time.Second))
	}
}

// Watch calls show with the status of a job. If follow is set, it calls show each second until the job or
// the context has ended. It returns the first error of show.
func (q *Queue) Watch(ctx context.Context, job *Job, follow bool, show func(*Status) error) error {
	for {
		status, err := q.Status(ctx, job)
		if err != nil {
			return err
		}
		if err := show(status); err != nil || !follow || status.Ended() {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Second):
		}
	}
}
