package freeze_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/freeze"
	"github.com/slipstick/slipstick/host/internal/snapshot"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

const digest = "sha256:1111111111111111111111111111111111111111111111111111111111111111"

func answer() *calc.Answer {
	spec := &sdk.Spec{Capability: "test.a.b", Version: "1.0.0", Tool: "b", Outputs: []sdk.Field{{Name: "y", Type: sdk.TypeNumber}}}
	return &calc.Answer{
		Release: &registry.Release{EngineDigest: digest},
		Success: sdk.Success{Frame: &sdk.Frame{Spec: spec}, ID: "b", Outcome: sdk.Outcome{Result: sdk.Values{sdk.NumberOf(2)}}},
	}
}

// An answer is frozen whole, and read as it was frozen.
func TestCreateAndGet(t *testing.T) {
	keys, err := snapshot.LoadKeys(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	store, err := snapshot.New(keys, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := answer()
	made, err := freeze.Create(t.Context(), store, a)
	if err != nil {
		t.Fatal(err)
	}
	var record struct {
		Result       json.RawMessage
		EngineDigest string `json:"engine_digest"`
	}
	if err := json.Unmarshal(made.Body, &record); err != nil || string(record.Result) != string(a.Success.AppendJSON(nil)) || record.EngineDigest != digest {
		t.Errorf("record %s (%v)", made.Body, err)
	}
	if read, err := freeze.Get(t.Context(), store, made.ID); err != nil || string(read.Body) != string(freeze.Answer(made)) {
		t.Errorf("read %s (%v)", read.Body, err)
	}
	if _, err := freeze.Get(t.Context(), store, "cx_e1_nothing"); calc.ProblemOf(err).Code != calc.CodeSnapshotNotFound {
		t.Errorf("an id of nothing: %v", err)
	}
}

// A snapshot that has an embedded id for want of a store says so to whom froze it, and
// stays the same.
func TestAnswer(t *testing.T) {
	const body = `{"status":"success","links":{"snapshot":"/s/x"}}`
	s := snapshot.Snapshot{Body: []byte(body)}
	if got := freeze.Answer(s); string(got) != body {
		t.Errorf("answered %s", got)
	}
	s.Fallback = true
	got := freeze.Answer(s)
	if !json.Valid(got) || !strings.HasPrefix(string(got), body[:len(body)-1]+`,"warnings":[`) || string(s.Body) != body {
		t.Errorf("answered %s, and the record is %s", got, s.Body)
	}
}
