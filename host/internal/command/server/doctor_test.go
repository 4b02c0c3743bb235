package server

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/command"
)

func TestDoctor(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		t.Helper()
		file := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(file), 0o700)
		if err == nil {
			err = os.WriteFile(file, []byte(text), 0o600)
		}
		if err == nil {
			err = os.Chmod(file, mode)
		}
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	empty := filepath.Join(dir, "registry")
	damaged := filepath.Dir(filepath.Dir(write("damaged/test.one.thing/index.json", "{", 0o600)))
	file := write("file", "", 0o600)
	write("open/keys/snapshot-0001.key", snapshot.NewSeed(), 0o644)
	write("good/keys/snapshot-0001.key", snapshot.NewSeed(), 0o600)
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"status":"live"}`)) }))
	defer own.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()

	d := func(set func(*Doctor)) *Doctor {
		c := &Doctor{Addr: "127.0.0.1:0", Data: filepath.Join(dir, "good")}
		c.Registry = empty
		set(c)
		return c
	}
	for _, tt := range []struct {
		name  string
		check []finding
		state state
		text  string
		fix   string
	}{
		{"sandbox off", d(func(c *Doctor) { c.NoSandbox = true }).sandbox(t.Context()), warning, "--no-sandbox", "leave --no-sandbox"},
		{"no registry", d(func(c *Doctor) { c.Registry = filepath.Join(dir, "absent") }).registry(t.Context()), failure, "there is no registry at", "correct the named setting"},
		{"empty registry", d(func(*Doctor) {}).registry(t.Context()), warning, "is empty", "slipstick mirror import FILE --to " + empty},
		{"damaged registry", d(func(c *Doctor) { c.Registry = damaged }).registry(t.Context()), warning, "test.one.thing: ", "slipstick verify"},
		{"no trust file", d(func(c *Doctor) { c.Trust = filepath.Join(dir, "absent") }).registry(t.Context()), failure, "absent", "correct the named setting"},
		{"data", d(func(c *Doctor) { c.Data = filepath.Join(dir, "new", "data") }).data(t.Context()), ok, "can be written", ""},
		{"data in a file", d(func(c *Doctor) { c.Data = filepath.Join(file, "data") }).data(t.Context()), failure, "not a directory", "--data"},
		{"keys", d(func(*Doctor) {}).keys(t.Context()), ok, "1 key", ""},
		{"no keys", d(func(c *Doctor) { c.Data = dir }).keys(t.Context()), ok, "the first start creates a key", ""},
		{"open keys", d(func(c *Doctor) { c.Data = filepath.Join(dir, "open") }).keys(t.Context()), failure, "can be used by others", "correct the file"},
		{"wrong seed", d(func(c *Doctor) { c.SnapshotKey = []string{"x"} }).keys(t.Context()), failure, "key", "--snapshot-key"},
		{"no redis", d(func(*Doctor) {}).redis(t.Context()), ok, "not used", ""},
		{"redis address", d(func(c *Doctor) { c.Redis = "localhost" }).redis(t.Context()), failure, "not a URL", "redis://127.0.0.1:6379/0"},
		{"redis down", d(func(c *Doctor) { c.Redis = "redis://" + closed.Addr().String() }).redis(t.Context()), warning, "refused", "start Redis"},
		{"port", d(func(*Doctor) {}).port(t.Context()), ok, "is free", ""},
		{"own port", d(func(c *Doctor) { c.Addr = own.Listener.Addr().String() }).port(t.Context()), ok, "a server answers", ""},
		{"port of another", d(func(c *Doctor) { c.Addr = other.Listener.Addr().String() }).port(t.Context()), failure, "taken by another program", "ss -ltnp"},
		{"address of another machine", d(func(c *Doctor) { c.Addr = "192.0.2.1:8080" }).port(t.Context()), failure, "192.0.2.1", "an address of this machine"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if len(tt.check) == 0 {
				t.Fatal("no finding")
			}
			f := tt.check[0]
			if f.State != tt.state || !strings.Contains(f.Text, tt.text) || !strings.Contains(f.Fix, tt.fix) || (f.Fix == "") != (f.State == ok) {
				t.Errorf("%+v, want %s, %q and %q", f, tt.state, tt.text, tt.fix)
			}
		})
	}
}

// A failure gives the exit code 1, and a warning does not.
func TestDoctorEnds(t *testing.T) {
	for registry, fails := range map[string]bool{t.TempDir(): false, filepath.Join(t.TempDir(), "absent"): true} {
		var out bytes.Buffer
		c := &Doctor{Addr: "127.0.0.1:0", Data: t.TempDir()}
		c.Registry, c.NoSandbox = registry, true
		err := c.Run(t.Context(), command.Streams{Out: &out, Err: &out})
		if (err != nil) != fails || !strings.Contains(out.String(), "warning  sandbox") || !strings.Contains(out.String(), "to fix: ") {
			t.Errorf("%v\n%s", err, out.String())
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := new(Doctor).Run(ended, command.Streams{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want that it was cancelled", err)
	}
}
