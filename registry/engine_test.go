package registry_test

import (
	"bytes"
	"context"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/sdk/enginefile"
)

const other = "mechanical.statics.other"

// textRuntime is larger than everything else of a release.
var textRuntime = engine(strings.Repeat("runtime ", 1<<14))

// join returns the engine file of a runtime and a document.
func join(t testing.TB, runtime []byte, document string) []byte {
	t.Helper()
	var b bytes.Buffer
	err := enginefile.Join(&b, bytes.NewReader(runtime), &enginefile.Text{Document: []byte(document), Vectors: []byte("x\n1\n"), Closure: []byte("{}\n")})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// textCandidate returns a release that is a text engine.
func textCandidate(t testing.TB, capability, version string) registry.Candidate {
	c := candidate(capability, version)
	c.Engines = map[string][]byte{here: join(t, textRuntime, capability+version)}
	c.Report = report(3, c.Engines[here])
	return c
}

// bytesIn returns the size of all files below a directory.
func bytesIn(t testing.TB, dir string) (size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// serves checks that a release can be served with the engine of its candidate.
func serves(t testing.TB, rel *registry.Release, c *registry.Candidate) {
	t.Helper()
	if rel == nil || rel.Problem != nil {
		t.Fatalf("release %+v", rel)
	}
	want := c.Engines[here]
	data, err := rel.Engine()
	if err != nil || !bytes.Equal(data, want) || rel.EngineDigest != digest.FromBytes(want).String() {
		t.Errorf("engine %s of %d bytes, %v", rel.EngineDigest, len(data), err)
	}
	file, err := rel.OpenEngine()
	if err != nil {
		t.Fatal(err)
	}
	opened, err := io.ReadAll(file)
	if err != nil || file.Close() != nil || !bytes.Equal(opened, want) {
		t.Errorf("opened engine of %d bytes, %v", len(opened), err)
	}
	if err := rel.CheckEngine(here); err != nil || !rel.Judged {
		t.Errorf("check %v, judged %v", err, rel.Judged)
	}
}

func TestTextEngines(t *testing.T) {
	r, dir := open(t)
	list := []registry.Candidate{textCandidate(t, beam, "1.0.0"), textCandidate(t, beam, "1.1.0"), textCandidate(t, other, "1.0.0")}
	sizes := []int64{}
	for _, c := range list {
		p := publish(t, r, c)
		if p.Status != registry.Published || p.Engines[here] != digest.FromBytes(c.Engines[here]).String() {
			t.Errorf("%+v", p)
		}
		sizes = append(sizes, bytesIn(t, dir))
		if again := publish(t, r, c); again.Status != registry.Unchanged || again.Restored != 0 {
			t.Errorf("again: %+v", again)
		}
	}
	if sizes[0] < int64(len(textRuntime)) || sizes[1]-sizes[0] > 10<<10 || sizes[2]-sizes[1] > 10<<10 {
		t.Errorf("sizes of the registry: %v bytes", sizes)
	}
	for i := range list {
		c := &list[i]
		serves(t, release(capability(t, r, c.Spec.Capability), c.Spec.Version), c)
		id, version, found, err := r.FindEngine(t.Context(), digest.FromBytes(c.Engines[here]).String())
		if err != nil || !found || id != c.Spec.Capability || version != c.Spec.Version {
			t.Errorf("found %s %s, %v, %v", id, version, found, err)
		}
	}
	if names, err := r.Names(t.Context()); err != nil || len(names) != 2 {
		t.Errorf("names %v, %v", names, err)
	}

	clone, err := r.Clone(t.Context(), filepath.Join(t.TempDir(), "clone"), nil)
	if err != nil {
		t.Fatal(err)
	}
	serves(t, release(capability(t, clone, beam), "1.1.0"), &list[1])
}

func TestTextEngineForPlatforms(t *testing.T) {
	r, _ := open(t)
	foreign := "linux/riscv64"
	c := textCandidate(t, beam, "1.0.0")
	riscv := program(elf.EM_RISCV, "runtime")
	c.Engines[foreign] = join(t, riscv, "another document")
	if _, err := r.Publish(t.Context(), c); err == nil || !strings.Contains(err.Error(), "has another document than the engines for other platforms") {
		t.Errorf("other document: %v", err)
	}
	c.Engines[foreign] = riscv
	if _, err := r.Publish(t.Context(), c); err == nil || !strings.Contains(err.Error(), "has another document") {
		t.Errorf("no document: %v", err)
	}
	for platform, program := range map[string][]byte{
		foreign:         riscv,
		"darwin/arm64":  machO(macho.CpuArm64, macho.TypeExec),
		"windows/amd64": portableExecutable(pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_EXECUTABLE_IMAGE),
	} {
		c.Engines[platform] = join(t, program, beam+"1.0.0")
	}
	publish(t, r, c)
	rel := release(capability(t, r, beam), "1.0.0")
	serves(t, rel, &c)
	for platform, want := range c.Engines {
		data, err := rel.EngineFor(platform)
		if err != nil || !bytes.Equal(data, want) || rel.Engines[platform] != digest.FromBytes(want).String() {
			t.Errorf("%s: %d bytes, digest %s, %v", platform, len(data), rel.Engines[platform], err)
		}
	}
}

func TestDamagedTextEngines(t *testing.T) {
	c := textCandidate(t, beam, "1.0.0")
	damaged := bytes.Clone(c.Engines[here])
	damaged[len(textRuntime)]++
	for name, tt := range map[string]struct {
		damage func(d disk, shared, runtime, document string)
		want   string
	}{
		"changed runtime": {func(d disk, _, runtime, _ string) {
			data := d.read(runtime)
			data[len(data)/2]++
			d.write(runtime, data)
		}, ".shared/blobs/sha256/"},
		"shorter runtime": {func(d disk, _, runtime, _ string) { d.must(os.Truncate(runtime, 100)) }, "was changed or damaged"},
		"no runtime":      {func(d disk, _, runtime, _ string) { d.must(os.Remove(runtime)) }, "is missing"},
		"no runtimes":     {func(d disk, shared, _, _ string) { d.must(os.RemoveAll(shared)) }, ".shared, which has the runtimes of text engines, is missing"},
		"changed document": {func(d disk, _, _, document string) {
			d.write(document, bytes.ToUpper(d.read(document)))
		}, "was changed or damaged"},
		"no document": {func(d disk, _, _, document string) { d.must(os.Remove(document)) }, "is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			r, dir := open(t)
			publish(t, r, c)
			d := disk{t, filepath.Join(dir, beam)}
			shared := filepath.Join(dir, store.Shared)
			runtime := disk{t, shared}.blob(digest.FromBytes(textRuntime))
			tt.damage(d, shared, runtime, d.blob(digest.FromBytes([]byte(beam+"1.0.0"))))
			rel := release(capability(t, r, beam), "1.0.0")
			if rel.Problem == nil || !strings.Contains(rel.Problem.Error(), tt.want) {
				t.Errorf("problem %v, want %q", rel.Problem, tt.want)
			}
			if _, err := rel.EngineFor(here); err == nil {
				t.Error("the engine can be read")
			}
			p := publish(t, r, c)
			if p.Status != registry.Unchanged || p.Restored != 1 {
				t.Errorf("restored: %+v", p)
			}
			serves(t, release(capability(t, r, beam), "1.0.0"), &c)
		})
	}
	c.Engines[here] = damaged
	c.Report = report(3, damaged)
	r, _ := open(t)
	if _, err := r.Publish(t.Context(), c); err == nil || !strings.Contains(err.Error(), "its document does not match the trailer") {
		t.Errorf("damaged file: %v", err)
	}
}

// A manifest that names another engine than its parts give is damage.
func TestForgedTextEngine(t *testing.T) {
	r, dir := open(t)
	publish(t, r, textCandidate(t, beam, "1.0.0"))
	d := disk{t, filepath.Join(dir, beam)}
	for _, tt := range []struct {
		change func(m *v1.Manifest)
		want   string
	}{
		{func(m *v1.Manifest) { m.Layers[0].Annotations["vnd.slipstick.engine"] = "sha256:" + zeros }, "and the release names sha256:" + zeros},
		{func(m *v1.Manifest) { m.Layers[0].Annotations = nil }, "is not sha256: and 64 hexadecimal digits"},
		{func(m *v1.Manifest) { m.Layers[0].Digest = "sha256:0" }, "is not sha256: and 64 hexadecimal digits"},
		{func(m *v1.Manifest) { m.Layers = append(m.Layers, m.Layers[1]) }, "two documents"},
		{func(m *v1.Manifest) { m.Layers = append(m.Layers[:1:1], m.Layers[2:]...) }, "a runtime and no document"},
	} {
		x := d.read(d.path("index.json"))
		d.forge("1.0.0", tt.change)
		rel := release(capability(t, r, beam), "1.0.0")
		if rel == nil || rel.Problem == nil || !strings.Contains(rel.Problem.Error(), tt.want) {
			t.Errorf("%+v, want %q", rel.Problem, tt.want)
		}
		d.write(d.path("index.json"), x)
	}
}

// Mirrors fetch a runtime once, and only that for this platform.
func TestMirrorTextEngines(t *testing.T) {
	r, _ := open(t)
	list := []registry.Candidate{textCandidate(t, beam, "1.0.0"), textCandidate(t, beam, "1.1.0"), textCandidate(t, other, "1.0.0")}
	for i := range list {
		c := &list[i]
		c.Engines["linux/riscv64"] = join(t, program(elf.EM_RISCV, "runtime"), c.Spec.Capability+c.Spec.Version)
		publish(t, r, *c)
	}
	mirror, _ := open(t)
	runtimes := []digest.Digest{}
	for _, id := range []string{beam, other} {
		entries, err := r.Entries(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		offer := &registry.Offer{Entries: entries, Fetch: func(ctx context.Context, d v1.Descriptor) (io.ReadCloser, error) {
			if d.Platform != nil {
				runtimes = append(runtimes, d.Digest)
			}
			data, err := r.Blob(ctx, id, d)
			return io.NopCloser(bytes.NewReader(data)), err
		}}
		for range 2 {
			damage, err := mirror.Mirror(t.Context(), id, offer)
			if damage != nil || err != nil {
				t.Fatal(damage, err)
			}
		}
	}
	if len(runtimes) != 1 || runtimes[0] != digest.FromBytes(textRuntime) {
		t.Errorf("fetched the runtimes %v, want that for %s/%s once", runtimes, runtime.GOOS, runtime.GOARCH)
	}
	for i := range list {
		c := &list[i]
		serves(t, release(capability(t, mirror, c.Spec.Capability), c.Spec.Version), c)
	}
}

// A crash at any step leaves a text engine complete or absent, with the first runtime and with a known one.
func TestCrashOfTextEngine(t *testing.T) {
	for name, arrange := range map[string]func(t *testing.T, r *registry.Registry){
		"first runtime": func(*testing.T, *registry.Registry) {},
		"known runtime": func(t *testing.T, r *registry.Registry) { publish(t, r, textCandidate(t, other, "1.0.0")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of the time is spent waiting for the disk
			c := textCandidate(t, beam, "1.1.0")
			first, _ := open(t)
			arrange(t, first)
			total, seen := len(steps(t, first, c)), map[bool]int{}
			for n := range total {
				r, dir := open(t)
				arrange(t, r)
				if err := crash(t, r, c, n); !errors.Is(err, errFault) {
					t.Fatalf("step %d: error = %v", n, err)
				}
				rel := release(capability(t, r, beam), "1.1.0")
				seen[rel != nil]++
				if rel != nil {
					serves(t, rel, &c)
				}
				publish(t, r, c)
				serves(t, release(capability(t, r, beam), "1.1.0"), &c)
				checkNoTraces(t, dir)
			}
			if seen[false] == 0 || seen[true] == 0 {
				t.Errorf("of %d steps %d left the version out and %d left it in", total, seen[false], seen[true])
			}
		})
	}
}
