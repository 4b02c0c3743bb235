package system

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// changed builds the engine change at a version.
func changed(t *testing.T, version, change string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "change-"+version)
	buildEngine(t, to, "change", "version="+version, "change="+change)
	return to
}

// diffReport is the JSON output of diff.
type diffReport struct {
	Declared, Needed, Smallest string
	Legal                      bool
	Cases                      struct{ Vectors, Generated, Answered, Different int }
	Differences                []struct {
		Where, Old, New, Needs string
		Ulps                   uint64
	}
}

func reportOf(t *testing.T, out string) diffReport {
	t.Helper()
	var r diffReport
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return r
}

// The Stefan-Boltzmann constant became exact, so the results needed a major version.
func TestDiffOfGreySurface(t *testing.T) {
	args := []string{"diff", "--registry", built.registry, "grey-surface-radiation@1.0.0", "thermo.radiation.grey_surface"}
	text := does(t, args...)
	if !strings.Contains(text, "legal: the changes need a major bump, and from 1.0.0 to 2.0.0 is a major one") ||
		!strings.Contains(text, "459.299727  ") || !strings.Contains(text, "10572093494") {
		t.Errorf("%s", text)
	}
	r := reportOf(t, does(t, append(args, "--format", "json")...))
	if !r.Legal || r.Declared != "major" || r.Needed != "major" || r.Smallest != "2.0.0" {
		t.Errorf("%+v", r)
	}
	if r.Cases.Answered < 300 || r.Cases.Different < 300 || len(r.Differences) < r.Cases.Different || r.Differences[0].Ulps == 0 {
		t.Errorf("%+v, %d differences, %+v", r.Cases, len(r.Differences), r.Differences[0])
	}
}

func TestDiffExitCodes(t *testing.T) {
	t.Parallel()
	grey, ohm := filepath.Join(built.engines, "grey_surface"), filepath.Join(built.engines, "ohms_law")
	older := filepath.Join(built.engines, "grey_surface_v1")
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{grey, grey}, exitOK, "they are the same engine"},
		{[]string{older, grey}, exitOK, "is a major one"},
		{[]string{"grey-surface-radiation@1.0.0", grey}, exitOK, "is a major one"},
		{[]string{grey, older}, exitFailed, "1.0.0 is not above 2.0.0"},
		{[]string{ohm, grey}, exitMisuse, "two capabilities"},
		{[]string{grey}, exitMisuse, "missing positional arguments <new>"},
		{[]string{"./nothing", grey}, exitMisuse, "./nothing"},
		{[]string{"--format", "xml", grey, grey}, exitMisuse, "xml"},
		{[]string{"--generated", "0", grey, grey}, exitMisuse, "at least 1"},
		{[]string{"grey-surface-radiation@7.0.0", grey}, exitFailed, "VERSION_MISMATCH"},
		{[]string{"grey-surfaces@1.0.0", grey}, exitFailed, "ENGINE_NOT_FOUND"},
	} {
		r := slipstick(t.Context(), append([]string{"diff", "--registry", built.registry}, tt.args...)...)
		if r.code != tt.code || !strings.Contains(r.out+r.err, tt.says) {
			t.Errorf("diff %v: %d\n%s%s\nwant %d with %q", tt.args, r.code, r.out, r.err, tt.code, tt.says)
		}
	}
}

// Publishing decides which version number is allowed. Real processes compute the results.
func TestPublishJudgesVersions(t *testing.T) {
	t.Parallel()
	var (
		first        = changed(t, "1.0.0", "")
		same         = changed(t, "1.0.1", "")
		inputPatch   = changed(t, "1.0.2", "input")
		input        = changed(t, "1.1.0", "input")
		number       = changed(t, "1.1.1", "number")
		numberBefore = changed(t, "1.2.0-rc.1", "number")
		gone         = changed(t, "1.2.0", "gone")
		major        = changed(t, "2.0.0", "number")
	)
	registry := filepath.Join(t.TempDir(), "registry")
	refused := func(registry, engine string, says ...string) {
		t.Helper()
		before := filesIn(t, registry)
		r := slipstick(t.Context(), "publish", "--to", registry, engine)
		if r.code != exitFailed {
			t.Errorf("publish %s: %d %s%s", engine, r.code, r.out, r.err)
		}
		for _, text := range says {
			if !strings.Contains(r.err, text) {
				t.Errorf("publish %s does not say %q:\n%s", engine, text, r.err)
			}
		}
		if filesIn(t, registry) != before {
			t.Errorf("refusing %s changed the registry", engine)
		}
	}
	published := func(registry, engine string) {
		t.Helper()
		if out := does(t, "publish", "--to", registry, engine); !strings.HasPrefix(out, "published ") {
			t.Errorf("publish %s: %s", engine, out)
		}
	}
	published(registry, first)
	published(registry, same)
	refused(registry, inputPatch, "input z", "need a minor bump", "the smallest version that is legal is 1.1.0")
	published(registry, input)
	refused(registry, number, "result.y", "6.000000000000001", "need a major bump", "is 2.0.0")
	refused(registry, numberBefore, "need a major bump") // this prerelease could never become its release
	refused(registry, gone, "output w", "input z", "is gone")
	published(registry, major)

	// The same promises, published in another order: 1.1.1 would break callers of 1.0.0.
	backwards := filepath.Join(t.TempDir(), "registry")
	published(backwards, number)
	refused(backwards, first, "compared with the published 1.1.1", "need a major bump")
	does(t, "revoke", "--registry", backwards, "change", "1.1.1", "--reason", "it was wrong") // now no caller can use that version
	published(backwards, first)

	// Two versions in one publication are compared with each other.
	together := filepath.Join(t.TempDir(), "registry")
	r := slipstick(t.Context(), "publish", "--to", together, first, number)
	if r.code != exitFailed || strings.Count(r.out, "published ") != 1 || !strings.Contains(r.err, "refused: 1 of 2 engines") {
		t.Errorf("publish both: %d\n%s%s", r.code, r.out, r.err)
	}
}
