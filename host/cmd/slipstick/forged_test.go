package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry/sign"
)

// forge gives version 1.0.0 of swap the engine of 2.0.0, and moves what was said of the
// release to the result: every digest in the layout is in order.
func forge(t *testing.T, registry string) {
	t.Helper()
	layout := filepath.Join(registry, "test.life.swap")
	read := func(name string) (doc map[string]any) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(layout, name))
		if err == nil {
			err = json.Unmarshal(data, &doc)
		}
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	blob := func(d any) string {
		return "blobs/sha256/" + strings.TrimPrefix(d.(map[string]any)["digest"].(string), "sha256:")
	}
	store := func(d any, doc map[string]any) {
		t.Helper()
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		entry := d.(map[string]any)
		entry["digest"], entry["size"] = fmt.Sprintf("sha256:%x", sha256.Sum256(data)), len(data)
		overwrite(t, filepath.Join(layout, blob(entry)), data)
	}
	index := read("index.json")
	entries := map[string]any{}
	for _, e := range index["manifests"].([]any) {
		notes := e.(map[string]any)["annotations"].(map[string]any)
		if tag, ok := notes["org.opencontainers.image.ref.name"].(string); ok {
			entries[tag] = e
		}
	}
	release, theirs := read(blob(entries["1.0.0"])), read(blob(entries["2.0.0"]))
	release["layers"].([]any)[0] = theirs["layers"].([]any)[0]
	was := entries["1.0.0"].(map[string]any)["digest"]
	store(entries["1.0.0"], release)
	for _, e := range index["manifests"].([]any) {
		if about := read(blob(e)); about["subject"] != nil && about["subject"].(map[string]any)["digest"] == was {
			about["subject"].(map[string]any)["digest"] = entries["1.0.0"].(map[string]any)["digest"]
			about["subject"].(map[string]any)["size"] = entries["1.0.0"].(map[string]any)["size"]
			store(e, about)
		}
	}
	data, err := json.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, filepath.Join(layout, "index.json"), data)
}

func overwrite(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// G2, G6: whoever can write to the registry can make a release of other bytes, with every
// digest in order. Where signatures are required it is not executed, once.
func TestForgedReleaseIsNotExecuted(t *testing.T) {
	engines := swaps(t, "1.0.0", "2.0.0")
	keys, trust := signers(t, sign.Publishes)
	dir := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", dir, "--sign", keys[sign.Publishes], engines["1.0.0"], engines["2.0.0"])
	strict := []string{"--registry", dir, "--trust", trust, "--require-signatures"}
	verifies(t, exitOK, strict)
	forge(t, dir)
	verifies(t, exitFailed, strict, "test.life.swap 1.0.0", "it is about the release")

	h := startHost(t, strict...)
	for range 20 {
		if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":1}`, pinHeader, "1.0.0"); status != 503 || strings.Contains(answer, `"by"`) {
			t.Fatalf("the forged release answered: %d %s", status, answer)
		}
	}
	if n := len(children(h.cmd.Process.Pid)); n != 0 {
		t.Errorf("%d processes of a forged release", n)
	}
	if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":1}`); status != 200 || !strings.Contains(answer, `"by":"2.0.0"`) {
		t.Errorf("the release beside it: %d %s", status, answer)
	}
}

// G5: a registry that was set back to an older copy, each release of which is signed, is
// not served where a checkpoint says what there was; nor is an older or expired checkpoint
// taken for the newest.
func TestRegistrySetBackIsNotServed(t *testing.T) {
	t.Parallel()
	dir, keys, trust := signedRegistry(t)
	older := filepath.Join(t.TempDir(), "older")
	if err := os.CopyFS(older, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	work, data := t.TempDir(), t.TempDir()
	checkpoint := func(name string, more ...string) string {
		t.Helper()
		file := filepath.Join(work, name)
		does(t, append([]string{"checkpoint", file, "--registry", dir, "--key", keys[sign.Publishes], "--trust", trust, "--require-signatures"}, more...)...)
		return file
	}
	first := checkpoint("first.json")
	does(t, "revoke", "--registry", dir, "--sign", keys[sign.Publishes], "ohms-law", "1.0.0", "--reason", "wrong constant")
	second := write(t, "second.json", string(mustRead(t, first)))
	does(t, "checkpoint", second, "--registry", dir, "--key", keys[sign.Publishes], "--trust", trust)

	flags := func(registry, checkpoint string) []string {
		return []string{"--registry", registry, "--trust", trust, "--require-signatures", "--checkpoint", checkpoint, "--data", data}
	}
	serve := func(registry, checkpoint string) result {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		return slipstick(ctx, append([]string{"serve", "--addr", "127.0.0.1:0"}, flags(registry, checkpoint)...)...)
	}
	verifies(t, exitOK, flags(dir, first), "holds      not behind", "number 1")
	startHost(t, flags(dir, second)...).stop(t) // which remembers it
	if r := serve(older, second); r.code != exitFailed || !strings.Contains(r.err, "was revoked, and is active without a later record") {
		t.Errorf("set back: %d %s", r.code, r.err)
	}
	if r := serve(older, first); r.code != exitFailed || !strings.Contains(r.err, "checkpoint 1 is older than 2") {
		t.Errorf("set back with its checkpoint: %d %s", r.code, r.err)
	}
	verifies(t, exitFailed, flags(older, second), "fails      not behind")

	key, err := sign.ReadKey(keys[sign.Publishes], nil)
	if err != nil {
		t.Fatal(err)
	}
	file, err := key.SignState(sign.State{Number: 3, Time: time.Now().Add(-2 * time.Hour), Expires: time.Now().Add(-time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if r := serve(dir, write(t, "third.json", string(file))); r.code != exitFailed || !strings.Contains(r.err, "expired on") {
		t.Errorf("expired: %d %s", r.code, r.err)
	}
	if r := slipstick(t.Context(), "serve", "--registry", dir, "--data", t.TempDir(), "--checkpoint", first); r.code != exitMisuse || !strings.Contains(r.err, "needs --trust") {
		t.Errorf("without a trust file: %d %s", r.code, r.err)
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
