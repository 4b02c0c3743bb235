package queue

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// MaxShards is the maximum number of shards of a job.
const MaxShards = 100_000

// jobSuffix is the end of the keys of jobs.
const jobSuffix = ".job"

// maxJob is the maximum size of the document of a job, in bytes. Brokers refuse messages above 1 MiB.
const maxJob = 512 << 10

// Job is a plan in the queue. Any worker can compute its shards. The same plan is the same job.
type Job struct {
	ID      string `json:"id"` // hexadecimal SHA-256 of the plan
	Plan    string `json:"plan"`
	Shards  int    `json:"shards"` // the number of shards; the first is 1
	Rows    int64  `json:"rows"`
	From    string `json:"from"`    // path of the rows that all workers can read, or their URL
	Results string `json:"results"` // directory that all workers can reach, or [ObjectStore]

	// Attempts is how often workers start a shard before it counts as failed.
	Attempts int `json:"attempts"`
	// LostAfter is the time without a message from a worker, in seconds, after which the broker
	// delivers its shard to another worker.
	LostAfter float64 `json:"lost_after"`

	// Epoch distinguishes this job from an earlier, removed job with the same plan.
	Epoch string `json:"epoch"`

	Submitted time.Time `json:"-"`
	revision  uint64
}

// ShardStatus is the status of a shard that a worker has started.
type ShardStatus string

// The statuses of shards.
const (
	Running ShardStatus = "running" // or its worker died without a message
	Waiting ShardStatus = "waiting" // for another attempt
	Failed  ShardStatus = "parked"  // no worker tries it again until the job is submitted again
	Done    ShardStatus = "done"
)

// State is the stored state of a shard that a worker has started.
type State struct {
	Status ShardStatus `json:"standing"`
	Worker string      `json:"worker"`
	Starts int         `json:"begun,omitempty"`  // how often workers started it; released attempts do not count
	Reason string      `json:"reason,omitempty"` // why the last attempt failed
	Epoch  string      `json:"epoch"`            // the epoch of the job
	Output
}

// Output describes the output of a computed shard.
type Output struct {
	Rows     int64  `json:"rows,omitempty"`
	Rejected int64  `json:"rejected,omitempty"` // rows without a result
	Digest   string `json:"digest,omitempty"`   // the digest of the bytes
}

// message is an entry of the queue: one shard.
type message struct {
	Plan  string `json:"plan"`
	Shard int    `json:"shard"`
}

// JobError means that a job cannot be submitted with these settings, or does not exist.
type JobError struct{ Text string }

func (e *JobError) Error() string { return e.Text }

func (j *Job) check() error {
	switch {
	case j.ID != fmt.Sprintf("%x", sha256.Sum256([]byte(j.Plan))):
		return &JobError{fmt.Sprintf("%.80q is not the digest of the plan", j.ID)}
	case j.Shards < 1 || j.Shards > MaxShards:
		return &JobError{fmt.Sprintf("%d shards: a job has between 1 and %d", j.Shards, MaxShards)}
	case j.Attempts < 1 || j.Attempts > 1000:
		return &JobError{fmt.Sprintf("%d attempts: a shard has between 1 and 1000", j.Attempts)}
	case j.lostAfter() < time.Second || j.lostAfter() > time.Hour:
		return &JobError{"a worker is lost after 1 s at least, and after 1 h at most"}
	}
	return nil
}

func (j *Job) lostAfter() time.Duration { return time.Duration(j.LostAfter * float64(time.Second)) }
func (j *Job) key() string              { return j.ID + jobSuffix }
func (j *Job) shardKey(k int) string    { return j.ID + "." + strconv.Itoa(k) }
func (j *Job) subject(k int) string     { return "slipstick.batch." + j.ID + "." + strconv.Itoa(k) }
func (j *Job) allSubjects() string      { return "slipstick.batch." + j.ID + ".*" }

// Submitted describes the effect of a submission.
type Submitted struct {
	New    bool // the job did not exist before
	Queued int  // shards that the submission has added to the queue
	Done   int  // shards that were computed before
}

