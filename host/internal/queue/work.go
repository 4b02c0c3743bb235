package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Computer computes shards.
type Computer interface {
	// Accept returns an error if this worker cannot compute the shards of a job: its file differs, or
	// it does not have the release. The worker calls it once for each job.
	Accept(context.Context, *Job) error
	// Compute writes the complete output of a shard to the results of the job. The worker also calls
	// it for a shard that was computed before.
	Compute(context.Context, *Job, int) (Output, error)
}

// WorkOptions are options of a worker. The zero value works on every job, until the context ends.
type WorkOptions struct {
	Name      string          // name of the worker in the states of shards
	Job       string          // id of the only job to work on, "" for all
	UntilDone bool            // return when all shards of accepted jobs are done or have failed
	Observe   func(WorkEvent) // receives each event; can be nil
}

// WorkEvent is an event of a worker, about a job or a shard.
type WorkEvent struct {
	Kind   EventKind
	Job    *Job
	Shard  int
	Output Output // set for Computed
	Err    error  // the reason; not set for Computed, and nil for Released without a failure
}

// EventKind is the kind of an event.
type EventKind string

// The kinds of events.
const (
	Refused       EventKind = "refused"   // this worker does not compute the job
	Unread        EventKind = "unread"    // an entry of the queue is not a job; the error is an [*UnreadError]
	Computed      EventKind = "computed"  // a shard is done
	AttemptFailed EventKind = "failed"    // an attempt at a shard failed; a worker tries it again
	ShardFailed   EventKind = "parked"    // a shard failed, and no worker tries it again
	Released      EventKind = "released"  // a shard was given back before it was computed
	Interrupt     EventKind = "interrupt" // a request to the broker failed; the worker repeats it
)

const (
	rescanEvery = 5 * time.Second        // how often a worker looks for new jobs
	listenFor   = 500 * time.Millisecond // how long a worker waits for a shard of one job
	releaseIn   = 5 * time.Second        // the time to release a shard at the end
	retryAfter  = 2 * time.Second        // delay before a failed attempt is repeated
)

// worker is the state of one call of [Queue.Work].
type worker struct {
	*WorkOptions
	queue     *Queue
	computer  Computer
	jobs      []*Job
	scannedAt time.Time
	known     map[string]*jobView // by job id
	unread    map[string]bool     // keys of entries that are not jobs
}

// jobView is a worker's view of a job.
type jobView struct {
	epoch    string
	accepted bool
	consumer jetstream.Consumer
	idle     uint64 // the revision of the job at which its queue was empty
}

// Work computes shards until the context ends, or with [WorkOptions.UntilDone] until no shard is left.
// If the context ends while it computes a shard, it releases the shard.
func (q *Queue) Work(ctx context.Context, c Computer, o *WorkOptions) error {
	if o == nil {
		o = new(WorkOptions)
	}
	w := &worker{WorkOptions: o, queue: q, computer: c, known: map[string]*jobView{}, unread: map[string]bool{}}
	for ctx.Err() == nil {
		worked, left, err := w.round(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			if !transient(err) {
				return err
			}
			w.report(WorkEvent{Kind: Interrupt, Err: explained(err)})
			wait(ctx, 5*retryEvery)
		case worked || left:
		case w.UntilDone:
			return nil
		default:
			wait(ctx, rescanEvery)
		}
	}
	return nil
}

func (w *worker) report(e WorkEvent) {
	if w.Observe != nil {
		w.Observe(e)
	}
}

