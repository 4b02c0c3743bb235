package system

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/slipstick/slipstick/host/internal/queue"
	"github.com/slipstick/slipstick/host/internal/release/build"
)

// startNATS starts nats-server with JetStream, and returns its address.
func startNATS(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("nats-server", "--addr", "127.0.0.1", "--port", "-1", "--jetstream", "--store_dir", dir, "--ports_file_dir", dir)
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v: apt-get install nats-server", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(filepath.Join(dir, fmt.Sprintf("nats-server_%d.ports", cmd.Process.Pid)))
		var ports struct{ NATS []string }
		if json.Unmarshal(text, &ports) == nil && len(ports.NATS) > 0 {
			return ports.NATS[0]
		}
	}
	t.Fatal("nats-server does not listen")
	return ""
}

// queueWorker is a process that computes shards.
type queueWorker struct {
	*exec.Cmd
	out, err bytes.Buffer
}

func startWorker(t *testing.T, args ...string) *queueWorker {
	t.Helper()
	w := &queueWorker{Cmd: exec.Command(built.slipstick, append([]string{"batch", "work", "--json", "--registry", built.registry}, args...)...)}
	w.Stdout, w.Stderr = &w.out, &w.err
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Process.Kill() })
	return w
}

// computed returns the shards that the worker computed, after it has ended.
func (w *queueWorker) computed(t *testing.T) (list []int) {
	t.Helper()
	for lines := bufio.NewScanner(&w.out); lines.Scan(); {
		var event struct {
			Event string
			Shard int
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			t.Errorf("%v: %s", err, lines.Text())
		}
		if event.Event == "computed" {
			list = append(list, event.Shard)
		}
	}
	return list
}

// joined returns the shards of a directory, one after the other, below one header.
func joined(t *testing.T, dir string) string {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "*.csv"))
	slices.Sort(names)
	var all strings.Builder
	for i, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		head, rows, _ := strings.Cut(string(text), "\n")
		if i == 0 {
			all.WriteString(head + "\n")
		}
		all.WriteString(rows)
	}
	return all.String()
}

