package terminal

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/queue"
)

func TestJobStatus(t *testing.T) {
	s := &queue.Status{
		Job: &queue.Job{ID: strings.Repeat("1f6a", 16), Shards: 200, Rows: 1000, From: "/rows.csv", Results: "/out"}, Waiting: 188, Taken: 2, Failed: 3, Done: 4, Rows: 20, Rejected: 1, Rate: 10.4, Left: 98200 * time.Millisecond,
		Troubles: []queue.Trouble{{Shard: 2, Status: queue.Failed, Worker: "a/1", Starts: 5, Reason: "no room"}, {Shard: 3, Status: queue.Failed, Worker: "b/2", Starts: 5, Reason: "no room"}, {Shard: 9, Status: queue.Waiting, Worker: "b/2", Starts: 1, Reason: "no room"}},
		Refusal:  &queue.Refusal{Worker: "c/3", Reason: "other rows"},
	}
	var out strings.Builder
	if err := JobStatus(&out, s, false); err != nil {
		t.Fatal(err)
	}
	const want = `job 1f6a1f6a1f6a  4 of 200 shards, 2 with workers, 3 failed  20 of 1000 rows, 1 rejected  10 rows/s  1m38s left
  rows      /rows.csv
  results   /out
  failed    2-3 after 5 attempts, the last by a/1: no room
  waiting   9 after 1 attempt, the last by b/2: no room
  refused   by c/3: other rows
  missing   3 shards not in the queue: submit the job again
`
	if out.String() != want {
		t.Errorf("%s\nwant %s", &out, want)
	}
}

// People read a reason once, until a shard is computed. Programs read every event.
func TestWorking(t *testing.T) {
	job := &queue.Job{ID: strings.Repeat("1f6a", 16), Shards: 9}
	events := []queue.WorkEvent{
		{Kind: queue.AttemptFailed, Job: job, Shard: 1, Err: errors.New("no room")},
		{Kind: queue.AttemptFailed, Job: job, Shard: 2, Err: errors.New("no room")},
		{Kind: queue.Computed, Job: job, Shard: 3, Output: queue.Output{Rows: 7, Digest: "sha256:0"}},
		{Kind: queue.ShardFailed, Job: job, Shard: 1, Err: errors.New("no room")},
		{Kind: queue.Interrupt, Err: errors.New("no answer")},
		{Kind: queue.Interrupt, Err: errors.New("no answer")},
	}
	for _, tt := range []struct {
		asJSON    bool
		out, errs string
	}{
		{false, "", "slipstick: job 1f6a1f6a1f6a, shard 1 failed, and will be tried again: no room\n" +
			"slipstick: job 1f6a1f6a1f6a, shard 1 failed after its last attempt: no room\nslipstick: asking the broker again: no answer\n"},
		{true, `{"event":"failed","job":"` + job.ID + `","shard":1,"reason":"no room"}
{"event":"failed","job":"` + job.ID + `","shard":2,"reason":"no room"}
{"event":"computed","job":"` + job.ID + `","shard":3,"rows":7,"digest":"sha256:0"}
{"event":"parked","job":"` + job.ID + `","shard":1,"reason":"no room"}
{"event":"interrupt","reason":"no answer"}
{"event":"interrupt","reason":"no answer"}
`, ""},
	} {
		var out, errs strings.Builder
		w := NewWorking(&out, &errs, tt.asJSON)
		for _, e := range events {
			w.Observe(e)
		}
		if out.String() != tt.out || errs.String() != tt.errs || w.GaveUp != 1 {
			t.Errorf("%s%s, %d given up; want %s%s", &out, &errs, w.GaveUp, tt.out, tt.errs)
		}
	}
}
