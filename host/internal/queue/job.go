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

// MaxShards is into how many shards a job may be divided.
const MaxShards = 100_000

// jobSuffix ends the keys of jobs.
const jobSuffix = ".job"

// maxJob bounds the document of a job, in bytes: brokers refuse messages above 1 MiB.
const maxJob = 512 << 10

// Job is a plan whose shards are computed by whoever takes one. The same plan is the same job.
type Job struct {
	ID      string `json:"id"` // hexadecimal SHA-256 of the plan
	Plan    string `json:"plan"`
	Shards  int    `json:"shards"` // which are counted from 1
	Rows    int64  `json:"rows"`
	From    string `json:"from"`    // file of the rows, as all workers see it, or its address
	Results string `json:"results"` // directory that all workers see, or [ObjectStore]

	// Attempts is how often a shard is begun before it is parked.
	Attempts int `json:"attempts"`
	// LostAfter is how long nothing is heard of a worker before its shard is given to another, in seconds.
	LostAfter float64 `json:"lost_after"`

	// Epoch tells this job from an earlier one with the same plan, which was removed.
	Epoch string `json:"epoch"`

	Submitted time.Time `json:"-"`
	revision  uint64
}

// ShardStatus is what became of a shard.
type ShardStatus string

// Standings of shards.
const (
	Running ShardStatus = "running" // or its worker has gone without a word
	Waiting ShardStatus = "waiting" // for another attempt
	Failed  ShardStatus = "parked"  // nobody tries it again
	Done    ShardStatus = "done"
)

// State is what is known of a shard that a worker has begun.
type State struct {
	Status ShardStatus `json:"standing"`
	Worker string      `json:"worker"`
	Begun  int         `json:"begun,omitempty"`  // how often, without what was released
	Reason string      `json:"reason,omitempty"` // why the last attempt failed
	Epoch  string      `json:"epoch"`            // of the job
	Output
}

// Output is what a computed shard has.
type Output struct {
	Rows     int64  `json:"rows,omitempty"`
	Rejected int64  `json:"rejected,omitempty"` // those of them without a result
	Digest   string `json:"digest,omitempty"`   // of the bytes
}

// message is what goes through the queue.
type message struct {
	Plan  string `json:"plan"`
	Shard int    `json:"shard"`
}

// JobError is an answer about a job: it cannot be submitted so, or is not there.
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

// Submitted is what a submission has changed.
type Submitted struct {
	New    bool // the job was not there before
	Queued int  // shards that are in the queue now and were not before
	Done   int  // shards that were computed before
}