// round computes one shard of the oldest job that has a waiting shard. It reports whether it has
// worked, and whether shards are left, which other workers could release.
func (w *worker) round(ctx context.Context) (worked, left bool, err error) {
	fresh := time.Since(w.scannedAt) >= rescanEvery
	if fresh {
		if err := w.scan(ctx); err != nil {
			return false, false, err
		}
	}
	for _, job := range w.jobs {
		if w.Job != "" && job.ID != w.Job {
			continue
		}
		s, err := w.join(ctx, job)
		if err != nil {
			if err := w.dropJob(ctx, job, err); err != nil {
				return false, false, err
			}
			continue
		}
		if s == nil || !s.accepted || s.idle == job.revision {
			continue
		}
		msg, err := s.next()
		if err == nil && msg != nil {
			return true, true, w.process(ctx, job, msg)
		}
		var info *jetstream.ConsumerInfo
		if err == nil {
			info, err = s.consumer.Info(ctx)
		}
		switch {
		case removed(err):
		case err != nil:
			if err := w.dropJob(ctx, job, err); err != nil {
				return false, false, err
			}
		case info.NumPending == 0 && info.NumAckPending == 0:
			s.idle = job.revision
		default:
			left = true
		}
	}
	if !left && !fresh { // before a worker ends, it looks for jobs that were submitted in the meantime
		w.scannedAt, left = time.Time{}, true
	}
	return false, left, nil
}

// scan reads the jobs in the queue, and reports each entry that is not a job once.
func (w *worker) scan(ctx context.Context) error {
	jobs, unread, err := w.queue.Jobs(ctx)
	if err != nil {
		return err
	}
	for _, one := range unread {
		if !w.unread[one.Key] {
			w.unread[one.Key] = true
			w.report(WorkEvent{Kind: Unread, Err: one})
		}
	}
	w.jobs, w.scannedAt = jobs, time.Now()
	return nil
}

// dropJob refuses a job if its queue cannot be used, so that this worker continues with other jobs. It
// returns the error if it is transient.
func (w *worker) dropJob(ctx context.Context, job *Job, err error) error {
	if ctx.Err() != nil || transient(err) {
		return err
	}
	w.known[job.ID] = &jobView{epoch: job.Epoch}
	w.refuse(ctx, job, fmt.Errorf("the queue of the job: %w", err))
	return nil
}

// removed reports whether a job has no queue: the job was removed, or its submission has just started.
func removed(err error) bool {
	return errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrConsumerDeleted)
}

// join checks once whether this worker can compute the job. It returns nil for a removed job.
func (w *worker) join(ctx context.Context, job *Job) (*jobView, error) {
	if s := w.known[job.ID]; s != nil && s.epoch == job.Epoch {
		return s, nil
	}
	s := &jobView{epoch: job.Epoch, accepted: true}
	err := retry(ctx, func() (err error) {
		s.consumer, err = w.queue.stream.Consumer(ctx, job.ID)
		return err
	})
	if removed(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := w.computer.Accept(ctx, job); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.accepted = false
		w.refuse(ctx, job, err)
	}
	w.known[job.ID] = s
	return s, nil
}

// refuse reports that this worker does not compute a job, and stores the reason for the job's status.
func (w *worker) refuse(ctx context.Context, job *Job, reason error) {
	w.report(WorkEvent{Kind: Refused, Job: job, Err: reason})
	text, err := json.Marshal(Refusal{w.Name, reason.Error()})
	if err == nil {
		err = retry(ctx, func() error { _, err := w.queue.bucket.Put(ctx, job.ID+".refusal", text); return err })
	}
	if err != nil {
		w.report(WorkEvent{Kind: Interrupt, Job: job, Err: err})
	}
}

// next returns a waiting shard, or nil if none arrives within listenFor.
func (s *jobView) next() (jetstream.Msg, error) {
	batch, err := s.consumer.Fetch(1, jetstream.FetchMaxWait(listenFor))
	if err != nil {
		return nil, err
	}
	for msg := range batch.Messages() {
		return msg, nil
	}
	return nil, batch.Error()
}

