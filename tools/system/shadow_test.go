package system

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/shadow"
)

// withCandidate returns a registry in which the older version of a capability is current. The newer version has a
// different constant, so it differs in every result.
func withCandidate(t *testing.T) string {
	t.Helper()
	registry := filepath.Join(t.TempDir(), "registry")
	if err := os.CopyFS(registry, os.DirFS(built.registry)); err != nil {
		t.Fatal(err)
	}
	does(t, "promote", "--registry", registry, "grey-surface-radiation", "1.0.0")
	return registry
}

// declare lets servers compare the shadow candidate, and waits until one does so.
func declare(t *testing.T, h *server, registry, sample string) {
	t.Helper()
	does(t, "shadow", "--registry", registry, "grey-surface-radiation", "2.0.0", "--sample", sample)
	h.newest(t, "the comparison runs", func(c *shadow.Comparison) bool { return c.Running })
}

// newest waits until the condition holds for the latest comparison.
func (h *server) newest(t *testing.T, what string, is func(*shadow.Comparison) bool) shadow.Comparison {
	t.Helper()
	var report shadow.Report
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		_, body := h.get(t, shadow.Path)
		if err := json.Unmarshal([]byte(body), &report); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		if n := len(report.Comparisons); n > 0 && is(&report.Comparisons[n-1]) {
			return report.Comparisons[n-1]
		}
	}
	t.Fatalf("not after a minute: %s: %+v", what, report)
	return shadow.Comparison{}
}

// candidates lists the processes with the low priority of shadow candidates.
func candidates(pid int) []int {
	return slices.DeleteFunc(children(pid), func(child int) bool {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child))
		_, rest, _ := strings.Cut(string(stat), ") ") // the name of the program may contain spaces
		fields := strings.Fields(rest)
		const nice = 16 // index from the third field on
		return len(fields) <= nice || fields[nice] != "19"
	})
}

// every calls all interfaces for the current version, and returns their answers.
func every(t *testing.T, h *server) (answers []string, calculations uint64) {
	t.Helper()
	const path, inputs = "/api/v1/calc/grey-surface-radiation", `{"emissivity":0.9,"temperature":350}`
	add := func(status int, body string) {
		if status >= 500 {
			t.Errorf("%d %s", status, body)
		}
		answers = append(answers, body)
	}
	add(h.post(t, path, inputs))
	add(h.post(t, path, inputs)) // now the result is in the cache
	add(h.post(t, path, inputs, pinHeader, "1.0.0"))
	add(h.post(t, path+"?steps=true", inputs))
	add(h.post(t, path, `{"emissivity":2,"temperature":350}`)) // the engine refuses these inputs
	add(h.post(t, path, inputs, pinHeader, "2.0.0"))           // the shadow candidate itself answers
	add(h.get(t, "/api/v1/value/grey-surface-radiation?emissivity=0.9&temperature=350"))
	add(h.get(t, "/calc/thermo/grey-surface-radiation?emissivity=0.9&temperature=350"))
	add(h.post(t, "/mcp", toolCall("execute_calculation", `{"capability_id":"grey-surface-radiation","inputs":`+inputs+`}`)))
	var lines strings.Builder
	for i := range 100 {
		fmt.Fprintf(&lines, "{\"id\":\"grey-surface-radiation\",\"inputs\":{\"emissivity\":0.9,\"temperature\":%d}}\n", 300+i)
	}
	for _, output := range []string{"full", "result", "attributed"} {
		add(h.post(t, "/api/v1/batch?output="+output, lines.String(), "Content-Type", "application/x-ndjson"))
	}
	return answers, 5 + 3 + 3*100
}

// made matches the creation time that every page contains.
var made = regexp.MustCompile(`<time datetime="[^"]*">[^<]*</time>`)

// unchanged makes sure that the answers are byte-identical.
func unchanged(t *testing.T, was, is []string) {
	t.Helper()
	for i := range was {
		was[i], is[i] = made.ReplaceAllString(was[i], ""), made.ReplaceAllString(is[i], "")
		if was[i] != is[i] {
			same := 0
			for same < min(len(was[i]), len(is[i])) && was[i][same] == is[i][same] {
				same++
			}
			same = max(0, same-100)
			t.Errorf("answer %d was ...%.300s\nand is ...%.300s", i, was[i][same:], is[i][same:])
		}
	}
}

