package registry_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	conformance "github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

const beam = "mechanical.statics.beam"

// zeros is a digest that nothing has.
const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

var here = runtime.GOOS + "/" + runtime.GOARCH

// program returns the smallest ELF executable header, followed by a text that makes it unique.
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

// engine returns a program for the machine that runs the test.
func engine(text string) []byte {
	if runtime.GOARCH == "arm64" {
		return program(elf.EM_AARCH64, text)
	}
	return program(elf.EM_X86_64, text)
}

func spec(capability, version string) sdk.Spec {
	return sdk.Spec{
		Contract: sdk.ContractVersion, Capability: capability, Version: version,
		Tool: "beam", Group: "statics", Title: "Beam", Summary: "Deflection of a beam.",
		Outputs: []sdk.Field{{Name: "delta", Type: sdk.TypeNumber, Unit: "m", Required: true}},
	}
}

// report returns a conformance report on the engines, which passed on n vectors.
func report(n int, engines ...[]byte) *conformance.Document {
	digests := []string{}
	for _, e := range engines {
		digests = append(digests, digest.FromBytes(e).String())
	}
	data, err := json.Marshal(map[string]any{
		"engine_digests": digests, "passed": true, "vectors": map[string]int{"total": n, "passed": n},
	})
	if err != nil {
		panic(err)
	}
	return reportOf(data)
}

func reportOf(data []byte) *conformance.Document {
	r, err := conformance.Read(data)
	if err != nil {
		panic(err)
	}
	return r
}

// edited returns the report of a candidate, with old replaced by text.
func edited(c *registry.Candidate, old, text string) *conformance.Document {
	return reportOf(bytes.Replace(c.Report.JSON, []byte(old), []byte(text), 1))
}

// candidate returns a complete release. Different releases share no blob.
func candidate(capability, version string) registry.Candidate {
	e := engine(capability + version)
	c := registry.Candidate{
		Spec: spec(capability, version), Engines: map[string][]byte{here: e},
		Vectors:  fmt.Appendf(nil, `{"vectors":[%q]}`, capability+version),
		Report:   report(3, e),
		Revision: "4d2f0e1", Created: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
	}
	if capability != beam {
		c.Spec.Tool = "other"
	}
	return c
}

func open(t testing.TB) (*registry.Registry, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "registry")
	r, err := registry.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, dir
}

func publish(t testing.TB, r *registry.Registry, c registry.Candidate) registry.Publication {
	t.Helper()
	p, err := r.Publish(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// capability reads one capability.
func capability(t testing.TB, r *registry.Registry, id string) registry.Capability {
	t.Helper()
	list, err := r.Capabilities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if c.ID == id {
			return c
		}
	}
	return registry.Capability{}
}

// release returns a version of a capability, or nil if it is not listed.
func release(c registry.Capability, version string) *registry.Release {
	for _, rel := range c.Releases {
		if rel.Version == version {
			return rel
		}
	}
	return nil
}

func versionsOf(c registry.Capability) []string {
	var list []string
	for _, rel := range c.Releases {
		list = append(list, rel.Version)
	}
	return list
}

// disk changes a layout without the registry.
type disk struct {
	t   testing.TB
	dir string
}

func (d disk) path(name string) string { return filepath.Join(d.dir, filepath.FromSlash(name)) }

func (d disk) blob(dg digest.Digest) string { return d.path("blobs/sha256/" + dg.Encoded()) }

func (d disk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d disk) read(name string) []byte {
	d.t.Helper()
	data, err := os.ReadFile(name)
	d.must(err)
	return data
}

func (d disk) write(name string, data []byte) {
	d.t.Helper()
	d.must(os.WriteFile(name, data, 0o644))
}

func (d disk) index() (x v1.Index) {
	d.t.Helper()
	d.must(json.Unmarshal(d.read(d.path("index.json")), &x))
	return x
}

// edit rewrites index.json.
func (d disk) edit(change func(*v1.Index)) {
	d.t.Helper()
	x := d.index()
	change(&x)
	data, err := json.Marshal(x)
	d.must(err)
	d.write(d.path("index.json"), data)
}

// entry returns the index entry of a tag. For "report <version>" it is the entry of the
// conformance report.
func (d disk) entry(x *v1.Index, name string) *v1.Descriptor {
	d.t.Helper()
	for i := range x.Manifests {
		m := &x.Manifests[i]
		tag := m.Annotations[v1.AnnotationRefName]
		if tag == name || tag == "" && "report "+m.Annotations[v1.AnnotationVersion] == name {
			return m
		}
	}
	d.t.Fatalf("index.json has no entry %s", name)
	return nil
}

func (d disk) manifest(name string) (m v1.Manifest) {
	d.t.Helper()
	x := d.index()
	d.must(json.Unmarshal(d.read(d.blob(d.entry(&x, name).Digest)), &m))
	return m
}

// add stores a blob under its true digest.
func (d disk) add(mediaType string, data []byte) v1.Descriptor {
	d.t.Helper()
	desc := v1.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(data), Size: int64(len(data))}
	d.write(d.blob(desc.Digest), data)
	return desc
}

// forge replaces a manifest by a changed one, and updates all digests.
func (d disk) forge(name string, change func(*v1.Manifest)) {
	d.t.Helper()
	m := d.manifest(name)
	change(&m)
	data, err := json.Marshal(m)
	d.must(err)
	desc := d.add(v1.MediaTypeImageManifest, data)
	d.edit(func(x *v1.Index) {
		e := d.entry(x, name)
		e.Digest, e.Size = desc.Digest, desc.Size
	})
}

// drop removes an entry from index.json.
func (d disk) drop(name string) {
	d.t.Helper()
	d.edit(func(x *v1.Index) {
		removed := d.entry(x, name).Digest
		x.Manifests = slices.DeleteFunc(x.Manifests, func(m v1.Descriptor) bool { return m.Digest == removed })
	})
}
