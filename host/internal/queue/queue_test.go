package queue_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/slipstick/slipstick/host/internal/queue"
)

// broker starts a nats-server and returns its URL. With an empty configuration it has JetStream.
func broker(t *testing.T, config string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("nats-server is not part of Go: skipped by -short")
	}
	dir := t.TempDir()
	if config == "" {
		config = fmt.Sprintf("jetstream { store_dir: %q }\n", dir)
	}
	file := filepath.Join(dir, "nats.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("nats-server", "--config", file, "--addr", "127.0.0.1", "--port", "-1", "--ports_file_dir", dir)
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v: apt-get install nats-server", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	ports := filepath.Join(dir, fmt.Sprintf("nats-server_%d.ports", cmd.Process.Pid))
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(ports)
		if _, rest, ok := strings.Cut(string(text), "nats://"); ok && strings.Contains(rest, "}") {
			url, _, _ := strings.Cut(rest, `"`)
			return "nats://" + url
		}
	}
	t.Fatal("nats-server does not listen")
	return ""
}

func open(t *testing.T, url string, create int) *queue.Queue {
	t.Helper()
	q, err := queue.Open(t.Context(), url, &queue.Options{Create: create})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

func job(plan string, shards int) *queue.Job {
	return &queue.Job{
		ID: fmt.Sprintf("%x", sha256.Sum256([]byte(plan))), Plan: plan, Shards: shards, Rows: int64(10 * shards),
		From: "rows.csv", Results: "results", Attempts: 2, LostAfter: 1,
	}
}

// computer is a [queue.Computer] that records the numbers of its shards.
type computer struct {
	refuse  error
	compute func(ctx context.Context, k int) error

	mu     sync.Mutex
	shards []int
}

func (c *computer) Accept(context.Context, *queue.Job) error { return c.refuse }

func (c *computer) Compute(ctx context.Context, _ *queue.Job, k int) (queue.Output, error) {
	c.mu.Lock()
	c.shards = append(c.shards, k)
	c.mu.Unlock()
	if c.compute != nil {
		if err := c.compute(ctx, k); err != nil {
			return queue.Output{}, err
		}
	}
	return queue.Output{Rows: 10, Rejected: 1, Digest: fmt.Sprint("digest of ", k)}, nil
}

func (c *computer) times(k int) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.shards {
		if one == k {
			n++
		}
	}
	return n
}

