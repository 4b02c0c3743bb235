package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry/sign"
)

// forge gives version 1.0.0 of swap the engine of 1.1.0, and moves what was said of the
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
	release, theirs := read(blob(entries["1.0.0"])), read(blob(entries["1.1.0"]))
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
	engines := swaps(t, "1.0.0", "1.1.0")
	keys, trust := signers(t, sign.Publishes)
	dir := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", dir, "--sign", keys[sign.Publishes], engines["1.0.0"], engines["1.1.0"])
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
	if status, answer := h.post(t, "/api/v1/calc/swap", `{"x":1}`); status != 200 || !strings.Contains(answer, `"by":"1.1.0"`) {
		t.Errorf("the release beside it: %d %s", status, answer)
	}
}