// Submit puts the shards of a job into the queue. For a job that exists already, it adds its failed
// shards again, and the shards that an interrupted submission has left out.
func (q *Queue) Submit(ctx context.Context, job *Job) (*Submitted, error) {
	if err := job.check(); err != nil {
		return nil, err
	}
	created, err := q.create(ctx, job)
	if err != nil {
		return nil, err
	}
	err = retry(ctx, func() error {
		_, err := q.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: job.ID, FilterSubject: job.allSubjects(), AckPolicy: jetstream.AckExplicitPolicy,
			AckWait: job.lostAfter(), MaxDeliver: -1, MaxAckPending: -1, // workers count the attempts
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the queue of the job: %w", err)
	}
	states, err := q.states(ctx, job)
	if err != nil {
		return nil, err
	}
	s := &Submitted{New: created}
	s.Queued, s.Done, err = q.enqueue(ctx, job, states)
	if err != nil {
		return nil, fmt.Errorf("%d of %d shards are in the queue; submit the job again: %w", s.Queued, job.Shards, err)
	}
	// A new revision of the job makes workers look for its shards again.
	return s, retry(ctx, func() error { return q.put(ctx, job) })
}

// create writes the job if it does not exist, and reports whether it has written it. If the job exists
// with other settings, create returns an error.
func (q *Queue) create(ctx context.Context, job *Job) (bool, error) {
	job.Epoch = rand.Text()
	text, err := json.Marshal(job)
	if err != nil {
		return false, err
	}
	if len(text) > maxJob {
		return false, &JobError{fmt.Sprintf("the plan has %d bytes; a queue takes %d", len(text), maxJob)}
	}
	err = retry(ctx, func() error { _, err := q.bucket.Create(ctx, job.key(), text); return err })
	if err == nil || !errors.Is(err, jetstream.ErrKeyExists) {
		return err == nil, err
	}
	existing, err := q.Job(ctx, job.ID)
	if err != nil {
		return false, err
	}
	job.Epoch = existing.Epoch
	for _, one := range []struct {
		what     string
		is, want any
	}{
		{"its rows come from", existing.From, job.From}, {"its results go to", existing.Results, job.Results},
		{"shards are lost after seconds:", existing.LostAfter, job.LostAfter}, {"attempts at a shard:", existing.Attempts, job.Attempts},
	} {
		if one.is != one.want {
			return false, &JobError{fmt.Sprintf("this job is in the queue already. There, %s %v, not %v: submit it with the same settings, or remove it first (slipstick batch cancel %.12s)", one.what, one.is, one.want, job.ID)}
		}
	}
	return false, nil
}

func (q *Queue) put(ctx context.Context, job *Job) error {
	text, err := json.Marshal(job)
	if err == nil {
		_, err = q.bucket.Put(ctx, job.key(), text)
	}
	return err
}

// enqueue publishes the shards that are neither done nor in the queue. The broker refuses the message
// of a shard that waits already, and stores a message once if it is sent twice.
func (q *Queue) enqueue(ctx context.Context, job *Job, states map[int]shardState) (queued, done int, err error) {
	const batchSize = 500
	pending := make([]jetstream.PubAckFuture, 0, batchSize)
	awaitAcks := func() error {
		for _, one := range pending {
			select {
			case ack := <-one.Ok():
				if !ack.Duplicate {
					queued++
				}
			case err := <-one.Err():
				if !isQueued(err) {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		pending = pending[:0]
		return nil
	}
	for k := 1; k <= job.Shards; k++ {
		was, started := states[k]
		switch {
		case started && was.Status == Done:
			done++
			continue
		case started && was.Status == Failed:
			if err := retry(ctx, func() error { return q.resetAttempts(ctx, job, k) }); err != nil {
				return queued, done, err
			}
		}
		text, err := json.Marshal(message{job.ID, k})
		if err != nil {
			return queued, done, err
		}
		m := &nats.Msg{Subject: job.subject(k), Data: text}
		one, err := q.js.PublishMsgAsync(m, jetstream.WithMsgID(fmt.Sprintf("%s.%d.%d", job.Epoch, k, was.revision)), jetstream.WithExpectLastSequencePerSubject(0))
		if err != nil {
			return queued, done, err
		}
		pending = append(pending, one)
		if len(pending) == batchSize {
			if err := awaitAcks(); err != nil {
				return queued, done, err
			}
		}
	}
	return queued, done, awaitAcks()
}

// resetAttempts gives a failed shard as many attempts as a new one.
func (q *Queue) resetAttempts(ctx context.Context, job *Job, k int) error {
	_, err := q.updateState(ctx, job, k, func(s *State) {
		s.Status, s.Starts = Waiting, 0
	})
	return err
}

// Discard removes an entry that is not a job.
func (q *Queue) Discard(ctx context.Context, e *UnreadError) error {
	return retry(ctx, func() error { return q.bucket.Purge(ctx, e.Key) })
}

// Cancel removes a job and the states of its shards. Workers finish the shards that they compute.
// Results in a directory stay.
func (q *Queue) Cancel(ctx context.Context, job *Job) error {
	err := retry(ctx, func() error {
		if err := q.stream.DeleteConsumer(ctx, job.ID); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			return err
		}
		return q.stream.Purge(ctx, jetstream.WithPurgeSubject(job.allSubjects()))
	})
	if err != nil {
		return err
	}
	if job.Results == ObjectStore {
		err := retry(ctx, func() error { return q.js.DeleteObjectStore(ctx, job.storeName()) })
		if err != nil && !errors.Is(err, jetstream.ErrBucketNotFound) && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return err
		}
	}
	list, err := q.entries(ctx, job.ID+".>")
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(one jetstream.KeyValueEntry) bool { return one.Key() == job.key() })
	for _, one := range list {
		if err := retry(ctx, func() error { return q.bucket.Purge(ctx, one.Key()) }); err != nil {
			return err
		}
	}
	return retry(ctx, func() error { return q.bucket.Purge(ctx, job.key()) })
}

// UnreadError is an entry of the queue that this version cannot read as a job. It affects no job.
type UnreadError struct {
	Key string
	Err error
}

func (e *UnreadError) Error() string {
	return fmt.Sprintf("%.200q in the bucket %s is not a job that this version of slipstick can read (%s). If no newer version needs it, remove it: slipstick batch cancel %[1]q", e.Key, bucketName, e.Err)
}
func (e *UnreadError) Unwrap() error { return e.Err }

// Jobs returns all jobs, the oldest first, and the entries that are not jobs.
func (q *Queue) Jobs(ctx context.Context) (jobs []*Job, unread []*UnreadError, err error) {
	list, err := q.entries(ctx, "*"+jobSuffix)
	if err != nil {
		return nil, nil, err
	}
	for _, one := range list {
		job, err := jobOf(one)
		if err != nil {
			unread = append(unread, &UnreadError{one.Key(), err})
			continue
		}
		jobs = append(jobs, job)
	}
	slices.SortFunc(jobs, func(a, b *Job) int { return cmp.Compare(a.revision, b.revision) })
	return jobs, unread, nil
}

func jobOf(entry jetstream.KeyValueEntry) (*Job, error) {
	if size := len(entry.Value()); size > maxJob {
		return nil, fmt.Errorf("it has %d bytes, and a job at most %d", size, maxJob)
	}
	job := &Job{Submitted: entry.Created(), revision: entry.Revision()}
	if err := json.Unmarshal(entry.Value(), job); err != nil {
		return nil, err
	}
	if err := job.check(); err != nil {
		return nil, err
	}
	if job.key() != entry.Key() {
		return nil, fmt.Errorf("it is the job %s", job.ID)
	}
	return job, nil
}

// Job returns the job with this id, or the only job with an id that starts so.
func (q *Queue) Job(ctx context.Context, id string) (*Job, error) {
	jobs, unread, err := q.Jobs(ctx)
	if err != nil {
		return nil, err
	}
	var found *Job
	for _, job := range jobs {
		if !strings.HasPrefix(job.ID, id) || id == "" {
			continue
		}
		if found != nil {
			return nil, &JobError{fmt.Sprintf("the ids of several jobs start with %s: write more digits", id)}
		}
		found = job
	}
	if found != nil {
		return found, nil
	}
	for _, one := range unread {
		if strings.HasPrefix(one.Key, id) && id != "" {
			return nil, one
		}
	}
	return nil, &JobError{fmt.Sprintf("no job %s is in this queue; slipstick batch status lists them", id)}
}

// shardState is a state, and its revision and time in the bucket.
type shardState struct {
	State
	revision uint64
	at       time.Time
}

// states returns the states of the started shards of a job, by their numbers.
func (q *Queue) states(ctx context.Context, job *Job) (map[int]shardState, error) {
	list, err := q.entries(ctx, job.ID+".*")
	if err != nil {
		return nil, err
	}
	states := make(map[int]shardState, len(list))
	for _, one := range list {
		k, err := strconv.Atoi(strings.TrimPrefix(one.Key(), job.ID+"."))
		if err != nil {
			continue // the job, or a refusal
		}
		if s := stateOf(one); s.Epoch == job.Epoch && 1 <= k && k <= job.Shards {
			states[k] = shardState{s, one.Revision(), one.Created()}
		}
	}
	return states, nil
}

// stateOf reads the state of a shard. For an unreadable entry it returns the zero state, which belongs
// to no job. So the shard counts as not started.
func stateOf(entry jetstream.KeyValueEntry) State {
	var s State
	if err := json.Unmarshal(entry.Value(), &s); err != nil {
		return State{}
	}
	return s
}

// entries returns the entries of the bucket with keys that match a pattern.
func (q *Queue) entries(ctx context.Context, pattern string) (list []jetstream.KeyValueEntry, err error) {
	err = retry(ctx, func() error {
		list = list[:0]
		within, end := context.WithTimeout(ctx, retryFor/3)
		defer end()
		watcher, err := q.bucket.Watch(within, pattern, jetstream.IgnoreDeletes())
		if err != nil {
			return err
		}
		defer func() { _ = watcher.Stop() }()
		for {
			select {
			case one, ok := <-watcher.Updates():
				if one == nil && ok {
					return nil
				}
				if !ok {
					return errors.Join(within.Err(), nats.ErrDisconnected)
				}
				list = append(list, one)
			case <-within.Done():
				return within.Err()
			}
		}
	})
	return list, err
}

// updateState changes the state of a shard, and returns the new state. A shard that is done stays done.
func (q *Queue) updateState(ctx context.Context, job *Job, k int, change func(*State)) (now State, err error) {
	err = retry(ctx, func() error {
		for {
			err := q.tryUpdate(ctx, job, k, &now, change)
			if !errors.Is(err, jetstream.ErrKeyRevisionMismatch) && !errors.Is(err, jetstream.ErrKeyExists) {
				return err
			}
			wait(ctx, retryEvery/10) // another process has changed it in the meantime
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	})
	return now, err
}

// tryUpdate is one attempt of updateState. It fails if another process changes the state at the same time.
func (q *Queue) tryUpdate(ctx context.Context, job *Job, k int, now *State, change func(*State)) error {
	*now = State{}
	entry, err := q.bucket.Get(ctx, job.shardKey(k))
	if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
		return err
	}
	if err == nil {
		*now = stateOf(entry)
	}
	if now.Epoch != job.Epoch {
		*now = State{Epoch: job.Epoch}
	}
	if now.Status == Done {
		return nil
	}
	change(now)
	text, err := json.Marshal(now)
	switch {
	case err != nil:
	case entry == nil:
		_, err = q.bucket.Create(ctx, job.shardKey(k), text)
	default:
		_, err = q.bucket.Update(ctx, job.shardKey(k), text, entry.Revision())
	}
	return err
}

// isQueued reports whether the broker refused a shard because it is in the queue already.
func isQueued(err error) bool {
	refused, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}
