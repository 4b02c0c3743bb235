package system

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// soaking reports whether this is a long run of scripts/soak.
var soaking = os.Getenv("SLIPSTICK_SOAK") != ""

// question is a request and its expected response.
type question struct{ path, version, body, answer string }

// questions asks the server for the expected responses before any fault.
func questions(t *testing.T, h *server) []question {
	t.Helper()
	var all []question
	for i := range 40 {
		all = append(all,
			question{path: "ohms-law", version: "1.0.1", body: fmt.Sprintf(`{"V":%d.5,"R":3}`, i)},
			question{path: "grey-surface-radiation", version: "1.0.0", body: fmt.Sprintf(`{"emissivity":0.9,"temperature":%d}`, 300+i)},
			question{path: "grey-surface-radiation", version: "2.0.0", body: fmt.Sprintf(`{"emissivity":0.9,"temperature":%d}`, 300+i)},
			question{path: "cantilever-deflection", version: "1.0.0", body: fmt.Sprintf(`{"L":%d,"E":210e9,"I":8.356e-5,"w0":12000}`, 1+i)},
		)
	}
	for i := range all {
		q := &all[i]
		status, answer := h.post(t, "/api/v1/calc/"+q.path, q.body, "Service-Spec-Version", q.version)
		if status != 200 {
			t.Fatalf("%+v: %d %s", q, status, answer)
		}
		q.answer = answer
	}
	return all
}

// tally counts the outcomes of a load.
type tally struct {
	sync.Mutex
	asked, failed int
	took          []time.Duration
}

func (y *tally) p99() time.Duration {
	slices.Sort(y.took)
	return y.took[len(y.took)*99/100]
}

// ask sends random questions from several callers until the given number is reached. Every response must be
// byte-identical to the expected one.
func ask(t *testing.T, h *server, all []question, callers, requests int) *tally {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers}}
	defer client.CloseIdleConnections()
	y := new(tally)
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range requests / callers {
				q := &all[rand.IntN(len(all))]
				start := time.Now()
				end := h.flights.add()
				problem := q.ask(t.Context(), client, h.url)
				end()
				y.Lock()
				y.asked++
				y.took = append(y.took, time.Since(start))
				if problem != "" {
					y.failed++
				}
				first := y.failed < 5
				y.Unlock()
				if problem != "" && first {
					t.Errorf("%s %s: %s", q.path, q.body, problem)
				}
			}
		})
	}
	wg.Wait()
	return y
}

// ask returns the error of the response, or "".
func (q *question) ask(ctx context.Context, client *http.Client, url string) string {
	req, err := http.NewRequestWithContext(ctx, "POST", url+"/api/v1/calc/"+q.path, strings.NewReader(q.body))
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Service-Spec-Version", q.version)
	resp, err := client.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || string(body) != q.answer {
		return fmt.Sprintf("%d %.300s, %v", resp.StatusCode, body, err)
	}
	return ""
}

// drain reads the log of the server, so that the server never blocks on a full pipe. The last lines are part of the
// report of a test that fails.
func (h *server) drain(t *testing.T) {
	t.Helper()
	var last []string
	done := make(chan struct{})
	go func() {
		defer close(done)
		for h.stderr.Scan() {
			last = append(last, h.stderr.Text())
			if len(last) > 50 {
				last = last[1:]
			}
		}
	}()
	t.Cleanup(func() {
		if t.Failed() {
			_ = h.cmd.Process.Kill() // it may have ended already
			<-done
			t.Logf("the end of the server's log:\n%s", strings.Join(last, "\n"))
		}
	})
}

// children lists the child processes of the process. The children of a server are its engines.
func children(pid int) []int {
	var found []int
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list) // a thread may have ended
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				found = append(found, child)
			}
		}
	}
	return found
}

// flights are the requests that have no response yet.
type flights struct {
	mu   sync.Mutex
	open map[chan struct{}]bool
}

// add adds a request, until its end is called.
func (f *flights) add() (end func()) {
	landed := make(chan struct{})
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == nil {
		f.open = map[chan struct{}]bool{}
	}
	f.open[landed] = true
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.open, landed)
		close(landed)
	}
}

// wait returns when all present requests have their responses.
func (f *flights) wait() {
	f.mu.Lock()
	present := slices.Collect(maps.Keys(f.open))
	f.mu.Unlock()
	for _, landed := range present {
		<-landed
	}
}

// signalEngines sends a signal to a random engine at every interval, until end is called. It counts the signals. A
// request gets two attempts, so the interval starts when the requests that the last signal may have hit are answered.
func signalEngines(t *testing.T, h *server, every time.Duration, what syscall.Signal) (struck *atomic.Int64, end func()) {
	t.Helper()
	stop, done := make(chan struct{}), make(chan struct{})
	struck = new(atomic.Int64)
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(every):
			}
			engines := children(h.cmd.Process.Pid)
			if len(engines) == 0 {
				continue
			}
			engine := engines[rand.IntN(len(engines))]
			_ = syscall.Kill(engine, what) // the process may have ended already
			if what == syscall.SIGKILL {
				awaitEnd(t, engine)
			}
			struck.Add(1)
			h.flights.wait()
		}
	}()
	return struck, func() { close(stop); <-done }
}

