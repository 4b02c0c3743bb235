package registry_test

import (
	"archive/zip"
	"bytes"
	"debug/elf"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
)

// exported returns the file of a registry.
func exported(t testing.TB, r *registry.Registry) (file []byte, count registry.Transferred) {
	t.Helper()
	var b bytes.Buffer
	count, err := r.Export(t.Context(), &b)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), count
}

// imported imports a file, which can be read.
func imported(t testing.TB, r *registry.Registry, file []byte) (registry.Transferred, map[string]error) {
	t.Helper()
	added, refused, err := r.Import(t.Context(), zipped(t, file), nil)
	if err != nil {
		t.Fatal(err)
	}
	return added, refused
}

func zipped(t testing.TB, file []byte) *zip.Reader {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// contents returns the files in a directory of a registry, without locks and directories of writers.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(name, ".lock") {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// library publishes a text engine for two platforms in two versions, a program, and a log.
func library(t testing.TB) (*registry.Registry, string) {
	t.Helper()
	r, dir := open(t)
	for _, version := range []string{"1.0.0", "1.1.0"} {
		c := textCandidate(t, beam, version)
		c.Engines["linux/riscv64"] = join(t, program(elf.EM_RISCV, "runtime"), beam+version)
		publish(t, r, c)
	}
	publish(t, r, candidate(other, "2.0.0"))
	logged(t, r, &registry.LogUpdate{Create: true})
	return r, dir
}

func TestExportAndImport(t *testing.T) {
	r, dir := library(t)
	file, count := exported(t, r)
	if count.Capabilities != 2 || count.Versions != 3 || count.Records != 3 {
		t.Errorf("exported %+v, want 2 capabilities with 3 versions and a report of each", count)
	}
	if again, _ := exported(t, r); !bytes.Equal(again, file) {
		t.Error("the same registry gives other bytes")
	}
	to, toDir := open(t)
	added, refused := imported(t, to, file)
	if added != count || len(refused) > 0 {
		t.Errorf("imported %+v and refused %v, want %+v", added, refused, count)
	}
	copied, original := contents(t, toDir), contents(t, dir)
	for name, data := range original {
		if !strings.HasSuffix(name, "index.json") && copied[name] != data { // which lists the same in another order
			t.Errorf("%s differs", name)
		}
	}
	if len(copied) != len(original) {
		t.Errorf("imported %d files, want %d", len(copied), len(original))
	}
	want := textCandidate(t, beam, "1.1.0")
	serves(t, release(capability(t, to, beam), "1.1.0"), &want)
	if c := capability(t, to, beam); c.Current != "1.1.0" {
		t.Errorf("current = %s, want 1.1.0", c.Current)
	}
	added, refused = imported(t, to, file)
	if added != (registry.Transferred{}) || len(refused) > 0 {
		t.Errorf("imported again %+v and refused %v, want nothing", added, refused)
	}
}

// An imported file adds to what is here. It neither replaces it nor moves current back.
func TestImportAdds(t *testing.T) {
	from, _ := library(t)
	file, _ := exported(t, from)
	for _, tt := range []struct {
		name    string
		here    []registry.Candidate
		current string // of the beam
		added   registry.Transferred
		refused map[string]string
	}{
		{"older version", []registry.Candidate{candidate(beam, "0.9.0")}, "1.1.0", registry.Transferred{Capabilities: 2, Versions: 3, Records: 3}, nil},
		{"newer version", []registry.Candidate{candidate(beam, "3.0.0")}, "3.0.0", registry.Transferred{Capabilities: 2, Versions: 3, Records: 3}, nil},
		{
			"other bytes", []registry.Candidate{candidate(beam, "1.0.0")}, "1.0.0", registry.Transferred{Capabilities: 2, Versions: 2, Records: 2},
			map[string]string{beam: "it was published as"},
		},
		{
			"tool id", []registry.Candidate{tooled(candidate("mechanical.statics.mine", "1.0.0"), "beam")}, "", registry.Transferred{Capabilities: 1, Versions: 1, Records: 1},
			map[string]string{beam: "the tool id beam belongs to mechanical.statics.mine here"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			to, _ := open(t)
			for _, c := range tt.here {
				publish(t, to, c)
			}
			was := logged(t, to, &registry.LogUpdate{Create: true})
			added, refused := imported(t, to, file)
			if added != tt.added || len(refused) != len(tt.refused) {
				t.Errorf("added %+v and refused %v, want %+v and %v", added, refused, tt.added, tt.refused)
			}
			for id, want := range tt.refused {
				if refused[id] == nil || !strings.Contains(refused[id].Error(), want) {
					t.Errorf("%s: %v, want %q", id, refused[id], want)
				}
			}
			if c := capability(t, to, beam); c.Current != tt.current {
				t.Errorf("current = %q, want %q", c.Current, tt.current)
			}
			l, err := to.Log(nil)
			if err != nil || l.Continues(was.Checkpoint()) != nil || len(l.Entries()) <= len(was.Entries()) {
				t.Errorf("the log does not continue with the additions: %v", err)
			}
		})
	}
}

func tooled(c registry.Candidate, tool string) registry.Candidate {
	c.Spec.Tool = tool
	return c
}

// Statements about versions, such as a revocation, are imported with the versions and later.
func TestImportRecords(t *testing.T) {
	from, _ := library(t)
	to, _ := open(t)
	first, _ := exported(t, from)
	imported(t, to, first)
	if err := from.SetLifecycle(t.Context(), beam, "1.1.0", evidence.Lifecycle{State: evidence.Revoked, Reason: "wrong"}); err != nil {
		t.Fatal(err)
	}
	second, _ := exported(t, from)
	added, refused := imported(t, to, second)
	if added.Records != 1 || added.Versions != 0 || len(refused) > 0 {
		t.Errorf("added %+v and refused %v, want one record", added, refused)
	}
	c := capability(t, to, beam)
	if got := release(c, "1.1.0").Lifecycle.State; got != evidence.Revoked || c.Current != "1.0.0" {
		t.Errorf("1.1.0 is %s and current is %s, want revoked and 1.0.0", got, c.Current)
	}
}

// rewritten returns the ZIP file with other content for some names; an empty content removes the file.
func rewritten(t *testing.T, file []byte, change map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	to := zip.NewWriter(&b)
	put := func(name, data string) {
		w, err := to.Create(name)
		if err == nil {
			_, err = io.WriteString(w, data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range zipped(t, file).File {
		data, changed := change[f.Name]
		if !changed {
			if err := to.Copy(f); err != nil {
				t.Fatal(err)
			}
		} else if data != "" {
			put(f.Name, data)
		}
		delete(change, f.Name)
	}
	for name, data := range change {
		put(name, data)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A file from outside adds only what matches its digests, and writes nowhere else.
func TestImportForged(t *testing.T) {
	from, dir := library(t)
	file, _ := exported(t, from)
	var blob, shared string
	for name, data := range contents(t, dir) {
		if strings.HasPrefix(name, beam+"/blobs") && strings.Contains(data, `"vectors"`) {
			blob = name
		}
		if strings.HasPrefix(name, ".shared/blobs") && data == string(textRuntime) {
			shared = name
		}
	}
	for _, tt := range []struct {
		name    string
		change  map[string]string
		refused string // of the beam
		failed  string
	}{
		{"changed blob", map[string]string{blob: "{}"}, "was read with 2 bytes", ""},
		{"missing blob", map[string]string{blob: ""}, "the file lacks " + blob, ""},
		{"huge blob", map[string]string{blob: strings.Repeat("0", 1<<20)}, "bytes or more", ""},
		{"changed runtime", map[string]string{shared: strings.Repeat("x", len(textRuntime))}, "expected", ""},
		{"index", map[string]string{beam + "/index.json": "{"}, "not an OCI index", ""},
		{"other names", map[string]string{"../evil/index.json": "{}", "/etc/evil": "x", beam + "/../../evil": "x", ".lock": "x"}, "", ""},
		{"log", map[string]string{".log/checkpoint": "x"}, "", "the log in the file"},
		{"no registry", nil, "", "the file has no capability"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			to, toDir := open(t)
			forged := rewritten(t, file, tt.change)
			if tt.change == nil {
				forged = rewritten(t, emptyZIP(t), map[string]string{"readme.txt": "x"})
			}
			_, refused, err := to.Import(t.Context(), zipped(t, forged), nil)
			switch {
			case tt.failed != "":
				if err == nil || !strings.Contains(err.Error(), tt.failed) {
					t.Errorf("error = %v, want %q", err, tt.failed)
				}
				return
			case err != nil:
				t.Fatal(err)
			}
			if tt.refused == "" && len(refused) > 0 || tt.refused != "" && (refused[beam] == nil || !strings.Contains(refused[beam].Error(), tt.refused)) {
				t.Errorf("refused %v, want %q", refused, tt.refused)
			}
			if c := capability(t, to, other); release(c, "2.0.0") == nil {
				t.Error("another capability in the file was not imported")
			}
			entries, err := os.ReadDir(filepath.Dir(toDir))
			if err != nil || len(entries) != 1 {
				t.Errorf("written elsewhere: %v, %v", entries, err)
			}
			checkNoTraces(t, toDir)
		})
	}
	t.Run("twice", func(t *testing.T) {
		to, _ := open(t)
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for range 2 {
			if _, err := z.Create(beam + "/index.json"); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if _, _, err := to.Import(t.Context(), zipped(t, b.Bytes()), nil); err == nil || !strings.Contains(err.Error(), "twice") {
			t.Errorf("error = %v, want a name twice", err)
		}
	})
}

func emptyZIP(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := zip.NewWriter(&b).Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A damaged registry is not exported.
func TestExportOfDamage(t *testing.T) {
	for _, kind := range slices.Sorted(maps.Keys(blobKinds)) {
		for _, damage := range []string{"byte flipped", "deleted"} {
			r, d := published(t)
			blobDamages[damage](d, d.blob(blobKinds[kind](d)))
			if _, err := r.Export(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), beam) {
				t.Errorf("%s %s: error = %v, want one that names %s", kind, damage, err, beam)
			}
		}
	}
}

// An export counts tables apart from capabilities.
func TestExportCountsTables(t *testing.T) {
	r, _ := open(t)
	publish(t, r, registry.Candidate{Table: table(t, "1.0.0", "50.3")})
	publish(t, r, candidate(beam, "1.0.0"))
	if _, count := exported(t, r); count.Capabilities != 1 || count.Tables != 1 {
		t.Errorf("%+v, want 1 capability and 1 table", count)
	}
}
