package pool

import (
	"bytes"
	"fmt"
	"io"
	"os"
	goruntime "runtime"
	"testing"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/enginefile"
)

// header returns the ELF header of the test binary, without its tables, and then zeros. A registry takes it for a program.
func header(t *testing.T) []byte {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	program := make([]byte, 64<<10)
	if _, err := io.ReadFull(f, program[:64]); err != nil {
		t.Fatal(err)
	}
	clear(program[32:48])
	clear(program[56:64])
	return program
}

// textReleases publishes text engines of one runtime, which nothing starts.
func textReleases(t *testing.T, n int) (list []*registry.Release, runtime int64) {
	t.Helper()
	program := header(t)
	r, err := registry.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		var file bytes.Buffer
		if err := enginefile.Join(&file, bytes.NewReader(program), &enginefile.Text{Document: fmt.Append(nil, i)}); err != nil {
			t.Fatal(err)
		}
		c := registry.Candidate{
			Spec: sdk.Spec{
				Contract: sdk.ContractVersion, Capability: "test.pool.text", Version: fmt.Sprintf("1.%d.0", i),
				Tool: "text", Group: "test", Title: "Text", Summary: "A number.",
				Outputs: []sdk.Field{{Name: "y", Type: sdk.TypeNumber, Required: true}},
			},
			Engines: map[string][]byte{goruntime.GOOS + "/" + goruntime.GOARCH: file.Bytes()},
		}
		if _, err := r.Publish(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		rel, err := r.Release(t.Context(), c.Spec.Capability, c.Spec.Version)
		if err != nil || rel.Problem != nil {
			t.Fatal(err, rel.Problem)
		}
		list = append(list, rel)
	}
	return list, int64(len(program))
}

// Text engines run from the file of their runtime, which is closed after the last of them.
func TestTextEnginesShareARuntime(t *testing.T) {
	for name, dir := range map[string]string{"disk": t.TempDir(), "memory": ""} {
		t.Run(name, func(t *testing.T) {
			e := newExecutables(dir)
			list, size := textReleases(t, 3)
			var all []*executable
			for _, rel := range list {
				x, err := e.acquire(rel)
				if err != nil {
					t.Fatal(err)
				}
				if x.Digest() != rel.EngineDigest || x.runtime == nil || x.runtime.Size() != size || x.Size() > 1000 {
					t.Errorf("%s of %d bytes, want %s", x.Digest(), x.Size(), rel.EngineDigest)
				}
				all = append(all, x)
			}
			runtime := all[0].runtime
			if all[1].runtime != runtime || all[2].runtime != runtime || runtime.users != len(list) {
				t.Errorf("%d users of the runtime, want %d", runtime.users, len(list))
			}
			for _, x := range all {
				e.release(x, true)
			}
			if kept := runtime.OnDisk(); len(e.held) != 0 && !kept || len(e.held) != len(list)+1 && kept {
				t.Errorf("%d programs are held, on disk: %v", len(e.held), kept)
			}
			e.close()
			if len(e.held) != 0 || runtime.users != 0 || runtime.Unchanged() == nil && runtime.OnDisk() {
				t.Errorf("after the end: %d programs are held, the runtime has %d users", len(e.held), runtime.users)
			}
		})
	}
}

// A release whose parts do not give its engine is refused, and keeps no runtime.
func TestTextEngineOfOtherDigest(t *testing.T) {
	e := newExecutables("")
	t.Cleanup(e.close)
	list, _ := textReleases(t, 1)
	forged := *list[0]
	forged.EngineDigest = "sha256:0"
	if x, err := e.acquire(&forged); err == nil {
		t.Errorf("acquired %s", x.Digest())
	}
	if len(e.held) != 0 {
		t.Errorf("%d programs are held", len(e.held))
	}
}
