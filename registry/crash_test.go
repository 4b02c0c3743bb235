package registry_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry"
)

var errFault = errors.New("the disk is gone")

// steps publishes and returns the steps of the writer, in order.
func steps(t *testing.T, r *registry.Registry, c registry.Candidate) []string {
	t.Helper()
	var list []string
	r.SetFault(func(step string) error {
		list = append(list, step)
		return nil
	})
	publish(t, r, c)
	r.SetFault(nil)
	return list
}

// situations are the states of a registry before beam 1.1.0 is published.
var situations = map[string]func(t *testing.T, r *registry.Registry){
	"empty registry":   func(*testing.T, *registry.Registry) {},
	"other capability": func(t *testing.T, r *registry.Registry) { publish(t, r, candidate(cable, "1.0.0")) },
	"earlier version":  func(t *testing.T, r *registry.Registry) { publish(t, r, candidate(beam, "1.0.0")) },
	"traces of a crash": func(t *testing.T, r *registry.Registry) {
		publish(t, r, candidate(beam, "1.0.0"))
		for _, c := range []registry.Candidate{candidate(beam, "1.0.1"), candidate(cable, "1.0.0")} {
			crash(t, r, c, 8)
		}
	},
}

// crash publishes until step n. This step and all later ones fail.
func crash(t *testing.T, r *registry.Registry, c registry.Candidate, n int) error {
	t.Helper()
	r.SetFault(func(string) error {
		n--
		if n < 0 {
			return errFault
		}
		return nil
	})
	defer r.SetFault(nil)
	_, err := r.Publish(t.Context(), c)
	return err
}

func TestCrashAtAnyStepLeavesVersionThereOrNot(t *testing.T) {
	for name, arrange := range situations {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of the time is spent waiting for the disk
			first, _ := open(t)
			arrange(t, first)
			total := len(steps(t, first, candidate(beam, "1.1.0")))
			seen := map[bool]int{}
			for n := range total {
				r, dir := open(t)
				arrange(t, r)
				before := versionsOf(capability(t, r, beam))
				if err := crash(t, r, candidate(beam, "1.1.0"), n); !errors.Is(err, errFault) {
					t.Fatalf("step %d: error = %v", n, err)
				}
				seen[checkWhole(t, r, before)]++
				publish(t, r, candidate(beam, "1.1.0"))
				if !checkWhole(t, r, before) {
					t.Errorf("step %d: the version is not there after publishing again", n)
				}
				checkNoTraces(t, dir)
			}
			if total < 20 || seen[false] == 0 || seen[true] == 0 {
				t.Errorf("of %d steps %d left the version out and %d left it in: the fault does not reach all", total, seen[false], seen[true])
			}
		})
	}
}

func TestFailedStepShowsNothing(t *testing.T) {
	for name, arrange := range situations {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of the time is spent waiting for the disk
			first, _ := open(t)
			arrange(t, first)
			for n := range steps(t, first, candidate(beam, "1.1.0")) {
				r, dir := open(t)
				arrange(t, r)
				before := versionsOf(capability(t, r, beam))
				count := 0
				r.SetFault(func(string) error {
					count++
					if count == n+1 {
						return errFault
					}
					return nil
				})
				if _, err := r.Publish(t.Context(), candidate(beam, "1.1.0")); !errors.Is(err, errFault) {
					t.Fatalf("step %d: error = %v", n, err)
				}
				r.SetFault(nil)
				if name == "earlier version" {
					checkNoTraces(t, dir)
				}
				if checkWhole(t, r, before) {
					t.Errorf("step %d: the publish failed but the version is visible", n)
				}
				publish(t, r, candidate(beam, "1.1.0"))
				checkWhole(t, r, before)
				checkNoTraces(t, dir)
			}
		})
	}
}

// checkWhole fails unless beam has its earlier versions, all in order, and perhaps 1.1.0. It
// reports whether 1.1.0 is there.
func checkWhole(t *testing.T, r *registry.Registry, before []string) bool {
	t.Helper()
	list, err := r.Capabilities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if c.Problem != nil || c.Current != versionsOf(c)[0] {
			t.Errorf("%s: current %q of %v, problem %v", c.ID, c.Current, versionsOf(c), c.Problem)
		}
		for _, rel := range c.Releases {
			mustServe(t, rel)
		}
	}
	got := versionsOf(capability(t, r, beam))
	there := slices.Contains(got, "1.1.0")
	if without := slices.DeleteFunc(got, func(v string) bool { return v == "1.1.0" }); !slices.Equal(without, before) {
		t.Errorf("versions beside 1.1.0 = %v, want %v", without, before)
	}
	return there
}