// process computes the shard of a message, and stores its new state. It returns errors of the queue only.
func (w *worker) process(ctx context.Context, job *Job, msg jetstream.Msg) error {
	var m message
	err := json.Unmarshal(msg.Data(), &m)
	if err != nil || m.Plan != job.ID || m.Shard < 1 || m.Shard > job.Shards || msg.Subject() != job.subject(m.Shard) {
		w.report(WorkEvent{Kind: AttemptFailed, Job: job, Err: fmt.Errorf("a message on %s is not a shard of the job; the worker discards it", msg.Subject())})
		return msg.Term()
	}
	k := m.Shard
	now, err := w.queue.updateState(ctx, job, k, func(s *State) {
		if s.Starts >= job.Attempts {
			s.Status = Failed
			if s.Reason == "" {
				s.Reason = fmt.Sprintf("%s that started it died without a message, the last of them %s", workers(s.Starts), s.Worker)
			}
			return
		}
		s.Status, s.Worker, s.Starts = Running, w.Name, s.Starts+1
	})
	switch {
	case err != nil:
		return errors.Join(err, msg.Nak())
	case now.Status == Failed:
		w.report(WorkEvent{Kind: ShardFailed, Job: job, Shard: k, Err: errors.New(now.Reason)})
		return w.acknowledge(ctx, msg)
	}
	// Also a shard that is done is computed: its output can be missing.
	output, err := w.compute(ctx, job, k, msg)
	switch {
	case err == nil:
		return w.done(ctx, job, k, msg, output)
	case ctx.Err() != nil:
		return w.release(ctx, job, k, msg)
	}
	return w.fail(ctx, job, k, msg, err)
}

func workers(n int) string {
	if n == 1 {
		return "the worker"
	}
	return fmt.Sprintf("all %d workers", n)
}

// compute computes a shard, and in the meantime reports to the broker that the worker is alive.
func (w *worker) compute(ctx context.Context, job *Job, k int, msg jetstream.Msg) (Output, error) {
	computed := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(job.lostAfter() / 4)
		defer ticker.Stop()
		for {
			select {
			case <-computed:
				return
			case <-ticker.C:
				_ = msg.InProgress() // without these reports the broker delivers the shard to another worker, which is harmless
			}
		}
	}()
	defer func() {
		close(computed)
		<-stopped
	}()
	return w.computer.Compute(ctx, job, k)
}

func (w *worker) done(ctx context.Context, job *Job, k int, msg jetstream.Msg, output Output) error {
	ctx = context.WithoutCancel(ctx)
	stored, err := w.queue.updateState(ctx, job, k, func(s *State) {
		s.Status, s.Worker, s.Reason, s.Output = Done, w.Name, "", output
	})
	if err != nil {
		return err // the broker delivers the shard again, and its output exists then
	}
	if stored.Digest != output.Digest {
		return w.fail(ctx, job, k, msg, fmt.Errorf("its output has the digest %s, and the output of worker %s had %s", output.Digest, stored.Worker, stored.Digest))
	}
	w.report(WorkEvent{Kind: Computed, Job: job, Shard: k, Output: output})
	return w.acknowledge(ctx, msg)
}

// fail stores that an attempt failed. After the last attempt, the shard counts as failed.
func (w *worker) fail(ctx context.Context, job *Job, k int, msg jetstream.Msg, reason error) error {
	now, err := w.queue.updateState(ctx, job, k, func(s *State) {
		s.Status, s.Worker, s.Reason = Waiting, w.Name, reason.Error()
		if s.Starts >= job.Attempts {
			s.Status = Failed
		}
	})
	if err != nil {
		return errors.Join(err, msg.Nak())
	}
	kind := ShardFailed // or another worker has done it with another output
	if now.Status == Waiting {
		kind = AttemptFailed
	}
	w.report(WorkEvent{Kind: kind, Job: job, Shard: k, Err: reason})
	if now.Status == Waiting {
		return msg.NakWithDelay(retryAfter)
	}
	return w.acknowledge(ctx, msg)
}

// release gives a started shard back, so that another worker can take it. It does not count as an
// attempt.
func (w *worker) release(ctx context.Context, job *Job, k int, msg jetstream.Msg) error {
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), releaseIn)
	defer end()
	_, err := w.queue.updateState(ctx, job, k, func(s *State) {
		s.Status, s.Starts = Waiting, s.Starts-1
	})
	err = errors.Join(err, msg.Nak(), w.queue.conn.FlushWithContext(ctx))
	w.report(WorkEvent{Kind: Released, Job: job, Shard: k, Err: err})
	return nil
}

// acknowledge removes a shard from the queue. If the acknowledgement is lost, the broker delivers the
// shard again.
func (w *worker) acknowledge(ctx context.Context, msg jetstream.Msg) error {
	return retry(ctx, func() error { return msg.DoubleAck(ctx) })
}
