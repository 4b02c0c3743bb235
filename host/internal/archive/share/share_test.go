package share_test

import (
	"encoding/json"
	"testing"

	"github.com/slipstick/slipstick/host/internal/archive/share"
	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/platform/redis"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

const digest = "sha256:1111111111111111111111111111111111111111111111111111111111111111"

func answer() *calc.Answer {
	spec := &sdk.Spec{Capability: "test.a.b", Version: "1.0.0", Tool: "b", Outputs: []sdk.Field{{Name: "y", Type: sdk.TypeNumber}}}
	return &calc.Answer{
		Release: &registry.Release{EngineDigest: digest},
		Success: response.Success{Template: &response.Template{Spec: spec}, ID: "b", Outcome: sdk.Outcome{Result: value.Values{value.NumberOf(2)}}},
	}
}

// A snapshot contains the whole answer, and is read as it was created.
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
	made, err := share.Create(t.Context(), store, a)
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
	if read, err := share.Get(t.Context(), store, made.ID); err != nil || string(read.Body) != string(share.Answer(made)) {
		t.Errorf("read %s (%v)", read.Body, err)
	}
	if _, err := share.Get(t.Context(), store, "cx_e1_nothing"); problem.Of(err).Code != problem.CodeSnapshotNotFound {
		t.Errorf("an id of nothing: %v", err)
	}
}

// If the store fails, the client that creates the snapshot gets a warning, and the snapshot itself
// does not change.
func TestAnswer(t *testing.T) {
	keys, err := snapshot.LoadKeys(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	client, err := redis.Open("redis://127.0.0.1:1?max_retries=0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	store, err := snapshot.New(keys, &snapshot.Options{Redis: client})
	if err != nil {
		t.Fatal(err)
	}
	made, err := share.Create(t.Context(), store, answer())
	if err != nil || !made.Fallback {
		t.Fatalf("%+v (%v)", made, err)
	}
	read, err := share.Get(t.Context(), store, made.ID)
	if err != nil || string(read.Body) != string(made.Body) {
		t.Errorf("read %s (%v)", read.Body, err)
	}
	want := string(made.Body[:len(made.Body)-1]) + `,"warnings":[{"code":"SNAPSHOT_STORE_UNAVAILABLE","severity":"info",` +
		`"detail":"The store of short ids could not be used, so this id carries the snapshot in itself.",` +
		`"suggestion":"Keep the whole id. Create another snapshot later for a short id."}]}`
	if got := share.Answer(made); string(got) != want {
		t.Errorf("answered\n%s, want\n%s", got, want)
	}
	if got := share.Answer(read); string(got) != string(read.Body) {
		t.Errorf("answered %s to a caller who only reads", got)
	}
}
