package snapshot_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
)

// The record has the members of docs/reference/snapshots.md in their order, and contains the result byte for byte.
func TestRecord(t *testing.T) {
	c := content(t, "cantilever")
	snap := create(t, embedding(t, seed), c)
	want := `{"status":"success","id":"` + snap.ID + `","tool_id":"cantilever-deflection",` +
		`"capability_id":"mechanical.statics.cantilever_wall_triangle_outer_moment_at_deflection",` +
		`"inputs":` + string(c.Inputs) + `,"calculation_version":"1.0.0","result":` + string(c.Result) +
		`,"created_at":"2026-11-21T12:00:00Z","expires_at":null,"engine_digest":"` + digest +
		`","links":{"snapshot":"/s/` + snap.ID + `","api":"/api/v1/share/` + snap.ID + `"}}`
	if got := string(snap.Body); got != want {
		t.Errorf("body\n%s\nwant\n%s", got, want)
	}
	if !snap.ExpiresAt.IsZero() || !snap.Created || snap.Fallback {
		t.Errorf("expires %v, created %v, fallback %v", snap.ExpiresAt, snap.Created, snap.Fallback)
	}
}

// Texts from outside cannot break the JSON of the record.
func TestRecordEscapes(t *testing.T) {
	c := content(t, "ohms")
	c.ToolID = `a","x":"<b>&` + "\u2028"
	snap := create(t, embedding(t, seed), c)
	var record struct {
		ToolID string `json:"tool_id"`
	}
	if err := json.Unmarshal(snap.Body, &record); err != nil || record.ToolID != c.ToolID {
		t.Errorf("tool id %q, %v", record.ToolID, err)
	}
	if strings.ContainsAny(string(snap.Body), "<>&\u2028") {
		t.Error("the body is not safe inside HTML")
	}
}

func TestCreateRefuses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*snapshot.Content)
		want  string
	}{
		{"no tool", func(c *snapshot.Content) { c.ToolID = "" }, "tool id"},
		{"no capability", func(c *snapshot.Content) { c.CapabilityID = "" }, "capability id"},
		{"version that is not a text", func(c *snapshot.Content) { c.Version = "1\xff" }, "version"},
		{"short digest", func(c *snapshot.Content) { c.EngineDigest = "sha256:00" }, "digest"},
		{"upper-case digest", func(c *snapshot.Content) { c.EngineDigest = digestPrefix + strings.ToUpper(digest[7:]) }, "digest"},
		{"digest without a prefix", func(c *snapshot.Content) { c.EngineDigest = digest[7:] }, "digest"},
		{"inputs that are not an object", func(c *snapshot.Content) { c.Inputs = []byte("[]") }, "inputs"},
		{"no inputs", func(c *snapshot.Content) { c.Inputs = nil }, "inputs"},
		{"half a result", func(c *snapshot.Content) { c.Result = c.Result[:100] }, "result"},
		{"two results", func(c *snapshot.Content) { c.Result = []byte(`{"status":"success"}{}`) }, "result"},
		{"result that is not UTF-8", func(c *snapshot.Content) { c.Result = []byte("{\"status\":\"success\",\"a\":\"\xff\"}") }, "UTF-8"},
		{"an error", func(c *snapshot.Content) { c.Result = []byte(`{"status":"error"}`) }, "only a success"},
		{"no status", func(c *snapshot.Content) { c.Result = []byte(`{}`) }, "only a success"},
		{"tomorrow", func(c *snapshot.Content) { c.CreatedAt = noon.Add(time.Second) }, "future"},
		{"before 1970", func(c *snapshot.Content) { c.CreatedAt = time.Unix(-1, 0) }, "1970"},
		{"too large", func(c *snapshot.Content) { c.Result = sized(1 << 20).Result }, "inputs and result have"},
	} {
		c := content(t, "ohms")
		tt.spoil(&c)
		if _, err := embedding(t, seed).Create(t.Context(), c); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one about %q", tt.name, err, tt.want)
		}
	}
}

const digestPrefix = "sha256:"

// Whitespace between tokens and fractions of a second do not make another snapshot.
func TestContentIsNormalized(t *testing.T) {
	store := embedding(t, seed)
	c := content(t, "ohms")
	plain := create(t, store, c)
	c.Inputs = []byte(" {\n \"voltage\": 12, \"resistance\": 8 } ")
	c.Result = append(c.Result, '\n')
	c.CreatedAt = noon.Add(-time.Nanosecond + time.Second).In(time.FixedZone("", 3600))
	later, err := snapshot.New(keysOf(t, seed), &snapshot.Options{Now: at(noon.Add(time.Second))})
	if err != nil {
		t.Fatal(err)
	}
	if spaced := create(t, later, c); spaced.ID != plain.ID {
		t.Errorf("another id: %s and %s", spaced.ID, plain.ID)
	}
	c.CreatedAt = time.Time{}
	if now := create(t, store, c); now.ID != plain.ID {
		t.Errorf("no time is not now: %s", now.Body)
	}
}