// A shadow candidate computes after every interface has answered. The answers stay byte-identical, also when the
// candidate is killed.
func TestShadow(t *testing.T) {
	registry := withCandidate(t)
	h := startServer(t, "--registry", registry, "--follow", "20ms", "--shadow", "inputs")
	h.awaitAt(t, "/api/v1/calc/grey-surface-radiation", `"1.0.0"`, `{"emissivity":0.9,"temperature":350}`)
	every(t, h)
	before, calculations := every(t, h)
	declare(t, h, registry, "100%")
	after, _ := every(t, h)
	unchanged(t, before, after)
	c := h.newest(t, "all answers are counted", func(c *shadow.Comparison) bool {
		return c.Compared()+c.Dropped.All()+c.Failed+c.Incomparable >= calculations
	})
	if want := (shadow.Counts{Same: 1, Changed: calculations - 1}); c.Counts != want {
		t.Errorf("%+v, want %+v", c.Counts, want)
	}
	// The Stefan-Boltzmann constants 5.670367e-8 and 5.670374419e-8 differ by 1.308e-6 of either.
	if o := c.Outputs; len(o) != 2 || o[0].Name != "heat_flow" || math.Abs(*o[0].Largest.Relative-1.308e-6) > 1e-9 || len(o[0].Worst) != 3 {
		t.Errorf("%+v", o)
	}
	for _, want := range []string{
		fmt.Sprintf(`slipstick_shadow_comparisons_total{capability="thermo.radiation.grey_surface",outcome="changed",version="2.0.0"} %d`, calculations-1),
		`slipstick_shadow_largest_difference{capability="thermo.radiation.grey_surface",output="heat_flow",version="2.0.0"} 1.3`,
	} {
		if _, metrics := h.get(t, "/metrics"); !strings.Contains(metrics, want) {
			t.Errorf("the metrics have no %s", want)
		}
	}

	first := candidates(h.cmd.Process.Pid)
	if len(first) != 1 {
		t.Fatalf("processes that give way: %v", first)
	}
	if err := syscall.Kill(first[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killed, _ := every(t, h)
	unchanged(t, before, killed)
	h.newest(t, "a candidate that was killed is started again", func(c *shadow.Comparison) bool { return c.Changed > calculations })

	if r := does(t, "shadow", "report", h.url, h.url); !strings.Contains(r, "thermo.radiation.grey_surface 2.0.0, compared with 1.0.0") || !strings.Contains(r, `"temperature":`) {
		t.Errorf("report:\n%s", r)
	}
	if r := slipstick(t.Context(), "shadow", "--registry", registry, "grey-surface-radiation", "1.0.0", "--sample", "1%"); r.code != exitFailed || !strings.Contains(r.err, "it is the current version") {
		t.Errorf("of the current version: %d %s", r.code, r.err)
	}
	does(t, "shadow", "--registry", registry, "grey-surface-radiation", "2.0.0", "--stop")
	ended := h.newest(t, "it ends", func(c *shadow.Comparison) bool { return !c.Running })
	every(t, h)
	if c := h.newest(t, "", func(*shadow.Comparison) bool { return true }); c.Compared() > ended.Compared()+256 {
		t.Errorf("%+v after %+v", c.Counts, ended.Counts)
	}
	h.stop(t)
}

// Shadow candidates are killed, or stopped, repeatedly under load, and no answer is lost or changed.
func TestShadowKilled(t *testing.T) {
	if !soaking {
		t.Skip("by scripts/soak")
	}
	registry := withCandidate(t)
	h := startServer(t, "--registry", registry, "--follow", "20ms", "--warm", "--cache", "0")
	h.drain(t)
	all := questions(t, h)
	const requests = 10_000
	rate := func(load func() *tally) float64 {
		began := time.Now()
		y := load()
		if y.failed > 0 {
			t.Errorf("%d of %d failed", y.failed, y.asked)
		}
		return float64(y.asked) / time.Since(began).Seconds()
	}
	calm := func() float64 { return rate(func() *tally { return ask(t, h, all, 8, requests) }) }
	calm()
	for range 5 {
		without := calm()
		declare(t, h, registry, "100%")
		with := calm()
		does(t, "shadow", "--registry", registry, "grey-surface-radiation", "2.0.0", "--stop")
		c := h.newest(t, "it ends", func(c *shadow.Comparison) bool { return !c.Running })
		t.Logf("%.0f answers a second, %.0f with a candidate at 100%%; %+v", without, with, c.Counts)
	}
	declare(t, h, registry, "100%")
	for name, what := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "stopped": syscall.SIGSTOP} {
		stop, done, struck := make(chan struct{}), make(chan struct{}), 0
		go func() {
			defer close(done)
			for ticker := time.NewTicker(500 * time.Millisecond); ; {
				select {
				case <-stop:
					return
				case <-ticker.C:
					if list := candidates(h.cmd.Process.Pid); len(list) > 0 && syscall.Kill(list[rand.IntN(len(list))], what) == nil {
						struck++
					}
				}
			}
		}()
		per := rate(func() *tally {
			y := new(tally)
			for began := time.Now(); time.Since(began) < time.Minute; {
				more := ask(t, h, all, 8, requests)
				y.asked, y.failed = y.asked+more.asked, y.failed+more.failed
			}
			return y
		})
		close(stop)
		<-done
		if struck < 20 {
			t.Errorf("%s only %d times", name, struck)
		}
		c := h.newest(t, "", func(*shadow.Comparison) bool { return true })
		t.Logf("%s %d times: %.0f answers a second; %+v", name, struck, per, c.Counts)
	}
}