// Submit puts the shards of a job into the queue. A job that is there gets those back that were
// parked, or that a broken submission has left out.
func (q *Queue) Submit(ctx context.Context, job *Job) (*Submitted, error) {
	if err := job.check(); err != nil {
		return nil, err
	}
	made, err := q.enter(ctx, job)
	if err != nil {
		return nil, err
	}
	err = persist(ctx, func() error {
		_, err := q.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: job.ID, FilterSubject: job.allSubjects(), AckPolicy: jetstream.AckExplicitPolicy,
			AckWait: job.lostAfter(), MaxDeliver: -1, MaxAckPending: -1, // attempts are counted by who makes them
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
	s := &Submitted{New: made}
	s.Queued, s.Done, err = q.enqueue(ctx, job, states)
	if err != nil {
		return nil, fmt.Errorf("%d of %d shards are in the queue; submit the job again: %w", s.Queued, job.Shards, err)
	}
	// Workers look again at a job that has changed.
	return s, persist(ctx, func() error { return q.put(ctx, job) })
}

// enter writes the job, if it is not there, and says whether it was written.
func (q *Queue) enter(ctx context.Context, job *Job) (bool, error) {
	job.Epoch = rand.Text()
	text, err := json.Marshal(job)
	if err != nil {
		return false, err
	}
	if len(text) > maxJob {
		return false, &JobError{fmt.Sprintf("the plan has %d bytes; a queue takes %d", len(text), maxJob)}
	}
	err = persist(ctx, func() error { _, err := q.bucket.Create(ctx, job.key(), text); return err })
	if err == nil || !errors.Is(err, jetstream.ErrKeyExists) {
		return err == nil, err
	}
	before, err := q.Job(ctx, job.ID)
	if err != nil {
		return false, err
	}
	job.Epoch = before.Epoch
	for _, one := range []struct {
		what     string
		is, want any
	}{
		{"its rows come from", before.From, job.From}, {"its results go to", before.Results, job.Results},
		{"shards are lost after seconds:", before.LostAfter, job.LostAfter}, {"attempts at a shard:", before.Attempts, job.Attempts},
	} {
		if one.is != one.want {
			return false, &JobError{fmt.Sprintf("this job is in the queue already, and %s %v, not %v: submit it as it was, or remove it first (slipstick batch cancel %.12s)", one.what, one.is, one.want, job.ID)}
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

// enqueue publishes the shards that nobody has to compute yet. A message is refused where one of
// the same shard waits, and taken once where it is sent twice.
func (q *Queue) enqueue(ctx context.Context, job *Job, states map[int]shardState) (queued, done int, err error) {
	const together = 500
	pending := make([]jetstream.PubAckFuture, 0, together)
	settle := func() error {
		for _, one := range pending {
			select {
			case ack := <-one.Ok():
				if !ack.Duplicate {
					queued++
				}
			case err := <-one.Err():
				if !waits(err) {
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
		was, begun := states[k]
		switch {
		case begun && was.Status == Done:
			done++
			continue
		case begun && was.Status == Failed:
			if err := persist(ctx, func() error { return q.unpark(ctx, job, k) }); err != nil {
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
		if len(pending) == together {
			if err := settle(); err != nil {
				return queued, done, err
			}
		}
	}
	return queued, done, settle()
}

// unpark lets a shard be tried again as often as a new one.
func (q *Queue) unpark(ctx context.Context, job *Job, k int) error {
	_, err := q.note(ctx, job, k, func(s *State) {
		s.Status, s.Begun = Waiting, 0
	})
	return err
}

// Discard removes an entry that is not a job.
func (q *Queue) Discard(ctx context.Context, e *UnreadError) error {
	return persist(ctx, func() error { return q.bucket.Purge(ctx, e.Key) })
}

// Cancel removes a job, with what is known of its shards. Workers end what they compute. Results
// in a directory stay.
func (q *Queue) Cancel(ctx context.Context, job *Job) error {
	err := persist(ctx, func() error {
		if err := q.stream.DeleteConsumer(ctx, job.ID); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			return err
		}
		return q.stream.Purge(ctx, jetstream.WithPurgeSubject(job.allSubjects()))
	})
	if err != nil {
		return err
	}
	if job.Results == ObjectStore {
		err := persist(ctx, func() error { return q.js.DeleteObjectStore(ctx, job.storeName()) })
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
		if err := persist(ctx, func() error { return q.bucket.Purge(ctx, one.Key()) }); err != nil {
			return err
		}
	}
	return persist(ctx, func() error { return q.bucket.Purge(ctx, job.key()) })
}

// UnreadError is an entry of the queue that is not a job as this version knows jobs. It affects no
// job.
type UnreadError struct {
	Key string
	Err error
}

func (e *UnreadError) Error() string {
	return fmt.Sprintf("%.200q in the bucket %s is not a job that this version of slipstick can read (%s); if no newer version needs it, remove it: slipstick batch cancel %[1]q", e.Key, bucketName, e.Err)
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

// Job returns the job whose id begins so.
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
			return nil, &JobError{fmt.Sprintf("several jobs begin with %s: write more of the id", id)}
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

// shardState is a state, and where it stands in the bucket.
type shardState struct {
	State
	revision uint64
	at       time.Time
}

// states returns what is known of the shards of a job that were begun.
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

// stateOf reads the state of a shard. An entry that cannot be read is the state of no job, so the
// shard counts as one that was not begun.
func stateOf(entry jetstream.KeyValueEntry) State {
	var s State
	if err := json.Unmarshal(entry.Value(), &s); err != nil {
		return State{}
	}
	return s
}

// entries returns what the bucket has under keys of a pattern.
func (q *Queue) entries(ctx context.Context, pattern string) (list []jetstream.KeyValueEntry, err error) {
	err = persist(ctx, func() error {
		list = list[:0]
		within, end := context.WithTimeout(ctx, patience/3)
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

// note changes what is known of a shard, and returns what it is now. What is done stays done.
func (q *Queue) note(ctx context.Context, job *Job, k int, change func(*State)) (now State, err error) {
	err = persist(ctx, func() error {
		for {
			err := q.change(ctx, job, k, &now, change)
			if !errors.Is(err, jetstream.ErrKeyRevisionMismatch) && !errors.Is(err, jetstream.ErrKeyExists) {
				return err
			}
			wait(ctx, retryAsk/10) // somebody has changed it meanwhile
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	})
	return now, err
}

func (q *Queue) change(ctx context.Context, job *Job, k int, now *State, change func(*State)) error {
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

// waits reports whether a shard was not queued because it waits already.
func waits(err error) bool {
	refused, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}