// checkNoTraces fails if a temporary file is left.
func checkNoTraces(t *testing.T, dir string) {
	t.Helper()
	for _, pattern := range []string{".new-*", "*/ingest/*"} {
		if left, _ := filepath.Glob(filepath.Join(dir, pattern)); len(left) > 0 {
			t.Errorf("left over: %v", left)
		}
	}
}

func TestEverythingIsOnDiskBeforeTheVersionIsVisible(t *testing.T) {
	for _, name := range []string{"empty registry", "earlier version"} {
		t.Run(name, func(t *testing.T) {
			r, _ := open(t)
			situations[name](t, r)
			list := steps(t, r, candidate(beam, "1.1.0"))
			visible, parent, layout := slices.Index(list, "rename "+beam+"/index.json"), beam, beam
			if name == "empty registry" {
				visible, parent, layout = slices.Index(list, "rename "+beam), ".", ".new-"+beam
			}
			if visible < 0 || !slices.Contains(list[visible:], "fsync "+parent) {
				t.Fatalf("the visible step is not followed by the fsync of its directory: %q", list)
			}
			lastBlob := 0
			for i, step := range list {
				what, file, _ := strings.Cut(step, " ")
				if what != "rename" || file == beam {
					continue
				}
				if i > visible {
					t.Errorf("%s after the version is visible", step)
				}
				temp := filepath.Join(layout, "ingest", filepath.Base(file))
				if w, f := slices.Index(list, "write "+temp), slices.Index(list, "fsync "+temp); w < 0 || f < w || f > i {
					t.Errorf("%s, but write was step %d, fsync %d and rename %d", file, w, f, i)
				}
				if strings.Contains(file, "/blobs/") {
					lastBlob = i
				}
			}
			if !slices.Contains(list[lastBlob:visible], "fsync "+layout+"/blobs/sha256") {
				t.Error("no fsync of the blob directory between the last blob and the visible step")
			}
		})
	}
}

func TestTracesOfACrashAreRemovedByTheNextPublish(t *testing.T) {
	r, dir := open(t)
	publish(t, r, candidate(cable, "1.0.0"))
	for _, name := range []string{".new-a.b/blobs", cable + "/ingest"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, cable, "ingest", "half"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	mustServe(t, release(capability(t, r, cable), "1.0.0"))
	publish(t, r, candidate(beam, "1.0.0"))
	checkNoTraces(t, dir)
}

func TestSweepingFollowsNoLink(t *testing.T) {
	r, d := published(t)
	d.must(os.Remove(d.path("ingest")))
	d.must(os.Symlink("../"+cable+"/blobs/sha256", d.path("ingest")))
	publish(t, r, candidate(cable, "1.1.0"))
	mustServe(t, release(capability(t, r, cable), "1.0.0"))
}

// The first publisher may have crashed before the names were on disk.
func TestUnchangedIsOnDiskToo(t *testing.T) {
	r, _ := open(t)
	publish(t, r, candidate(beam, "1.0.0"))
	list := steps(t, r, candidate(beam, "1.0.0"))
	for _, dir := range []string{beam + "/blobs/sha256", beam + "/blobs", beam, "."} {
		if !slices.Contains(list, "fsync "+dir) {
			t.Errorf("no fsync of %s in %q", dir, list)
		}
	}
}

func TestPublishStopsWithTheContext(t *testing.T) {
	r, dir := open(t)
	publish(t, r, candidate(beam, "1.0.0"))
	ctx, cancel := context.WithCancel(t.Context())
	r.SetFault(func(step string) error {
		if strings.HasPrefix(step, "rename") {
			cancel()
		}
		return nil
	})
	if _, err := r.Publish(ctx, candidate(beam, "1.1.0")); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want that of the context", err)
	}
	r.SetFault(nil)
	if checkWhole(t, r, []string{"1.0.0"}) {
		t.Error("the version is visible")
	}
	checkNoTraces(t, dir)
}

func TestLayoutWithoutEmptyDirectoriesTakesAVersion(t *testing.T) {
	r, dir := open(t)
	publish(t, r, candidate(beam, "1.0.0"))
	if err := os.Remove(filepath.Join(dir, beam, "ingest")); err != nil { // as git would do
		t.Fatal(err)
	}
	publish(t, r, candidate(beam, "1.1.0"))
	mustServe(t, release(capability(t, r, beam), "1.1.0"))
}
