package remote_test

import (
	"bufio"
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"testing"
	"time"

	ggcr "github.com/google/go-containerregistry/pkg/registry"
	"github.com/opencontainers/go-digest"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/remote"
	"github.com/slipstick/slipstick/sdk"
)

const (
	beam  = "mechanical.statics.beam"
	cable = "mechanical.statics.cable"
)

var here = runtime.GOOS + "/" + runtime.GOARCH

// servers are the registries for all tests, by name: each starts a registry and returns its
// URL.
var servers = map[string]func(testing.TB) string{
	"with a list of referrers": func(t testing.TB) string {
		return serve(t, ggcr.New(ggcr.Logger(log.New(io.Discard, "", 0)), ggcr.WithReferrersSupport(true)))
	},
	"without": func(t testing.TB) string {
		return serve(t, ggcr.New(ggcr.Logger(log.New(io.Discard, "", 0))))
	},
	"docker-registry": dockerRegistry,
}

func serve(t testing.TB, h http.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return "oci://" + s.Listener.Addr().String() + "/team/calc"
}

var listening = regexp.MustCompile(`listening on (127\.0\.0\.1:\d+)`)

// dockerRegistry runs the registry of Debian.
func dockerRegistry(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it needs docker-registry")
	}
	program, err := exec.LookPath("docker-registry")
	if err != nil {
		t.Skip("docker-registry is not installed; scripts/test installs it")
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "config.yml")
	text := fmt.Sprintf("version: 0.1\nlog: {level: info}\nstorage: {filesystem: {rootdirectory: %q}}\nhttp: {addr: \"127.0.0.1:0\"}\n", filepath.Join(dir, "data"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, "serve", config)
	output, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	found := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(output); lines.Scan(); {
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				found <- m[1]
			}
		}
	}()
	select {
	case address := <-found:
		return "oci://" + address + "/team/calc"
	case <-time.After(20 * time.Second):
		t.Fatal("docker-registry does not listen")
		return ""
	}
}

// everywhere runs a test with every kind of registry.
func everywhere(t *testing.T, test func(t *testing.T, address string)) {
	for name, start := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, start(t))
		})
	}
}

// program returns the smallest ELF executable, with a text that makes it unique.
func program(machine elf.Machine, text string) []byte {
	var b bytes.Buffer
	h := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT), Ehsize: 64}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	if err := binary.Write(&b, binary.LittleEndian, h); err != nil {
		panic(err)
	}
	b.WriteString(text)
	return b.Bytes()
}

func engine(text string) []byte {
	if runtime.GOARCH == "arm64" {
		return program(elf.EM_AARCH64, text)
	}
	return program(elf.EM_X86_64, text)
}

func candidate(capability, version string) registry.Candidate {
	e := engine(capability + version)
	tool := "beam"
	if capability != beam {
		tool = "other"
	}
	return registry.Candidate{
		Spec: sdk.Spec{
			Contract: sdk.ContractVersion, Capability: capability, Version: version,
			Tool: tool, Group: "statics", Title: "Beam", Summary: "Deflection of a beam.",
			Outputs: []sdk.Field{{Name: "delta", Type: sdk.TypeNumber, Unit: "m", Required: true}},
		},
		Engines: map[string][]byte{here: e}, Vectors: []byte(`{"vectors":[1]}`), Report: judged(e), Revision: "4d2f0e1",
	}
}

// judged returns a report on the engine, which passed.
func judged(engine []byte) *report.Document {
	data, err := json.Marshal(map[string]any{
		"engine_digests": []string{digest.FromBytes(engine).String()}, "passed": true, "vectors": map[string]int{"total": 1, "passed": 1},
	})
	if err != nil {
		panic(err)
	}
	document, err := report.Read(data)
	if err != nil {
		panic(err)
	}
	return document
}

// open returns the registry at a URL with a mirror of its own.
func open(t testing.TB, address string) *remote.Registry {
	t.Helper()
	r, err := remote.Open(address, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// change makes a draft, changes it and pushes it.
func change(t testing.TB, r *remote.Registry, capability string, f func(*registry.Registry) error) error {
	t.Helper()
	d, err := r.Draft(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := f(d.Registry()); err != nil {
		t.Fatal(err)
	}
	return d.Push(t.Context(), capability)
}

func publish(t testing.TB, r *remote.Registry, c registry.Candidate) {
	t.Helper()
	if err := try(t, r, c); err != nil {
		t.Fatal(err)
	}
}

func try(t testing.TB, r *remote.Registry, c registry.Candidate) error {
	t.Helper()
	return change(t, r, c.Spec.Capability, func(local *registry.Registry) error {
		_, err := local.Publish(t.Context(), c)
		return err
	})
}

func set(t testing.TB, r *remote.Registry, version string, state evidence.State) {
	t.Helper()
	err := change(t, r, beam, func(local *registry.Registry) error {
		s := evidence.Lifecycle{State: state, Since: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}
		if state != evidence.Active {
			s.Reason = "because"
		}
		return local.SetLifecycle(t.Context(), beam, version, s)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// look updates the mirror, which must have no damage, and returns the capability.
func look(t testing.TB, r *remote.Registry, capability string) registry.Capability {
	t.Helper()
	damage, err := r.Sync(t.Context())
	if err != nil || len(damage) > 0 {
		t.Fatalf("sync: %v, damage %v", err, damage)
	}
	return mirrored(t, r, capability)
}

func mirrored(t testing.TB, r *remote.Registry, capability string) registry.Capability {
	t.Helper()
	list, err := r.Mirror().Capabilities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(c registry.Capability) bool { return c.ID == capability })
	if i < 0 {
		return registry.Capability{}
	}
	return list[i]
}

func release(c registry.Capability, version string) *registry.Release {
	i := slices.IndexFunc(c.Releases, func(r *registry.Release) bool { return r.Version == version })
	if i < 0 {
		return nil
	}
	return c.Releases[i]
}

func mustServe(t testing.TB, rel *registry.Release) {
	t.Helper()
	if rel == nil {
		t.Fatal("the release is not there")
	}
	data, err := rel.Engine()
	if rel.Problem != nil || err != nil || digest.FromBytes(data).String() != rel.EngineDigest {
		t.Errorf("%s: problem %v, engine of %d bytes, %v", rel.Version, rel.Problem, len(data), err)
	}
}
