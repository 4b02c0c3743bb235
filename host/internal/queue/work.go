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
	// Accept returns why this worker cannot compute the shards of a job: it has another file, or no
	// such release. It is asked once for each job.
	Accept(context.Context, *Job) error
	// Compute returns when the output of a shard is where the results belong, whole. It is called for
	// a shard that was computed before, too.
	Compute(context.Context, *Job, int) (Output, error)
}

// WorkOptions are those of a worker. The zero value works on every job, until the context ends.
type WorkOptions struct {
	Name      string          // of the worker, for who reads what became of a shard
	Job       string          // the only job to work on, "" for all
	UntilDone bool            // end when no shard of a job that is accepted waits or is computed
	Observe   func(WorkEvent) // receives what happens; may be nil
}

// WorkEvent is what a worker has done with a job or a shard.
type WorkEvent struct {
	Kind   EventKind
	Job    *Job
	Shard  int
	Output Output // of a shard that is done
	Err    error  // why, of all others
}

// EventKind says what has happened.
type EventKind string

// What happens.
const (
	Refused       EventKind = "refused"   // a job
	Unread        EventKind = "unread"    // an entry of the queue that is not a job: an [*UnreadError]
	Computed      EventKind = "computed"  // a shard
	AttemptFailed EventKind = "failed"    // an attempt at a shard
	GaveUp        EventKind = "parked"    // on a shard
	Released      EventKind = "released"  // a shard, to another worker
	Interrupt     EventKind = "interrupt" // the broker does not do what is asked; the worker asks again
)

const (
	rescanEvery = 5 * time.Second        // for other jobs
	listenFor   = 500 * time.Millisecond // to one of several jobs
	toRelease   = 5 * time.Second
	retryAfter  = 2 * time.Second // a shard that failed
)

// worker is what [Queue.Work] knows.
type worker struct {
	*WorkOptions
	queue     *Queue
	computer  Computer
	jobs      []*Job
	scannedAt time.Time
	known     map[string]*jobView // of jobs, by id
	unread    map[string]bool     // keys of entries that are not jobs
}

// jobView is what a worker knows of a job.
type jobView struct {
	epoch    string
	accepted bool
	from     jetstream.Consumer
	idle     uint64 // the revision of the job at which no shard was left
}

// Work computes shards until the context ends, or no shard is left. Then a shard that was begun is
// released.
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
			if !passing(err) {
				return err
			}
			w.report(WorkEvent{Kind: Interrupt, Err: explained(err)})
			wait(ctx, 5*retryAsk)
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

// round takes one shard of the oldest job that has one, and says whether it did, or whether one is
// left that others may have to give back.
func (w *worker) round(ctx context.Context) (worked, left bool, err error) {
	fresh := time.Since(w.scannedAt) >= rescanEvery
	if fresh {
		if err := w.look(ctx); err != nil {
			return false, false, err
		}
	}
	for _, job := range w.jobs {
		if w.Job != "" && job.ID != w.Job {
			continue
		}
		s, err := w.join(ctx, job)
		if err != nil {
			if err := w.giveUp(ctx, job, err); err != nil {
				return false, false, err
			}
			continue
		}
		if s == nil || !s.accepted || s.idle == job.revision {
			continue
		}
		msg, err := s.take()
		if err == nil && msg != nil {
			return true, true, w.do(ctx, job, msg)
		}
		var info *jetstream.ConsumerInfo
		if err == nil {
			info, err = s.from.Info(ctx)
		}
		switch {
		case gone(err):
		case err != nil:
			if err := w.giveUp(ctx, job, err); err != nil {
				return false, false, err
			}
		case info.NumPending == 0 && info.NumAckPending == 0:
			s.idle = job.revision
		default:
			left = true
		}
	}
	if !left && !fresh { // a job that came meanwhile counts before a worker ends
		w.scannedAt, left = time.Time{}, true
	}
	return false, left, nil
}

// look reads which jobs there are, and names entries that are not jobs once.
func (w *worker) look(ctx context.Context) error {
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

// giveUp refuses a job whose queue cannot be used, so that this worker goes on with other jobs. It
// returns the error if it may pass.
func (w *worker) giveUp(ctx context.Context, job *Job, err error) error {
	if ctx.Err() != nil || passing(err) {
		return err
	}
	w.known[job.ID] = &jobView{epoch: job.Epoch}
	w.refuse(ctx, job, fmt.Errorf("the queue of the job: %w", err))
	return nil
}

// gone reports whether a job was removed, or its submission has just begun.
func gone(err error) bool {
	return errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrConsumerDeleted)
}

