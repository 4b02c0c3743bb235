package system

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry/sign"
)

// forge gives version 1.0.0 of swap the engine of 2.0.0, and moves the statements about the release to the result.
// Every digest in the layout is correct.
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

// G2, G6: an attacker with write access to the registry can make a release with other bytes and correct digests.
// If signatures are required, the server never executes it.
func TestForgedReleaseIsNotExecuted(t *testing.T) {
	t.Parallel()
	engines := swaps(t, "1.0.0", "2.0.0")
	keys, trust := signers(t, sign.Publishes)
	dir := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", dir, "--sign", keys[sign.Publishes], engines["1.0.0"], engines["2.0.0"])
	strict := []string{"--registry", dir, "--trust", trust, "--require-signatures"}
	verifies(t, exitOK, strict)
	forge(t, dir)
	verifies(t, exitFailed, strict, "test.life.swap 1.0.0", "it is about the release")

	h := startServer(t, strict...)
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

// G5: a registry is reset to an older copy, with everything signed. A server that saw the newer log does not serve
// it, neither with the old log nor without a log. It is not served either when the log has expired.
func TestRegistrySetBackIsNotServed(t *testing.T) {
	t.Parallel()
	dir, keys, trust := signedRegistry(t)
	key, data := keys[sign.Publishes], t.TempDir()
	does(t, "log", "init", "--registry", dir, "--key", key, "--valid", "1h")
	older := filepath.Join(t.TempDir(), "older")
	if err := os.CopyFS(older, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	does(t, "revoke", "--registry", dir, "--sign", key, "ohms-law", "1.0.1", "--reason", "wrong constant")
	strict := []string{"--registry", dir, "--trust", trust, "--require-signatures"}
	serve := func(data string, more ...string) result {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		return slipstick(ctx, slices.Concat([]string{"serve", "--addr", "127.0.0.1:0", "--data", data}, strict, more)...)
	}
	verifies(t, exitOK, append(strict, "--data", data), "holds      transparency log", "signed on")
	startServer(t, append(strict, "--data", data)...).stop(t) // the server records the log
	head := write(t, "head", does(t, "log", "show", "--registry", dir, "--checkpoint"))

	log := filepath.Join(dir, ".log")
	now, newest := filepath.Join(t.TempDir(), "now"), filepath.Join(t.TempDir(), "log")
	for _, step := range []error{os.Rename(log, newest), os.Rename(dir, now), os.CopyFS(dir, os.DirFS(older))} {
		if step != nil {
			t.Fatal(step)
		}
	}
	if r := serve(data); r.code != exitFailed || !strings.Contains(r.err, "the log is shortened") {
		t.Errorf("set back: %d %s", r.code, r.err)
	}
	verifies(t, exitFailed, append(strict, "--data", data), "fails      transparency log", "shortened")
	if r := serve(t.TempDir(), "--checkpoint", head); r.code != exitFailed || !strings.Contains(r.err, "the log is shortened") {
		t.Errorf("set back, by the checkpoint of another host: %d %s", r.code, r.err)
	}
	if err := os.RemoveAll(log); err != nil {
		t.Fatal(err)
	}
	if r := serve(data); r.code != exitFailed || !strings.Contains(r.err, "it is gone") {
		t.Errorf("set back without a log: %d %s", r.code, r.err)
	}
	if err := os.Rename(newest, log); err != nil {
		t.Fatal(err)
	}
	verifies(t, exitFailed, append(strict, "--data", data), "fails      index", "was revoked, and is active without a later record")
	does(t, "log", "update", "--registry", dir, "--key", key, "--valid", "1ns")
	if r := serve(data); r.code != exitFailed || !strings.Contains(r.err, "expired on") {
		t.Errorf("expired: %d %s", r.code, r.err)
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
