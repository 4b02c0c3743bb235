package system

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"log/slog"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/host/internal/archive/ledger"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// replayed is the part of replay's JSON output that tests use.
type replayed struct {
	Read, Same, Different, Missing uint64
	Blocked                        uint64 `json:"not_computed"`
	Holes                          uint64 `json:"gaps_found"`
	Releases                       []struct {
		Capability string            `json:"capability_id"`
		Version    string            `json:"calculation_version"`
		Results    map[string]uint64 `json:"results"`
		Examples   []struct{ Name, Result, Detail string }
		Blocked    []struct {
			Reason string
			Count  uint64
		} `json:"not_computed"`
	}
}

// recordLibrary records the given number of answers for every capability of a registry. It makes the requests from
// the Spec. The capabilities follow each other in the ledger, as on a server.
func recordLibrary(t *testing.T, registry, dir string, each int) (records, capabilities int) {
	t.Helper()
	published, _, err := (&source.Place{Registry: registry}).Capabilities(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	listed := catalog.New(published)
	running, err := pool.New(&pool.Options{Log: slog.New(slog.DiscardHandler), Confine: &sandbox.Options{None: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer running.Close()
	service := calc.New(listed, running, nil)
	_, secret, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.Open(dir, &ledger.Options{
		Inputs: ledger.Whole, Queue: 1 << 30, Secret: make([]byte, 32),
		Sign: func(_ time.Time, message []byte) (ed25519.PublicKey, []byte) {
			return secret.Public().(ed25519.PublicKey), ed25519.Sign(secret, message)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	type asked struct {
		by       *record.Release
		release  *catalog.Release
		cases    []compat.Case
		rows     []value.Values
		outcomes []calc.Recomputed
	}
	var all []*asked
	for _, entry := range listed.Entries() {
		a := &asked{release: entry.Shown()}
		a.by = record.NewRelease(record.Release{
			Capability: a.release.Capability, Version: a.release.Version, Digest: a.release.Digest, Engine: a.release.EngineDigest, Platform: runtime.GOOS + "/" + runtime.GOARCH,
		})
		a.cases = compat.Legal(&a.release.Spec, each)
		all = append(all, a)
	}
	const atOnce = 256 // records of each capability at a time, so that the memory of the answers is released
	for from := 0; from < each; from += atOnce {
		for _, a := range all {
			a.rows = nil
			for _, c := range a.cases[from:min(from+atOnce, each)] {
				object, err := strictjson.ParseObject([]byte(c.Inputs))
				if err != nil {
					t.Fatal(err)
				}
				if inputs, _, err := request.Read(&a.release.Spec, object); err == nil { // servers do not record refused requests
					a.rows = append(a.rows, inputs)
				}
			}
			a.outcomes, err = service.RecomputeAll(t.Context(), a.release, a.rows)
			if err != nil {
				t.Fatal(err)
			}
		}
		now := time.Now()
		for i := range atOnce {
			for _, a := range all {
				if i >= len(a.rows) {
					continue
				}
				if err := a.outcomes[i].Err; err != nil {
					t.Fatal(err)
				}
				l.Record(record.Record{Kind: record.Answer, Time: now, Release: a.by, Inputs: a.rows[i], Outcome: a.outcomes[i].Outcome})
				records++
			}
		}
	}
	if stats := l.Stats(); stats.Lost > 0 {
		t.Fatalf("%d records were lost", stats.Lost)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return records, len(all)
}

// A million answers of the whole library are the same after recomputation. Run with scripts/soak replay.
func TestReplayOfTheLibrary(t *testing.T) {
	if !soaking {
		t.Skip("scripts/soak replay")
	}
	registry, dir := library(t), filepath.Join(t.TempDir(), "ledger")
	const most = 1_000_000
	records, capabilities := recordLibrary(t, registry, dir, most/60)
	if records < most || capabilities < 50 {
		t.Fatalf("%d records of %d capabilities", records, capabilities)
	}
	exported := filepath.Join(t.TempDir(), "records.parquet")
	does(t, "ledger", "export", dir, "-o", exported)
	for _, target := range []string{dir, exported} {
		replayLibrary(t, registry, target, records)
	}
}

// replayLibrary recomputes the records.
func replayLibrary(t *testing.T, registry, target string, records int) {
	cmd := exec.Command(built.slipstick, "replay", target, "--registry", registry, "--json")
	var out bytes.Buffer
	cmd.Stdout = &out
	begun := time.Now()
	err := cmd.Run()
	took := time.Since(begun)
	var r replayed
	if e := json.Unmarshal(out.Bytes(), &r); e != nil || err != nil {
		t.Errorf("%v, %v", err, e)
	}
	if r.Read != uint64(records) || r.Same != r.Read || r.Different+r.Blocked+r.Holes > 0 || len(r.Releases) < 50 {
		t.Errorf("of %d records %d are the same, %d differ, %d were not computed, and there are %d gaps", r.Read, r.Same, r.Different, r.Blocked, r.Holes)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() // the time of the engines is included
	t.Logf("%s: %d records of %d capabilities, %d bit-identical: %.0f a second; %.2f µs of processor time a record, of engines and command together; at most %d MiB",
		filepath.Base(target), r.Read, len(r.Releases), r.Same, float64(r.Read)/took.Seconds(), float64(used.Microseconds())/float64(r.Read), cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss>>10)
}