// join asks once whether the job can be worked on. It returns nil for one that is gone.
func (w *worker) join(ctx context.Context, job *Job) (*jobView, error) {
	if s := w.known[job.ID]; s != nil && s.epoch == job.Epoch {
		return s, nil
	}
	s := &jobView{epoch: job.Epoch, accepted: true}
	err := persist(ctx, func() (err error) {
		s.from, err = w.queue.stream.Consumer(ctx, job.ID)
		return err
	})
	if gone(err) {
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

// refuse lets whoever asks for the status of a job read why this worker computes none of it.
func (w *worker) refuse(ctx context.Context, job *Job, reason error) {
	w.report(WorkEvent{Kind: Refused, Job: job, Err: reason})
	text, err := json.Marshal(Refusal{w.Name, reason.Error()})
	if err == nil {
		err = persist(ctx, func() error { _, err := w.queue.bucket.Put(ctx, job.ID+".refusal", text); return err })
	}
	if err != nil {
		w.report(WorkEvent{Kind: Interrupt, Job: job, Err: err})
	}
}

// take returns a shard that waits, nil if there is none for a moment.
func (s *jobView) take() (jetstream.Msg, error) {
	batch, err := s.from.Fetch(1, jetstream.FetchMaxWait(listenFor))
	if err != nil {
		return nil, err
	}
	for msg := range batch.Messages() {
		return msg, nil
	}
	return nil, batch.Error()
}

// do computes the shard of a message, and says what became of it. Its error is one of the queue.
func (w *worker) do(ctx context.Context, job *Job, msg jetstream.Msg) error {
	var m message
	err := json.Unmarshal(msg.Data(), &m)
	if err != nil || m.Plan != job.ID || m.Shard < 1 || m.Shard > job.Shards || msg.Subject() != job.subject(m.Shard) {
		w.report(WorkEvent{Kind: AttemptFailed, Job: job, Err: fmt.Errorf("%s has something else than a shard of the job; it is thrown away", msg.Subject())})
		return msg.Term()
	}
	k := m.Shard
	now, err := w.queue.note(ctx, job, k, func(s *State) {
		if s.Begun >= job.Attempts {
			s.Status = Failed
			if s.Reason == "" {
				s.Reason = fmt.Sprintf("%s that began it ended without a word, the last of them %s", workers(s.Begun), s.Worker)
			}
			return
		}
		s.Status, s.Worker, s.Begun = Running, w.Name, s.Begun+1
	})
	switch {
	case err != nil:
		return errors.Join(err, msg.Nak())
	case now.Status == Failed:
		w.report(WorkEvent{Kind: GaveUp, Job: job, Shard: k, Err: errors.New(now.Reason)})
		return w.acknowledge(ctx, msg)
	}
	// What was done before is looked at again: it may be gone.
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

// compute computes a shard, and tells the broker meanwhile that somebody does.
func (w *worker) compute(ctx context.Context, job *Job, k int, msg jetstream.Msg) (Output, error) {
	computed := make(chan struct{})
	told := make(chan struct{})
	go func() {
		defer close(told)
		ticker := time.NewTicker(job.lostAfter() / 4)
		defer ticker.Stop()
		for {
			select {
			case <-computed:
				return
			case <-ticker.C:
				_ = msg.InProgress() // a broker that is away gives the shard to another, which is allowed
			}
		}
	}()
	defer func() {
		close(computed)
		<-told
	}()
	return w.computer.Compute(ctx, job, k)
}

func (w *worker) done(ctx context.Context, job *Job, k int, msg jetstream.Msg, output Output) error {
	ctx = context.WithoutCancel(ctx)
	was, err := w.queue.note(ctx, job, k, func(s *State) {
		s.Status, s.Worker, s.Reason, s.Output = Done, w.Name, "", output
	})
	if err != nil {
		return err // the shard comes again, and is there
	}
	if was.Digest != output.Digest {
		return w.fail(ctx, job, k, msg, fmt.Errorf("its output has the digest %s, and that of worker %s had %s", output.Digest, was.Worker, was.Digest))
	}
	w.report(WorkEvent{Kind: Computed, Job: job, Shard: k, Output: output})
	return w.acknowledge(ctx, msg)
}

// fail lets the shard be tried again, or parks it.
func (w *worker) fail(ctx context.Context, job *Job, k int, msg jetstream.Msg, reason error) error {
	now, err := w.queue.note(ctx, job, k, func(s *State) {
		s.Status, s.Worker, s.Reason = Waiting, w.Name, reason.Error()
		if s.Begun >= job.Attempts {
			s.Status = Failed
		}
	})
	if err != nil {
		return errors.Join(err, msg.Nak())
	}
	kind := GaveUp // parked, or done otherwise by another
	if now.Status == Waiting {
		kind = AttemptFailed
	}
	w.report(WorkEvent{Kind: kind, Job: job, Shard: k, Err: reason})
	if now.Status == Waiting {
		return msg.NakWithDelay(retryAfter)
	}
	return w.acknowledge(ctx, msg)
}

// release gives a shard that was begun to another worker. It does not count as an attempt.
func (w *worker) release(ctx context.Context, job *Job, k int, msg jetstream.Msg) error {
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), toRelease)
	defer end()
	_, err := w.queue.note(ctx, job, k, func(s *State) {
		s.Status, s.Begun = Waiting, s.Begun-1
	})
	err = errors.Join(err, msg.Nak(), w.queue.conn.FlushWithContext(ctx))
	w.report(WorkEvent{Kind: Released, Job: job, Shard: k, Err: err})
	return nil
}

// acknowledge removes a shard from the queue. One whose acknowledgement is lost comes again.
func (w *worker) acknowledge(ctx context.Context, msg jetstream.Msg) error {
	return persist(ctx, func() error { return msg.DoubleAck(ctx) })
}
