package stored_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/archive/stored"
	"github.com/slipstick/slipstick/sdk"
)

// collector keeps what it reads.
type collector struct {
	calculations []*stored.Calculation
	gaps         []stored.Gap
	done, all    int64
	stop         error
}

func (c *collector) Calculation(one *stored.Calculation) error {
	c.calculations = append(c.calculations, one)
	return c.stop
}

func (c *collector) Gap(g stored.Gap) error {
	c.gaps = append(c.gaps, g)
	return c.stop
}

func (c *collector) Progress(done, all int64) { c.done, c.all = done, all }

const (
	answer   = `{"status":"success","capability_id":"test.a.b","calculation_version":"1.0.0","inputs":{"x":2},"result":{"y":3}}`
	wrapped  = `{"engine_digest":"sha256:e","answer":` + answer + `}`
	refusal  = `{"status":"error","code":"OUT_OF_RANGE"}`
	onlyPart = `{"status":"success","result":{"y":3}}`
)

// write creates a file with lines, and returns its name.
func write(t *testing.T, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Each line of a file is a calculation or a gap, with its name and the reason.
func TestReadAnswers(t *testing.T) {
	path := write(t, "answers.ndjson", answer, refusal, "", "no JSON", onlyPart, wrapped)
	var got collector
	if err := stored.Read(t.Context(), []string{path}, &got, nil); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, one := range got.calculations {
		names = append(names, strings.TrimPrefix(one.Name, path))
		if one.Release.Capability != "test.a.b" || one.Release.Version != "1.0.0" {
			t.Errorf("%s is of %+v", one.Name, one.Release)
		}
	}
	if !slices.Equal(names, []string{":1", ":6"}) || got.calculations[1].Release.Engine != "sha256:e" {
		t.Fatalf("calculations %q", names)
	}
	names = nil
	for _, gap := range got.gaps {
		names = append(names, strings.TrimPrefix(gap.Name, path))
	}
	if !slices.Equal(names, []string{":2", ":4", ":5"}) || !errors.Is(got.gaps[0].Err, stored.ErrRefusal) || !errors.Is(got.gaps[2].Err, stored.ErrNoAnswer) {
		t.Errorf("gaps %v", got.gaps)
	}
	if got.done != got.all || got.all == 0 {
		t.Errorf("%d of %d bytes", got.done, got.all)
	}
}

// The data of a service can have a registry next to them, which has no stored results.
func TestReadSkipsRegistries(t *testing.T) {
	path := write(t, "answers.ndjson", answer)
	dir := filepath.Dir(path)
	blobs := filepath.Join(dir, "registry", "test.a.b", "blobs")
	err := os.MkdirAll(blobs, 0o700)
	for _, name := range []string{"../oci-layout", "../index.json", "engine"} {
		if err == nil {
			err = os.WriteFile(filepath.Join(blobs, name), []byte("\x7fELF\n\n"), 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	var got collector
	if err := stored.Read(t.Context(), []string{dir}, &got, nil); err != nil || len(got.calculations) != 1 || len(got.gaps) > 0 {
		t.Errorf("%d calculations and the gaps %v, %v", len(got.calculations), got.gaps, err)
	}
}

// The values of a calculation have the types of its release.
func TestValues(t *testing.T) {
	var got collector
	if err := stored.Read(t.Context(), []string{write(t, "one.ndjson", answer)}, &got, nil); err != nil {
		t.Fatal(err)
	}
	spec := &sdk.Spec{
		Inputs:  []sdk.Field{{Name: "x", Type: sdk.TypeNumber, Required: true}},
		Outputs: []sdk.Field{{Name: "y", Type: sdk.TypeNumber, Required: true}},
	}
	inputs, outcome, err := got.calculations[0].Values(spec)
	if err != nil || len(inputs) != 1 || inputs[0].Number() != 2 || len(outcome.Result) != 1 || outcome.Result[0].Number() != 3 {
		t.Errorf("%v, %+v, %v", inputs, outcome, err)
	}
	spec.Inputs[0].Name = "other"
	_, _, err = got.calculations[0].Values(spec)
	if err == nil || !strings.Contains(err.Error(), "inputs: ") {
		t.Errorf("values of another release: %v", err)
	}
}

// A target that does not exist is an error of the command line.
func TestMissingTarget(t *testing.T) {
	for _, target := range []string{filepath.Join(t.TempDir(), "missing"), "cx_missing"} {
		err := stored.Read(t.Context(), []string{target}, new(collector), &stored.Options{Data: t.TempDir()})
		if wrong, ok := errors.AsType[*stored.InputError](err); !ok || wrong.Target != target {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// Errors of the reader and of the context end the reading.
func TestReadEnds(t *testing.T) {
	path := write(t, "answers.ndjson", answer, answer)
	full := errors.New("full")
	got := collector{stop: full}
	if err := stored.Read(t.Context(), []string{path}, &got, nil); !errors.Is(err, full) || len(got.calculations) != 1 {
		t.Errorf("%d calculations, %v", len(got.calculations), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := stored.Read(ctx, []string{path}, new(collector), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
