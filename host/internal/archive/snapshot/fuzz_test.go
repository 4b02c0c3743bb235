package snapshot_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
)

// maxUsed limits the memory that reading an id uses: a frame, its parts in both forms and the
// record. Each has at most 64 KiB, and grows in steps.
const maxUsed = 2 << 20

// FuzzDecode checks that only ids that were made here can be read, and that no id is expensive.
func FuzzDecode(f *testing.F) {
	store := embedding(f, seed)
	made := map[string]bool{}
	for _, answer := range append(answers, "unseen") {
		id := create(f, store, content(f, answer)).ID
		made[id] = true
		f.Add(id)
		f.Add(id[:len(id)-1])
		f.Add(create(f, embedding(f, seed2), content(f, answer)).ID)
	}
	f.Add("")
	f.Add("cx_abcdefghijklmnopqrstuvwxyz")
	f.Add(prefix + strings.Repeat("A", 10_000))
	f.Fuzz(func(t *testing.T, id string) {
		used := bytesAllocated(func() {
			snap, err := store.Get(t.Context(), id)
			if made[id] != (err == nil) || err != nil && !errors.Is(err, snapshot.ErrNotFound) {
				t.Errorf("%q: made here %v, but %+v, %v", id, made[id], snap, err)
			}
		})
		if used > maxUsed {
			t.Errorf("%q takes %d bytes", id, used)
		}
	})
}

// FuzzSigned starts after the signature check: data that our key has signed is either exactly what
// the service writes, or rejected.
func FuzzSigned(f *testing.F) {
	store := embedding(f, seed)
	for _, answer := range append(answers, "unseen") {
		raw := decode(f, create(f, store, content(f, answer)).ID)
		f.Add(raw[4:41], raw[41:len(raw)-64])
	}
	f.Add(head, deflate(f, frame("tool", "capability", "1.0.0", `{"status":"success"}`, "{}")))
	f.Add([]byte{}, []byte{})
	f.Fuzz(func(t *testing.T, head, tail []byte) {
		id := forge(t, seed, append(bytes.Clone(head), tail...))
		used := bytesAllocated(func() {
			snap, err := store.Get(t.Context(), id)
			if err != nil && !errors.Is(err, snapshot.ErrNotFound) || err == nil && !json.Valid(snap.Body) {
				t.Errorf("%x: %s, %v", tail, snap.Body, err)
			}
		})
		if used > maxUsed {
			t.Errorf("%x takes %d bytes", tail, used)
		}
	})
}

// FuzzFrame compresses a frame from the fuzzer.
func FuzzFrame(f *testing.F) {
	store := embedding(f, seed)
	f.Add(frame("tool", "capability", "1.0.0", `{"status":"success"}`, "{}"))
	f.Add(frame("tool", "capability"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) > 4<<10 {
			return
		}
		id := forge(t, seed, append(bytes.Clone(head), deflate(t, body)...))
		snap, err := store.Get(t.Context(), id)
		if err != nil {
			return
		}
		var record struct {
			Tool       string          `json:"tool_id"`
			Capability string          `json:"capability_id"`
			Version    string          `json:"calculation_version"`
			Result     json.RawMessage `json:"result"`
			Inputs     json.RawMessage `json:"inputs"`
		}
		if err := json.Unmarshal(snap.Body, &record); err != nil {
			t.Fatalf("%s: %v", snap.Body, err)
		}
		if again := frame(record.Tool, record.Capability, record.Version, string(record.Result), string(record.Inputs)); !bytes.Equal(again, body) {
			t.Errorf("frame %q is shown as %q", body, again)
		}
	})
}
