package snapshot_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(createsIn); dir != "" {
		createOn(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

const (
	seed  = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	seed2 = "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"

	digest = "sha256:d5d3bf985821fc558f6eead207c373ad1007cc46cc228da048977f68dc9b7576"
)

// noon is the creation time of the snapshots in the tests.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func at(t time.Time) func() time.Time { return func() time.Time { return t } }

func keysOf(t testing.TB, seeds ...string) *snapshot.Keys {
	t.Helper()
	keys, err := snapshot.LoadKeys("", seeds...)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// embedding returns a store without Redis that has the keys of the seeds.
func embedding(t testing.TB, seeds ...string) *snapshot.Store {
	t.Helper()
	store, err := snapshot.New(keysOf(t, seeds...), &snapshot.Options{Now: at(noon)})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// answers are real responses of the service.
var answers = []string{"cantilever", "cantilever_full", "grey", "ohms", "watts", "amps"}

// content returns the content of a snapshot of a real response, created at noon.
func content(t testing.TB, answer string) snapshot.Content {
	t.Helper()
	result, err := os.ReadFile(filepath.Join("testdata", answer+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return contentOf(t, result)
}

func contentOf(t testing.TB, result []byte) snapshot.Content {
	t.Helper()
	var a struct {
		ID      string
		Cap     string          `json:"capability_id"`
		Version string          `json:"calculation_version"`
		Inputs  json.RawMessage `json:"inputs"`
	}
	if err := json.Unmarshal(result, &a); err != nil {
		t.Fatal(err)
	}
	return snapshot.Content{
		ToolID: a.ID, CapabilityID: a.Cap, Version: a.Version, EngineDigest: digest,
		Inputs: a.Inputs, Result: bytes.TrimSpace(result), CreatedAt: noon,
	}
}

// sized returns content with about size incompressible bytes of inputs and result.
func sized(size int) snapshot.Content {
	return snapshot.Content{
		ToolID: "noise", CapabilityID: "test.noise", Version: "1.0.0", EngineDigest: digest, CreatedAt: noon,
		Inputs: []byte(`{}`),
		Result: []byte(`{"status":"success","noise":"` + noise(size) + `"}`),
	}
}

func noise(size int) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var b strings.Builder
	for x := uint64(88172645463325252); b.Len() < size; {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b.WriteByte(letters[x>>58])
	}
	return b.String()
}

func create(t testing.TB, s *snapshot.Store, c snapshot.Content) snapshot.Snapshot {
	t.Helper()
	snap, err := s.Create(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func get(t testing.TB, s *snapshot.Store, id string) snapshot.Snapshot {
	t.Helper()
	snap, err := s.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func save(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// settle waits until the number of goroutines is almost as before.
func settle(t testing.TB, before int) {
	t.Helper()
	waitFor(t, "the goroutines to end", func() bool { return runtime.NumGoroutine() <= before+5 })
}

// waitFor polls until the function returns true.
func waitFor(t testing.TB, what string, yes func() bool) {
	t.Helper()
	tick, deadline := time.NewTicker(5*time.Millisecond), time.After(20*time.Second)
	defer tick.Stop()
	for !yes() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited 20 s for %s", what)
		}
	}
}
