package system

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry/sign"
)

// hangUp sends SIGHUP and returns the log line with the outcome.
func (h *server) hangUp(t *testing.T) string {
	t.Helper()
	if err := h.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { _ = h.cmd.Process.Kill() })
	defer late.Stop()
	for h.stderr.Scan() {
		if strings.Contains(h.stderr.Text(), "SIGHUP: ") {
			return h.stderr.Text()
		}
	}
	t.Fatal("serve ended")
	return ""
}

// reloadable is a server with a settings file, a trust file and a lock file to change. In its registry amps_volts
// is signed and ohms_law is not.
type reloadable struct {
	*server
	registry, config, trust, lock string
	trusted                       string // a trust file that trusts the signers
}

func startReloadable(t *testing.T, locked bool) *reloadable {
	t.Helper()
	dir := t.TempDir()
	r := &reloadable{
		registry: filepath.Join(dir, "registry"), config: filepath.Join(dir, "settings.json"), trust: filepath.Join(dir, "trust.json"), lock: filepath.Join(dir, "lock"),
	}
	keys, trusted := signers(t, sign.Publishes)
	_, another := signers(t, sign.Publishes)
	r.trusted = trusted
	does(t, "publish", "--to", r.registry, filepath.Join(built.engines, "ohms_law"))
	does(t, "publish", "--to", r.registry, "--sign", keys[sign.Publishes], filepath.Join(built.engines, "amps_volts"))
	does(t, "lock", "--registry", r.registry, "-o", r.lock)
	overwrite(t, r.trust, mustRead(t, another))
	r.configure(t, map[string]any{"limit": "calc=1,share=0,page=0"})
	args := []string{"serve", "--addr", "127.0.0.1:0", "--registry", r.registry, "--data", filepath.Join(dir, "data"), "--snapshots", "embedded", "--config", r.config, "--trust", r.trust}
	if locked {
		args = append(args, "--locked="+r.lock, "--follow", "0") // SIGHUP also reloads a server that does not follow its registry
	}
	r.server = startServerWith(t, args)
	return r
}

func (r *reloadable) configure(t *testing.T, settings map[string]any) {
	t.Helper()
	data, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, r.config, data)
}

// reloads sends SIGHUP and expects success or failure in the log, with the reason.
func (r *reloadable) reloads(t *testing.T, ok bool, want ...string) {
	t.Helper()
	line := r.hangUp(t)
	if strings.Contains(line, "lock file again") != ok {
		t.Errorf("the log says %s", line)
	}
	for _, text := range want {
		if !strings.Contains(line, text) {
			t.Errorf("the log says %s\nwant %q", line, text)
		}
	}
}

// answers expects the statuses of a call of ohms-law, which is not signed, and of amps-to-volts, which is.
func (r *reloadable) answers(t *testing.T, ohmsLaw, amps int, headers ...string) {
	t.Helper()
	for id, want := range map[string]int{"ohms-law": ohmsLaw, "amps-to-volts": amps} {
		body := ohms
		if id == "amps-to-volts" {
			body = `{"mode":"watts","W":100,"I":8}`
		}
		if status, answer := r.post(t, "/api/v1/calc/"+id, body, headers...); status != want {
			t.Errorf("%s: %d %s, want %d", id, status, answer, want)
		}
	}
}

// SIGHUP applies the changed files, all of them or none, and ends no process or connection.
func TestHangUpReloads(t *testing.T) {
	t.Parallel()
	r := startReloadable(t, false)
	client := func(address string) []string { return []string{"X-Forwarded-For", address} }
	off := func(more map[string]any) map[string]any {
		all := map[string]any{"limit": "calc=0,share=0,page=0"}
		for name, value := range more {
			all[name] = value
		}
		return all
	}
	if status, answer := r.post(t, "/api/v1/calc/ohms-law", ohms); status != 200 {
		t.Fatalf("at the start: %d %s", status, answer)
	}
	r.answers(t, 429, 429)

	r.configure(t, map[string]any{"limit": "calc=1,share=0,page=0", "trusted-proxy": []string{"127.0.0.0/8"}})
	r.answers(t, 429, 429) // no change takes effect without SIGHUP
	r.reloads(t, true, "changed=[trusted-proxy]", "after_restart=[]")
	if status, answer := r.post(t, "/api/v1/calc/ohms-law", ohms, client("203.0.113.1")...); status != 200 {
		t.Errorf("behind a proxy: %d %s", status, answer)
	}
	r.answers(t, 429, 429, client("203.0.113.1")...)

	r.configure(t, off(map[string]any{"base-url": "http://localhost", "timeout": "9s"}))
	r.reloads(t, true, "changed=\"[limit trusted-proxy]\"", "after_restart=\"[base-url timeout]\"")
	r.answers(t, 200, 200)

	_, embedded, record := r.createOhmsSnapshot(t)
	r.configure(t, off(map[string]any{"snapshot-key": []string{strings.Repeat("2a", 32)}}))
	r.reloads(t, true, "changed=[snapshot-key]")
	if _, second, _ := r.createOhmsSnapshot(t); second == embedded || !strings.HasPrefix(second, "cx_e1_") || second[:len("cx_e1_")+5] == embedded[:len("cx_e1_")+5] {
		t.Errorf("the key of %s signed %s", embedded, second)
	}
	if status, answer := r.get(t, "/s/"+embedded); status != 200 || answer != record {
		t.Errorf("a snapshot of the key before: %d %s", status, answer)
	}

	r.configure(t, off(map[string]any{"require-signatures": true}))
	r.reloads(t, true, "require-signatures")
	r.answers(t, 503, 503)
	overwrite(t, r.trust, mustRead(t, r.trusted))
	r.reloads(t, true, "changed=[]")
	r.answers(t, 503, 200)
	r.configure(t, off(nil))
	r.reloads(t, true)
	r.answers(t, 200, 200)
	r.stop(t)
}