func submit(t *testing.T, q *queue.Queue, j *queue.Job) *queue.Submitted {
	t.Helper()
	s, err := q.Submit(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func status(t *testing.T, q *queue.Queue, id string) *queue.Status {
	t.Helper()
	j, err := q.Job(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	s, err := q.Status(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestQueue(t *testing.T) {
	url := broker(t, "")
	if _, err := queue.Open(t.Context(), url, nil); !errors.Is(err, queue.ErrEmpty) {
		t.Errorf("before the first job: %v", err)
	}
	q := open(t, url, 1)
	j := job("a plan\nwith <lines>", 40)
	if s := submit(t, q, j); !s.New || s.Queued != 40 || s.Done != 0 {
		t.Errorf("submitted: %+v", s)
	}
	if s := submit(t, q, job(j.Plan, 40)); s.New || s.Queued != 0 || s.Done != 0 {
		t.Errorf("submitted again: %+v", s)
	}
	other := job(j.Plan, 40)
	other.Results = "elsewhere"
	if _, err := q.Submit(t.Context(), other); err == nil || !strings.Contains(err.Error(), "its results go to results, not elsewhere") {
		t.Errorf("submitted with other results: %v", err)
	}

	// One worker refuses the job. Another fails at one shard, and ends while it computes a second one.
	refusing := &computer{refuse: errors.New("it has other rows")}
	if err := q.Work(t.Context(), refusing, &queue.WorkOptions{Name: "a", UntilDone: true}); err != nil || len(refusing.shards) > 0 {
		t.Errorf("a worker that refuses: %v, %d shards", err, len(refusing.shards))
	}
	ctx, end := context.WithCancel(t.Context())
	ending := &computer{}
	ending.compute = func(ctx context.Context, k int) error {
		switch k {
		case 3:
			return errors.New("disk full")
		case 7:
			end()
			return ctx.Err()
		}
		return nil
	}
	var released, failed []int
	observe := func(e queue.WorkEvent) {
		switch e.Kind {
		case queue.Released:
			released = append(released, e.Shard)
		case queue.AttemptFailed, queue.ShardFailed:
			failed = append(failed, e.Shard)
		}
	}
	if err := open(t, url, 0).Work(ctx, ending, &queue.WorkOptions{Name: "b", Observe: observe}); err != nil || fmt.Sprint(released, failed) != "[7] [3]" {
		t.Errorf("a worker that ends: %v; released %v, failed %v", err, released, failed)
	}
	s := status(t, q, j.ID[:6])
	if s.Done != 5 || s.Rows != 50 || s.Rejected != 5 || s.Waiting+s.Taken != 35 || s.Missing() != 0 || s.Ended() || s.Rate <= 0 || s.Left <= 0 {
		t.Errorf("status: %+v", s)
	}
	if len(s.Troubles) != 1 || s.Troubles[0] != (queue.Trouble{Shard: 3, Status: queue.Waiting, Worker: "b", Starts: 1, Reason: "disk full"}) || s.Refusal == nil || *s.Refusal != (queue.Refusal{Worker: "a", Reason: "it has other rows"}) {
		t.Errorf("status: %+v, %+v", s.Troubles, s.Refusal)
	}

	// The shard that fails counts as failed after its attempts. Two workers compute each other shard once.
	failing := func(_ context.Context, k int) error {
		if k == 3 {
			return errors.New("disk still full")
		}
		return nil
	}
	two := [2]*computer{{compute: failing}, {compute: failing}}
	var group sync.WaitGroup
	for i, c := range two {
		q := open(t, url, 0)
		group.Go(func() {
			if err := q.Work(t.Context(), c, &queue.WorkOptions{Name: fmt.Sprint("c", i), UntilDone: true}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for k := 1; k <= j.Shards; k++ {
		want := 1
		if k == 3 || k == 7 {
			want = 2
		}
		if n := ending.times(k) + two[0].times(k) + two[1].times(k); n != want {
			t.Errorf("shard %d was started %d times, want %d", k, n, want)
		}
	}
	if s := status(t, q, j.ID); !s.Ended() || s.Done != 39 || s.Failed != 1 || s.Rows != 390 || len(s.Troubles) != 1 || s.Troubles[0].Reason != "disk still full" || s.Troubles[0].Status != queue.Failed {
		t.Errorf("at the end: %+v", s)
	}

	// If the job is submitted again, the failed shard is tried again.
	if s := submit(t, q, job(j.Plan, 40)); s.New || s.Queued != 1 || s.Done != 39 {
		t.Errorf("submitted after a shard failed: %+v", s)
	}
	last := &computer{}
	if err := q.Work(t.Context(), last, &queue.WorkOptions{Name: "d", UntilDone: true}); err != nil || fmt.Sprint(last.shards) != "[3]" {
		t.Errorf("the last: %v, %v", err, last.shards)
	}
	if s := status(t, q, j.ID); s.Done != 40 || s.Rows != 400 || len(s.Troubles) != 0 {
		t.Errorf("in the end: %+v", s)
	}

	// After Cancel it is a new job, also within the time in which the broker discards duplicate messages.
	if err := q.Cancel(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Job(t.Context(), j.ID); err == nil {
		t.Error("a job that was removed is there")
	}
	if s := submit(t, q, job(j.Plan, 40)); !s.New || s.Queued != 40 || s.Done != 0 {
		t.Errorf("submitted after it was removed: %+v", s)
	}
}

// If a worker dies without a message, the broker delivers its shard to another. A shard counts as failed
// after it ended as many workers as it has attempts.
func TestLostWorkers(t *testing.T) {
	t.Parallel()
	url := broker(t, "")
	q := open(t, url, 1)
	j := job("plan", 1)
	submit(t, q, j)
	for i := range j.Attempts {
		lost := open(t, url, 0)
		ctx, end := context.WithCancel(t.Context())
		c := &computer{compute: func(ctx context.Context, _ int) error {
			lost.Close() // as if the machine had failed
			end()
			return ctx.Err()
		}}
		if err := lost.Work(ctx, c, &queue.WorkOptions{Name: fmt.Sprint("lost", i)}); err != nil || len(c.shards) != 1 {
			t.Fatalf("%v, %v", err, c.shards)
		}
	}
	c := &computer{}
	if err := q.Work(t.Context(), c, &queue.WorkOptions{Name: "other", UntilDone: true}); err != nil || len(c.shards) != 0 {
		t.Errorf("%v, %v", err, c.shards)
	}
	if s := status(t, q, j.ID); s.Failed != 1 || !strings.Contains(s.Troubles[0].Reason, "all 2 workers that started it died without a message, the last of them lost1") {
		t.Errorf("%+v", s)
	}
}

func TestObjectStore(t *testing.T) {
	t.Parallel()
	q := open(t, broker(t, ""), 1)
	j := job("plan", 1)
	j.Results = queue.ObjectStore
	submit(t, q, j)
	dir, to := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"one.csv": strings.Repeat("1,2,3\n", 100_000), "one.json": "{}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := q.Store(t.Context(), j, filepath.Join(dir, "one.csv"), filepath.Join(dir, "one.json")); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := q.Fetch(t.Context(), j, to, "none.csv"); n != 0 || err != nil {
		t.Errorf("fetched %d, %v", n, err)
	}
	for i, want := range []int{2, 0} {
		if n, err := q.Fetch(t.Context(), j, to); n != want || err != nil {
			t.Errorf("fetched %d, %v, in round %d", n, err, i)
		}
	}
	for _, name := range []string{"one.csv", "one.json"} {
		is, _ := os.ReadFile(filepath.Join(to, name))
		want, _ := os.ReadFile(filepath.Join(dir, name))
		if string(is) != string(want) || len(is) == 0 {
			t.Errorf("%s: %d bytes, want %d", name, len(is), len(want))
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "one.json"), []byte("[]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := q.Store(t.Context(), j, filepath.Join(dir, "one.json")); err == nil || !strings.Contains(err.Error(), "the store has it with other bytes") {
		t.Errorf("other bytes: %v", err)
	}
	if err := q.Cancel(t.Context(), j); err != nil {
		t.Error(err)
	}
}

func TestUnusable(t *testing.T) {
	t.Parallel()
	bare, guarded := broker(t, "max_payload: 1MB\n"), broker(t, "authorization { user: who, password: secret }\n")
	used := broker(t, "")
	conn, err := nats.Connect(used)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err == nil {
		_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "SLIPSTICK_BATCH", Subjects: []string{"other"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		url  string
		o    queue.Options
		want string
	}{
		{"localhost:4222", queue.Options{}, `"localhost:4222" is not the URL of a broker: write nats://HOST:4222`},
		{"http://me:secret@localhost", queue.Options{}, `"http://me:xxxxx@localhost" is not the URL`},
		{"nats://127.0.0.1:1", queue.Options{}, "the broker at nats://127.0.0.1:1: no broker responds"},
		{bare, queue.Options{}, "has no JetStream: start nats-server with -js"},
		{guarded, queue.Options{}, "the broker refuses these credentials"},
		{guarded, queue.Options{Credentials: "/no/file"}, "the credentials file: "},
		{used, queue.Options{Create: 1}, "the stream SLIPSTICK_BATCH of the broker was created with other settings: retention is Limits, and must be WorkQueue"},
	} {
		q, err := queue.Open(t.Context(), tt.url, &tt.o)
		if err == nil {
			q.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret@") {
			t.Errorf("%s: %v, want %q", tt.url, err, tt.want)
		}
	}
}

// Entries of the bucket that are not jobs stop neither workers nor the status of jobs. A worker reports
// each of them once, and they can be removed.
func TestUnreadEntries(t *testing.T) {
	t.Parallel()
	url := broker(t, "")
	q := open(t, url, 1)
	good := job("good", 2)
	submit(t, q, good)
	broken := job("broken", 1)
	submit(t, q, broken)
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	bucket, err := js.KeyValue(t.Context(), "slipstick_batch")
	if err != nil {
		t.Fatal(err)
	}
	copied, err := bucket.Get(t.Context(), good.ID+".job")
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]string{
		"0000.job": "{}", "0001.job": "", "0002.job": "\xff\x00", "0003.job": "[]", "0004.job": string(copied.Value()),
		"0005.job": `{"id":"0005","plan":{"form":"slipstick-plan/2"}}`, "0006.job": `"` + strings.Repeat("x", 600_000) + `"`,
	}
	for key, value := range entries {
		if _, err := bucket.PutString(t.Context(), key, value); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{good.ID + ".1", good.ID + ".99", good.ID + ".refusal"} { // damage within a job
		if _, err := bucket.PutString(t.Context(), key, "garbage"); err != nil {
			t.Fatal(err)
		}
	}
	if err := js.DeleteConsumer(t.Context(), "SLIPSTICK_BATCH", broken.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Request("$JS.API.CONSUMER.DURABLE.CREATE.SLIPSTICK_BATCH."+broken.ID, []byte(`{"stream_name":"SLIPSTICK_BATCH","config":{"durable_name":"`+broken.ID+
		`","deliver_subject":"elsewhere","ack_policy":"explicit","filter_subject":"slipstick.batch.`+broken.ID+`.*"}}`), 5*time.Second); err != nil {
		t.Fatal(err)
	}

	named, refused := map[string]int{}, 0
	c := &computer{}
	err = q.Work(t.Context(), c, &queue.WorkOptions{Name: "a", UntilDone: true, Observe: func(e queue.WorkEvent) {
		switch e.Kind {
		case queue.Unread:
			unread, _ := errors.AsType[*queue.UnreadError](e.Err)
			named[unread.Key]++
		case queue.Refused:
			refused++
			if e.Job.ID != broken.ID {
				t.Errorf("refused: %v", e.Err)
			}
		case queue.Computed:
		default:
			t.Errorf("%+v", e)
		}
	}})
	if err != nil || c.times(1) != 1 || c.times(2) != 1 || refused != 1 {
		t.Errorf("%v, computed %v, %d refused", err, c.shards, refused)
	}
	for key := range entries {
		if named[key] != 1 {
			t.Errorf("%s was named %d times", key, named[key])
		}
	}
	if s := status(t, q, good.ID); s.Done != 2 || s.Rows != 20 || s.Refusal != nil {
		t.Errorf("%+v", s)
	}
	jobs, unread, err := q.Jobs(t.Context())
	if err != nil || len(jobs) != 2 || len(unread) != len(entries) {
		t.Errorf("%d jobs, %d other entries, %v", len(jobs), len(unread), err)
	}
	_, err = q.Job(t.Context(), "0000")
	found, ok := errors.AsType[*queue.UnreadError](err)
	if !ok || !strings.Contains(err.Error(), `slipstick batch cancel "0000.job"`) {
		t.Fatalf("%v", err)
	}
	if err := q.Discard(t.Context(), found); err != nil {
		t.Error(err)
	}
	if _, err := q.Job(t.Context(), "0000"); err == nil || errors.As(err, &found) {
		t.Errorf("after it was removed: %v", err)
	}
}
