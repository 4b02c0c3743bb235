package publish_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/host/internal/release/publish"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

// engine builds an engine of the system tests, with a version and a change.
func engine(t *testing.T, version, change string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "engine")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -X main.version="+version+" -X main.change="+change, "-o", to, "./testdata/engines/change")
	cmd.Dir = filepath.Join("..", "..", "..", "..", "tools", "system")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return to
}

// draft counts the calls for a remote registry.
type draft struct {
	fetched, pushed int
	down            error
}

func (d *draft) Engines(context.Context, string) error { d.fetched++; return nil }
func (d *draft) Push(context.Context, string) error    { d.pushed++; return d.down }

func target(t *testing.T) *publish.Target {
	t.Helper()
	reg, err := registry.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return &publish.Target{Registry: reg}
}

func TestRun(t *testing.T) {
	to, remote := target(t), new(draft)
	to.Draft = remote
	first := engine(t, "1.0.0", "")
	steps := 0
	result, err := publish.Run(t.Context(), to, first, &publish.Options{Revision: "r1", Progress: func(spec *sdk.Spec, _ string) {
		if spec.Version == "1.0.0" {
			steps++
		}
	}})
	if err != nil || result.Status != registry.Published || result.Version != "1.0.0" || result.Current != "1.0.0" ||
		result.Spec.Tool != "change" || !result.Report.Passed || result.Engines[publish.Platform] != result.Report.EngineDigests[0] {
		t.Fatalf("%+v, %v", result, err)
	}
	if steps == 0 || remote.fetched != 1 || remote.pushed != 1 {
		t.Errorf("%d steps; fetched %d times, pushed %d times", steps, remote.fetched, remote.pushed)
	}
	release, err := to.Registry.Release(t.Context(), result.Capability, "1.0.0")
	if err != nil || release.Revision != "r1" {
		t.Errorf("%+v, %v", release, err)
	}

	// The same bytes are pushed again, but neither checked nor compared.
	result, err = publish.Run(t.Context(), to, first, nil)
	if err != nil || result.Status != registry.Unchanged || result.Report != nil || remote.fetched != 1 || remote.pushed != 2 {
		t.Errorf("again: %+v, %v", result, err)
	}
	remote.down = errors.New("down")
	_, err = publish.Run(t.Context(), to, first, nil)
	if !errors.Is(err, remote.down) {
		t.Errorf("pushed to a registry that is down: %v", err)
	}
}

// A refusal does not change the registry, and its error has the reason as data.
func TestRunRefuses(t *testing.T) {
	to := target(t)
	if _, err := publish.Run(t.Context(), to, engine(t, "1.0.0", ""), nil); err != nil {
		t.Fatal(err)
	}
	var unfit *publish.NotConformingError
	if _, err := publish.Run(t.Context(), to, engine(t, "1.1.0", "wrong"), nil); !errors.As(err, &unfit) || unfit.Report.Passed || unfit.Report.Vectors.Passed == unfit.Report.Vectors.Total {
		t.Errorf("an engine that contradicts its vectors: %v", err)
	}
	var breaking *publish.NotCompatibleError
	if _, err := publish.Run(t.Context(), to, engine(t, "1.0.1", "number"), nil); !errors.As(err, &breaking) || breaking.Published != "1.0.0" || breaking.Diff.Smallest != "2.0.0" {
		t.Errorf("another number in a patch: %v", err)
	}
	if _, err := publish.Run(t.Context(), to, engine(t, "1.1.0", "silent-number"), nil); !errors.As(err, &breaking) || breaking.Diff.Smallest != "2.0.0" {
		t.Errorf("another number in a minor version without Changes: %v", err)
	}
	var silent *publish.MissingChangesError
	for version, bump := range map[string]compat.Bump{"1.1.0": compat.Minor, "2.0.0": compat.Major} {
		_, err := publish.Run(t.Context(), to, engine(t, version, "silent"), nil)
		if !errors.As(err, &silent) || silent.Published != "1.0.0" || silent.Bump != bump || !strings.HasPrefix(err.Error(), "CHANGES_MISSING: ") {
			t.Errorf("%s without Changes: %v", version, err)
		}
	}
	var exists *registry.ExistsError
	if _, err := publish.Run(t.Context(), to, engine(t, "1.0.0", "input"), nil); !errors.As(err, &exists) || exists.Version != "1.0.0" {
		t.Errorf("other bytes: %v", err)
	}
	if versions, err := to.Registry.Versions(t.Context(), "test.life.change"); err != nil || len(versions) != 1 {
		t.Errorf("%v, %v", versions, err)
	}
}

// The needed version of a table is reported before its missing description.
func TestTableOrder(t *testing.T) {
	to := target(t)
	table := func(version, roughness string) string {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"table.json": `{"table_format": 1, "table_id": "data.test.walls", "table_version": "` + version + `", "title": "Walls", "summary": "Roughness of walls.", "noun": "wall",
				"columns": [{"name": "roughness", "label": "Roughness", "unit": "mm", "symbol": "e", "source": "book", "minimum": "0", "maximum": "10"}],
				"sources": [{"id": "book", "title": "A book", "where": "page 1"}]}`,
			"rows.csv": "key,name,roughness\ndrawn,Drawn,0.0015\nsteel,Steel," + roughness + "\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	if _, err := publish.Run(t.Context(), to, table("1.0.0", "0.045"), nil); err != nil {
		t.Fatal(err)
	}
	var breaking *publish.NotCompatibleTableError
	if _, err := publish.Run(t.Context(), to, table("1.1.0", "0.05"), nil); !errors.As(err, &breaking) || breaking.Comparison.Smallest != "2.0.0" {
		t.Errorf("another value in a minor version: %v", err)
	}
	if _, err := publish.Run(t.Context(), to, table("2.0.0", "0.05"), nil); !errors.As(err, new(*publish.MissingChangesError)) {
		t.Errorf("a major version without changes: %v", err)
	}
}

// A patch does not change answers, and callers must pin a pre-release: neither needs Changes.
func TestChangesAreOptional(t *testing.T) {
	to := target(t)
	for _, version := range []string{"1.0.0", "1.0.1", "1.1.0-dev.1"} {
		if _, err := publish.Run(t.Context(), to, engine(t, version, "silent"), nil); err != nil {
			t.Errorf("%s: %v", version, err)
		}
	}
}

// All yields outcomes in the order of the paths, and a loop can end before the last one.
func TestAll(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	paths := []string{none + "1", none + "2", none + "3"}
	var seen []string
	for path, outcome := range publish.All(t.Context(), target(t), paths, nil) {
		if !errors.Is(outcome.Err, os.ErrNotExist) {
			t.Errorf("%s: %v", path, outcome.Err)
		}
		seen = append(seen, path)
		if len(seen) == 2 {
			break
		}
	}
	if len(seen) != 2 || seen[0] != paths[0] || seen[1] != paths[1] {
		t.Errorf("%q", seen)
	}
}

// A document with another name is named as such, and not as an engine that does not start.
func TestDocumentWithAnotherName(t *testing.T) {
	for _, name := range []string{"keep.md", "sheet.calc.md.txt"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("# A sheet\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := publish.Run(t.Context(), new(publish.Target), path, nil); err == nil || !strings.Contains(err.Error(), "the name of a document ends with .calc.md") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