// If one file is invalid, the server uses neither it nor the other files.
func TestHangUpRefuses(t *testing.T) {
	t.Parallel()
	r := startReloadable(t, true)
	whole, good := mustRead(t, r.lock), mustRead(t, r.trust)
	for _, tt := range []struct {
		name   string
		damage func()
		says   string
	}{
		{"no JSON", func() { overwrite(t, r.config, []byte(`{"limit":`)) }, "are not a JSON object"},
		{"no flag", func() { r.configure(t, map[string]any{"limmit": "calc=0"}) }, "there is no flag"},
		{"a bad limit", func() { r.configure(t, map[string]any{"limit": "calc=x"}) }, "--limit"},
		{"a bad proxy", func() {
			r.configure(t, map[string]any{"limit": "calc=0", "trusted-proxy": []string{"everybody"}})
		}, "--trusted-proxy"},
		{"a bad key", func() { r.configure(t, map[string]any{"limit": "calc=0", "snapshot-key": []string{"12"}}) }, "snapshot key"},
		{"no settings file", func() { _ = os.Remove(r.config) }, "no such file"},
		{"a bad trust file", func() { overwrite(t, r.trust, []byte(`{"keys":7}`)) }, "trust"},
		{"a lock file with another digest", func() {
			text := string(whole)
			i := strings.LastIndex(text, "sha256:") + len("sha256:")
			overwrite(t, r.lock, []byte(text[:i]+strings.Repeat("0", 8)+text[i+8:]))
		}, "as locked"},
		{"what is locked would not be served", func() {
			r.configure(t, map[string]any{"limit": "calc=0", "require-signatures": true})
		}, "as locked"},
		{"no lock file", func() { _ = os.Remove(r.lock) }, "no such file"},
	} {
		r.configure(t, map[string]any{"limit": "calc=0,share=0,page=0"}) // this must not take effect either
		tt.damage()
		line := r.hangUp(t)
		if strings.Contains(line, "lock file again") || !strings.Contains(line, "cannot use the new settings") || !strings.Contains(line, tt.says) {
			t.Errorf("%s: the log says %s", tt.name, line)
		}
		overwrite(t, r.trust, good)
		overwrite(t, r.lock, whole)
	}
	if status, answer := r.post(t, "/api/v1/calc/ohms-law", ohms); status != 200 {
		t.Errorf("%d %s", status, answer)
	}
	r.answers(t, 429, 429) // the limit from the start of the server
	r.configure(t, map[string]any{"limit": "calc=0,share=0,page=0"})
	r.reloads(t, true, "changed=[limit]")
	r.answers(t, 200, 200)

	one := filepath.Join(t.TempDir(), "lock")
	does(t, "lock", "--registry", r.registry, "-o", one, "amps-to-volts")
	overwrite(t, r.lock, mustRead(t, one))
	r.reloads(t, true)
	r.answers(t, 404, 200)
	overwrite(t, r.lock, whole)
	r.reloads(t, true)
	r.answers(t, 200, 200)
}

func (r *reloadable) createOhmsSnapshot(t *testing.T) (status int, id, body string) {
	t.Helper()
	status, body = r.post(t, "/api/v1/share", `{"tool_id":"ohms-law","inputs":{"V":12,"R":8}}`)
	var record struct{ ID string }
	if err := json.Unmarshal([]byte(body), &record); err != nil || record.ID == "" {
		t.Fatalf("freeze: %d %s (%v)", status, body, err)
	}
	return status, record.ID, body
}