// A batch from a queue is byte-identical to a batch computed directly. During the test, one worker is killed
// within a shard and another one gets a signal to end.
func TestBatchQueue(t *testing.T) {
	busy(t)
	dir, address := t.TempDir(), startNATS(t)
	rows, results, whole := filepath.Join(dir, "rows.csv"), filepath.Join(dir, "results"), filepath.Join(dir, "whole.csv")
	text := []byte("case,V,R\n")
	for i := range 24_000 {
		text = fmt.Appendf(text, "case %d,%d,%d\n", i, i+1, i%50) // each 50th row is rejected
	}
	if err := os.WriteFile(rows, text, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(want int, args ...string) result {
		t.Helper()
		r := slipstick(t.Context(), args...)
		if r.code != want {
			t.Fatalf("%v: exit code %d\n%s%s", args, r.code, r.out, r.err)
		}
		return r
	}
	run(exitFailed, "calc", "--batch", rows, "--out", whole, "--registry", built.registry, "ohms-law")
	want, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	submit := []string{"batch", "submit", rows, "ohms-law", "--queue", address, "--registry", built.registry, "--shards", "6", "--results", results, "--lost-after", "1s"}
	run(exitOK, submit...)
	q, err := queue.Open(t.Context(), address, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	jobs, _, err := q.Jobs(t.Context())
	if err != nil || len(jobs) != 1 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	status := func() *queue.Status {
		t.Helper()
		s, err := q.Status(t.Context(), jobs[0])
		if err != nil {
			t.Fatal(err)
		}
		return s
	}

	// One worker is stopped within a shard, and killed after the other has computed one.
	killed := startWorker(t, "--queue", address, "--files", dir)
	held := 0
	for begin := time.Now(); held == 0; {
		if time.Since(begin) > patience || status().Done == 6 {
			t.Fatalf("it was not caught within a shard: %s", &killed.err)
		}
		if len(status().Running) == 0 {
			continue
		}
		_ = killed.Process.Signal(syscall.SIGSTOP)
		if is, again := status(), status(); len(is.Running) == 1 && is.Done == again.Done {
			held = is.Running[0].Shard
		} else {
			_ = killed.Process.Signal(syscall.SIGCONT)
		}
	}
	other := startWorker(t, "--queue", address, "--files", dir, "--until-done")
	for before, begin := status().Done, time.Now(); status().Done == before; time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > patience {
			t.Fatalf("no other worker takes a shard: %s", &other.err)
		}
	}
	_ = killed.Process.Kill()
	_ = killed.Wait()
	if err := other.Wait(); err != nil {
		t.Fatalf("%v: %s", err, &other.err)
	}
	if list := other.computed(t); !slices.Contains(list, held) {
		t.Errorf("the other worker computed %v, and not %d, which the killed one had", list, held)
	}
	if s := status(); s.Done != 6 || s.Rows != 24_000 || s.Rejected != 480 || s.Failed+s.Waiting+s.Taken > 0 {
		t.Errorf("%+v", s)
	}
	if joined(t, results) != string(want) {
		t.Error("the shards are not the batch")
	}
	run(exitOK, "batch", "verify", results, rows, "--sample", "50", "--registry", built.registry)
	if r := run(exitOK, submit...); !strings.Contains(r.out, "0 queued now, 6 done before") {
		t.Errorf("submitted again: %s", r.out)
	}
	if r := run(exitOK, "batch", "status", jobs[0].ID[:8], "--watch", "--json", "--queue", address); !strings.Contains(r.out, `"ended":true,"shards":6,`) || strings.Count(r.out, "\n") != 1 {
		t.Errorf("status: %s", r.out)
	}

	// Rows that differ from the rows of the plan are refused. Results in an object store are the same.
	changed := filepath.Join(dir, "changed.csv")
	if err := os.WriteFile(changed, append(text, "more,1,1\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	submit = []string{"batch", "submit", rows, "ohms-law", "--queue", address, "--registry", built.registry, "--shards", "2", "--results", "jetstream:"}
	run(exitOK, submit...)
	work := []string{"batch", "work", "--queue", address, "--registry", built.registry, "--files", dir, "--until-done"}
	if r := run(exitOK, append(work, "--rows", changed)...); !strings.Contains(r.err, "is not computed here: the rows do not have the digest of the plan, sha256:") {
		t.Errorf("other rows: %s", r.err)
	}
	run(exitOK, work...)
	jobs, _, err = q.Jobs(t.Context())
	if err != nil || len(jobs) != 2 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	fetched := filepath.Join(dir, "fetched")
	run(exitOK, "batch", "fetch", jobs[1].ID, "--out", fetched, "--queue", address)
	if joined(t, fetched) != string(want) {
		t.Error("the objects are not the batch")
	}
	run(exitOK, "batch", "verify", fetched, rows, "--sample", "0", "--registry", built.registry)
	run(exitOK, "batch", "cancel", jobs[1].ID, "--queue", address)
	if r := run(exitFailed, "batch", "status", jobs[1].ID, "--queue", address); !strings.Contains(r.err, "is in this queue") {
		t.Errorf("status of a job that was removed: %s", r.err)
	}

	// A job that names a file of the machine gets no content of it, and an entry that is not a job stops no
	// worker.
	secret := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(secret, []byte("V,R\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	forged := *jobs[1]
	forged.From, forged.Results = secret, filepath.Join(dir, "forged")
	if _, err := q.Submit(t.Context(), &forged); err != nil {
		t.Fatal(err)
	}
	conn, err := nats.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Request("$KV.slipstick_batch.0000.job", []byte("{}"), patience); err != nil {
		t.Fatal(err)
	}
	const unread = `"0000.job" in the bucket slipstick_batch is not a job`
	if r := run(exitOK, work...); !strings.Contains(r.err, "it is in none of the directories that this worker may use") || !strings.Contains(r.err, unread) {
		t.Errorf("work: %s", r.err)
	}
	run(exitOK, "batch", "cancel", forged.ID, "--queue", address)
	forged.From = changed
	if _, err := q.Submit(t.Context(), &forged); err != nil {
		t.Fatal(err)
	}
	run(exitOK, work...)
	r := run(exitOK, "batch", "status", "--json", "--queue", address)
	if !strings.Contains(r.out, `"reason":"the rows do not have the digest`) || strings.Count(r.out, "\n") != 2 || !strings.Contains(r.err, unread) {
		t.Errorf("status: %s%s", r.out, r.err)
	}
	for _, file := range []string{secret, changed} {
		if digest, err := build.Digest(file); err != nil || strings.Contains(r.out, digest) {
			t.Errorf("the status has the digest of %s: %v", file, err)
		}
	}
	run(exitOK, "batch", "cancel", "0000.job", "--queue", address)
	if r := run(exitOK, "batch", "status", "--queue", address); strings.Contains(r.err, unread) {
		t.Errorf("after the entry was removed: %s", r.err)
	}
}