// askDuring asks until the given number of requests is answered and the given number of signals is sent. On a fast
// machine the requests finish first, on a slow machine the signals do.
func askDuring(t *testing.T, h *server, all []question, requests int, struck *atomic.Int64, least int64) *tally {
	t.Helper()
	y := ask(t, h, all, 8, requests)
	for struck.Load() < least && !t.Failed() {
		more := ask(t, h, all, 8, requests/4)
		y.asked, y.failed, y.took = y.asked+more.asked, y.failed+more.failed, append(y.took, more.took...)
	}
	return y
}

// A1: engines are killed at random under load, and no answer is lost or wrong.
func TestEnginesKilled(t *testing.T) {
	requests, every := 4_000, 300*time.Millisecond
	if soaking {
		requests, every = 150_000, 500*time.Millisecond
	}
	h := startAll(t, "--warm", "--cache", "0")
	h.drain(t)
	all := questions(t, h)
	calm := ask(t, h, all, 8, 2_000)
	kills, end := signalEngines(t, h, every, syscall.SIGKILL)
	y := askDuring(t, h, all, requests, kills, 3)
	end()
	t.Logf("%d requests, %d failed, %d kills, p99 %v (%v without)", y.asked, y.failed, kills.Load(), y.p99(), calm.p99())
}

// A3: engines are stopped at random under load. The server needs up to 0.8 s to notice: more frequent stops may
// hit both attempts of a request.
func TestEnginesStopped(t *testing.T) {
	requests, every := 8_000, 1500*time.Millisecond
	if soaking {
		requests, every = 50_000, 5*time.Second
	}
	h := startAll(t, "--warm", "--cache", "0")
	h.drain(t)
	all := questions(t, h)
	stops, end := signalEngines(t, h, every, syscall.SIGSTOP)
	y := askDuring(t, h, all, requests, stops, 3)
	end()
	t.Logf("%d requests, %d failed, %d stops, slowest %v", y.asked, y.failed, stops.Load(), slices.Max(y.took))
}

// H4, B7, P11: a server that is killed leaves no process. The next server cleans up the rest and is ready.
func TestServerKilled(t *testing.T) {
	for range 3 {
		h := startAll(t, "--warm")
		questions(t, h)
		engines := children(h.cmd.Process.Pid)
		if len(engines) < 5 {
			t.Fatalf("engines %v", engines)
		}
		if err := h.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = h.cmd.Wait() // the server was killed
		for _, pid := range engines {
			awaitEnd(t, pid)
		}
		start := time.Now()
		next := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", built.registry, "--data", t.TempDir(), "--limit", "calc=0"}, "TMPDIR="+h.temp)
		t.Logf("ready again after %v", time.Since(start))
		left, err := filepath.Glob(filepath.Join(h.temp, "slipstick-*"))
		if err != nil || len(left) != 1 {
			t.Errorf("%v, %v: want one directory, that of the new host", left, err)
		}
		next.stop(t)
		if left, _ := filepath.Glob(filepath.Join(h.temp, "*")); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// A7: a server starts engines after its temporary files were removed, and running engines continue.
func TestTemporaryFilesCleaned(t *testing.T) {
	h := startAll(t, "--cache", "0")
	h.drain(t)
	calls := []struct{ tool, body string }{
		{"ohms-law", `{"V":12,"R":8}`}, {"cantilever-deflection", `{"L":3,"E":210e9,"I":8.356e-5}`},
		{"grey-surface-radiation", `{"emissivity":0.9,"temperature":300}`}, {"amps-to-volts", `{"mode":"ohms","I":1,"R":2}`},
	}
	for i, clean := range []func() error{
		func() error { return nil },
		func() error {
			found, err := filepath.Glob(filepath.Join(h.temp, "slipstick-*"))
			if err != nil || len(found) != 1 {
				return fmt.Errorf("%v, %w: want one directory", found, err)
			}
			return os.RemoveAll(found[0])
		},
		func() error { return os.RemoveAll(h.temp) },
		func() error { return errors.Join(os.RemoveAll(h.temp), os.Mkdir(h.temp, 0o700)) },
	} {
		if err := clean(); err != nil {
			t.Fatal(err)
		}
		for _, call := range calls[:i+1] { // the last call starts an engine
			if status, answer := h.post(t, "/api/v1/calc/"+call.tool, call.body); status != 200 {
				t.Errorf("after cleaning %d: %s: %d %s", i, call.tool, status, answer)
			}
		}
	}
	for _, pid := range children(h.cmd.Process.Pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	for _, call := range calls {
		if status, answer := h.post(t, "/api/v1/calc/"+call.tool, call.body); status != 200 {
			t.Errorf("after its process was killed: %s: %d %s", call.tool, status, answer)
		}
	}
}

// awaitEnd waits until the process has ended.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	fd, err := pidfdOpen(pid)
	if err != nil {
		return // the process has ended
	}
	defer syscall.Close(fd)
	if !readable(fd, patience) {
		t.Errorf("engine %d lives on", pid)
	}
}
