package shards_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/queue/shards"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/preset"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// doubling is an engine that returns twice its input, and fails for a negative one.
type doubling struct{}

func (doubling) Calculate(_ context.Context, _ time.Duration, _ *registry.Release, in value.Values) (sdk.Outcome, error) {
	if in[0].Number() < 0 {
		return sdk.Outcome{}, errors.New("the engine died")
	}
	return sdk.Outcome{Result: value.Values{value.NumberOf(2 * in[0].Number())}, Inputs: in}, nil
}

func (e doubling) CalculateBatch(ctx context.Context, limit time.Duration, r *registry.Release, rows []value.Values) ([]response.Result, error) {
	results := make([]response.Result, len(rows))
	for i, in := range rows {
		results[i].Outcome, results[i].Err = e.Calculate(ctx, limit, r, in)
	}
	return results, nil
}

func (doubling) Draw(context.Context, time.Duration, *registry.Release, string, value.Values) (*sdk.Figure, error) {
	return nil, errors.New("nothing to draw")
}

func digest(of string) string { return "sha256:" + strings.Repeat(of, 64) }

// twice returns a release of a capability that doubles a length.
func twice(version string) *registry.Release {
	return &registry.Release{
		Capability: "test.twice", Version: version, Digest: digest("a"), EngineDigest: digest("b"),
		Lifecycle: evidence.Lifecycle{State: evidence.Active},
		Spec: sdk.Spec{
			Capability: "test.twice", Tool: "twice", Version: version,
			Inputs:  []sdk.Field{{Name: "length", Aliases: []string{"L"}, Type: sdk.TypeNumber, Unit: "m", Required: true, Presets: []string{"data.test.sizes#length"}}},
			Outputs: []sdk.Field{{Name: "double", Type: sdk.TypeNumber, Unit: "m"}},
		},
	}
}

func newCatalog(current string, releases ...*registry.Release) *catalog.Catalog {
	return catalog.New([]registry.Capability{{ID: "test.twice", Current: current, Tools: []string{"twice"}, Releases: releases}})
}

var published = newCatalog("1.0.0", twice("1.0.0"))

// rows writes a file with n rows, and returns its name. Row 7 is invalid.
func rows(t *testing.T, f table.Format, n int) string {
	t.Helper()
	var text strings.Builder
	if f != table.NDJSON {
		text.WriteString("beam;L\n")
	}
	for i := range n {
		length := fmt.Sprint(i)
		if i == 7 {
			length = `"long"`
		}
		if f == table.NDJSON {
			fmt.Fprintf(&text, "{\"inputs\":{\"L\":%s}}\n", length)
		} else {
			fmt.Fprintf(&text, "\"beam\n%d\";%s\n\n", i, length)
		}
	}
	name := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if f == table.NDJSON || f == table.CSV {
		return name
	}
	b := table.Batch{From: name, Format: table.CSV, To: name + "2", As: f, ID: "twice", Observer: quiet{}}
	if err := b.Run(t.Context(), calc.New(published, doubling{}, nil)); err != nil {
		t.Fatal(err)
	}
	return name + "2"
}

func job(file string, f, output table.Format, n int) shards.Job {
	return shards.Job{File: file, Format: f, ID: "twice", Shards: n, Output: shards.Output{Format: output}}
}

func worker(t *testing.T, j shards.Job, c *catalog.Catalog) *shards.Worker {
	t.Helper()
	plan, err := shards.NewPlan(t.Context(), c, j, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := shards.NewWorker(plan, c, doubling{}, j.File)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func runAll(t *testing.T, w *shards.Worker, dir string) {
	t.Helper()
	if err := w.Plan().SaveTo(dir); err != nil {
		t.Fatal(err)
	}
	for k := 1; k <= w.Plan().Shards; k++ {
		if _, _, err := w.Run(t.Context(), k, dir, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// contents returns the files of a directory by their names.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(text)
	}
	return files
}

// All shards together have the rows of the file, in their order.
func TestShardsAreTheWhole(t *testing.T) {
	for _, f := range []struct{ in, out table.Format }{
		{table.CSV, table.CSV}, {table.NDJSON, shards.Result}, {table.Parquet, table.CSV}, {table.Arrow, table.CSV}, {table.Parquet, table.Parquet}, {table.CSV, table.Arrow},
	} {
		const n = 1500 // more than are read at once
		file := rows(t, f.in, n)
		if f.in.IsColumns() {
			file = inputsOnly(t, file, f.in)
		}
		var whole string
		for _, count := range []int{1, 3, 7} {
			w := worker(t, job(file, f.in, f.out, count), published)
			if w.Plan().Input.Rows != n {
				t.Fatalf("%s: %d rows", f.in, w.Plan().Input.Rows)
			}
			var all strings.Builder
			rejected := uint64(0)
			for k := 1; k <= count; k++ {
				var out bytes.Buffer
				m, err := w.Compute(t.Context(), k, &out, nil)
				if err != nil {
					t.Fatal(f, err)
				}
				rejected += m.Rejected
				text := asText(t, out.String(), f.out)
				if k > 1 && f.out != shards.Result {
					_, text, _ = strings.Cut(text, "\n") // the header
				}
				all.WriteString(text)
			}
			if rejected != 1 {
				t.Errorf("%v: %d rejected", f, rejected)
			}
			if whole == "" {
				whole = all.String()
			}
			if got := all.String(); got != whole || strings.Count(got, "\n") < n {
				t.Errorf("%v in %d shards: other rows than in one", f, count)
			}
		}
	}
}

// A plan can have more shards than rows.
func TestEmptyShards(t *testing.T) {
	for _, f := range []table.Format{table.CSV, table.NDJSON, table.Parquet, table.Arrow} {
		for _, n := range []int{0, 2} {
			file := rows(t, f, n)
			out := f
			if f == table.NDJSON {
				out = shards.Result
			} else if f.IsColumns() {
				file = inputsOnly(t, file, f)
			}
			dir := t.TempDir()
			w := worker(t, job(file, f, out, 4), published)
			runAll(t, w, dir)
			r, err := shards.Verify(t.Context(), dir, shards.All, func(*shards.Plan) (*shards.Worker, error) { return w, nil }, nil)
			if err != nil || !r.Holds() || r.Sampled != int64(n) {
				t.Errorf("%s with %d rows: %v, %+v", f, n, err, r)
			}
		}
	}
}

// Every worker writes the same bytes for a shard, and a worker does not compute a shard again that is
// whole.
func TestComputedOnce(t *testing.T) {
	file := rows(t, table.CSV, 1000)
	j := job(file, table.CSV, table.Parquet, 4)
	one, two := t.TempDir(), t.TempDir()
	runAll(t, worker(t, j, published), one)
	deprecated := twice("1.0.0")
	deprecated.Lifecycle = evidence.Lifecycle{State: evidence.Deprecated, Reason: "use another"}
	runAll(t, worker(t, j, newCatalog("1.0.0", deprecated)), two)
	if !reflect.DeepEqual(contents(t, one), contents(t, two)) {
		t.Error("two runs have other bytes")
	}
	w := worker(t, j, published)
	if err := os.WriteFile(filepath.Join(one, "."+strings.TrimSuffix(w.Plan().Name(2), ".parquet")+".killed.partial"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, there, err := w.Run(t.Context(), 2, one, nil); err != nil || !there {
		t.Error("computed again", err)
	}
	if !reflect.DeepEqual(contents(t, one), contents(t, two)) {
		t.Error("the temporary file of a killed run was not removed")
	}
}

// Read reports shards that are missing, damaged, doubled or of another plan. Run computes each shard that
// is not whole.
func TestRead(t *testing.T) {
	file := rows(t, table.CSV, 100)
	w := worker(t, job(file, table.CSV, table.CSV, 6), published)
	plan, dir := w.Plan(), t.TempDir()
	runAll(t, w, dir)
	complete := contents(t, dir)
	path := func(name string) string { return filepath.Join(dir, name) }
	other := worker(t, job(file, table.CSV, table.CSV, 3), published).Plan()
	otherDir := t.TempDir()
	runAll(t, worker(t, job(file, table.CSV, table.CSV, 3), published), otherDir)
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	os.Remove(path(plan.Name(1)))         // the answers
	os.Remove(path(plan.ManifestName(2))) // as if the run was killed between both
	put(plan.Name(3), complete[plan.Name(4)])
	put(plan.ManifestName(4), complete[plan.ManifestName(5)])
	put(plan.ManifestName(6), contents(t, otherDir)[other.ManifestName(1)])
	put("copy.csv", complete[plan.Name(5)])
	put("copy.json", complete[plan.ManifestName(5)])
	put("notes.csv", "x")
	put("notes.txt", "x")
	put(other.ManifestName(2), contents(t, otherDir)[other.ManifestName(2)])
	d, err := shards.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var states []shards.State
	for _, s := range d.Shards {
		states = append(states, s.State)
	}
	if want := []shards.State{shards.Damaged, shards.Missing, shards.Damaged, shards.Damaged, shards.Whole, shards.OtherPlan}; !reflect.DeepEqual(states, want) {
		t.Errorf("%v, want %v", states, want)
	}
	strays := map[string]shards.State{}
	for _, s := range d.Strays {
		strays[s.Name] = s.State
	}
	if want := (map[string]shards.State{"copy.csv": shards.Doubled, "copy.json": shards.Doubled, "notes.csv": shards.Unknown, other.ManifestName(2): shards.OtherPlan}); !reflect.DeepEqual(strays, want) {
		t.Errorf("%v, want %v", strays, want)
	}
	runAll(t, w, dir)
	for name, want := range complete {
		if got := contents(t, dir)[name]; got != want {
			t.Errorf("%s was not made whole", name)
		}
	}
}

// If a calculation fails for a reason that is not in the row, the worker writes no file.
func TestFailedRow(t *testing.T) {
	name := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(name, []byte("L\n1\n-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := worker(t, job(name, table.CSV, table.CSV, 1), published)
	dir := t.TempDir()
	_, _, err := w.Run(t.Context(), 1, dir, nil)
	if _, ok := errors.AsType[*shards.FailedError](err); !ok || len(contents(t, dir)) > 0 {
		t.Error(err, contents(t, dir))
	}
}

// A plan has the version that was current when it was made. A worker refuses files and releases that
// differ from it.
func TestPlan(t *testing.T) {
	file := rows(t, table.CSV, 10)
	j := job(file, table.CSV, table.CSV, 2)
	first := worker(t, j, published).Plan()
	dir := filepath.Join(t.TempDir(), "new", "dir")
	for range 2 {
		if err := first.SaveTo(dir); err != nil {
			t.Fatal(err)
		}
	}
	newer := twice("1.1.0")
	newer.Digest = digest("c")
	both := newCatalog("1.1.0", newer, twice("1.0.0"))
	known, err := shards.PlanIn(dir)
	if err != nil || known.Digest() != first.Digest() {
		t.Fatal(err)
	}
	if again, err := shards.NewPlan(t.Context(), both, j, known); err != nil || again.Compare(first) != nil {
		t.Error("the version that is current now was taken", err)
	}
	differs := func(name string, err error) {
		t.Helper()
		if _, ok := errors.AsType[*shards.DiffersError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	fresh, err := shards.NewPlan(t.Context(), both, j, nil)
	if err != nil {
		t.Fatal(err)
	}
	differs("another version", fresh.SaveTo(dir))
	rebuilt := twice("1.0.0")
	rebuilt.Digest = digest("d")
	_, err = shards.NewWorker(first, newCatalog("1.0.0", rebuilt), doubling{}, file)
	differs("another release", err)
	_, err = shards.NewWorker(first, published, doubling{}, rows(t, table.CSV, 11))
	differs("another file", err)
	for name, text := range map[string]string{
		"another form": strings.Replace(string(first.JSON()), "plan/1", "plan/2", 1),
		"no digest":    strings.Replace(string(first.JSON()), "sha256:", "sha256;", 1),
		"spaces":       string(first.JSON()) + " ",
		"half of it":   string(first.JSON()[:100]),
		"more":         strings.Replace(string(first.JSON()), `"shards"`, `"more": 1, "shards"`, 1),
	} {
		if _, err := shards.ReadPlan([]byte(text)); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

// sizes returns a version of a table with the length of a beam.
func sizes(t *testing.T, version, length, of string) *registry.Release {
	t.Helper()
	table, err := preset.Parse([]byte(`{"table_format":1,"table_id":"data.test.sizes","table_version":"`+version+`","title":"Sizes","summary":"Sizes.","noun":"beam",
"columns":[{"name":"length","label":"Length","unit":"m","source":"a"}],"sources":[{"id":"a","title":"Handbook","where":"page 1"}]}`), []byte("key,name,length\nbeam,Beam,"+length+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	return &registry.Release{Capability: table.ID, Version: version, Digest: digest(of), Table: table}
}

// Verify finds additional rows after the last one, also if the manifest has the digest of the file.
func TestMoreRows(t *testing.T) {
	file, dir := rows(t, table.NDJSON, 10), t.TempDir()
	w := worker(t, job(file, table.NDJSON, shards.Result, 1), published)
	runAll(t, w, dir)
	name, manifest := filepath.Join(dir, w.Plan().Name(1)), filepath.Join(dir, w.Plan().ManifestName(1))
	old := contents(t, dir)
	more := old[filepath.Base(name)] + "{\"result\":{\"double\":0}}\n"
	sum := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
	forged := strings.Replace(old[filepath.Base(manifest)], sum(old[filepath.Base(name)]), sum(more), 1)
	if err := errors.Join(os.WriteFile(name, []byte(more), 0o600), os.WriteFile(manifest, []byte(forged), 0o600)); err != nil {
		t.Fatal(err)
	}
	r, err := shards.Verify(t.Context(), dir, shards.All, func(*shards.Plan) (*shards.Worker, error) { return w, nil }, nil)
	if err != nil || r.Holds() || r.Shards[0].State != shards.Damaged || r.Shards[0].Err == nil {
		t.Errorf("%v, %+v", err, r)
	}
}

// Rows get table values from the versions in the plan, whichever versions are published later.
func TestTables(t *testing.T) {
	name := filepath.Join(t.TempDir(), "rows.ndjson")
	text := `{"inputs":{"L":{"preset":"data.test.sizes/beam"}}}` + "\n" + `{"inputs":{"L":{"preset":"data.test.sizes/beam@1.0.0"}}}` + "\n" + `{"inputs":{"L":{"preset":"data.test.sizes/beam@1.2.0"}}}` + "\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	with := func(current string, tables ...*registry.Release) *catalog.Catalog {
		return catalog.New([]registry.Capability{
			{ID: "data.test.sizes", Current: current, Releases: tables},
			{ID: "test.twice", Current: "1.0.0", Tools: []string{"twice"}, Releases: []*registry.Release{twice("1.0.0")}},
		})
	}
	oldest, older, newer := sizes(t, "1.0.0", "3", "1"), sizes(t, "1.1.0", "4", "2"), sizes(t, "1.2.0", "5", "3")
	first := worker(t, job(name, table.NDJSON, shards.Result, 1), with("1.1.0", older, oldest))
	later, err := shards.NewWorker(first.Plan(), with("1.2.0", newer, older, oldest), doubling{}, name)
	if err != nil {
		t.Fatal(err)
	}
	var then, now bytes.Buffer
	for w, out := range map[*shards.Worker]*bytes.Buffer{first: &then, later: &now} {
		if _, err := w.Compute(t.Context(), 1, out, nil); err != nil {
			t.Fatal(err)
		}
	}
	want := "{\"result\":{\"double\":8}}\n{\"result\":{\"double\":6}}\n"
	if !strings.HasPrefix(then.String(), want) || strings.Count(then.String(), "VERSION_MISMATCH") != 1 || now.String() != then.String() {
		t.Errorf("%s\n%s", then.String(), now.String())
	}
	if _, err := shards.NewWorker(first.Plan(), with("1.2.0", newer, older), doubling{}, name); err == nil {
		t.Error("a registry without a version of the plan is taken")
	}
}

// Every row is in one shard, and the sizes of shards differ by one row at most.
func TestRowsAreSplit(t *testing.T) {
	for _, n := range []int64{0, 1, 2, 99, 100, 101, 1 << 62} {
		for _, count := range []int{1, 2, 3, 100, shards.MaxShards} {
			p := &shards.Plan{Shards: count, Input: shards.Input{Rows: n}}
			at, least := uint64(0), uint64(n)/uint64(count)
			for k := 1; k <= count; k++ {
				s := p.Rows(k)
				if s.First != at || s.Count != least && s.Count != least+1 {
					t.Fatalf("%d rows in %d shards: shard %d is %v", n, count, k, s)
				}
				at += s.Count
			}
			if at != uint64(n) {
				t.Fatalf("%d of %d rows", at, n)
			}
		}
	}
}

// tripling is an engine with two wrong results.
type tripling struct{ doubling }

func (tripling) CalculateBatch(_ context.Context, _ time.Duration, _ *registry.Release, rows []value.Values) ([]response.Result, error) {
	results := make([]response.Result, len(rows))
	for i, in := range rows {
		factor := 2.0
		if x := in[0].Number(); x == 40 || x == 41 {
			factor = 3
		}
		results[i].Outcome = sdk.Outcome{Result: value.Values{value.NumberOf(factor * in[0].Number())}, Inputs: in}
	}
	return results, nil
}

// Verify finds wrong answers in every format, also if every digest matches.
func TestVerify(t *testing.T) {
	for _, f := range []struct{ in, out table.Format }{{table.CSV, table.CSV}, {table.NDJSON, shards.Result}, {table.CSV, table.Parquet}, {table.CSV, table.Arrow}} {
		file, dir := rows(t, f.in, 100), t.TempDir()
		right := worker(t, job(file, f.in, f.out, 3), published)
		wrong, err := shards.NewWorker(right.Plan(), published, tripling{}, file)
		if err != nil {
			t.Fatal(err)
		}
		runAll(t, wrong, dir)
		verify := func(w *shards.Worker, sample int64) *shards.Report {
			t.Helper()
			r, err := shards.Verify(t.Context(), dir, sample, func(*shards.Plan) (*shards.Worker, error) { return w, nil }, nil)
			if err != nil {
				t.Fatal(f, err)
			}
			return r
		}
		if r := verify(right, shards.All); r.Different != 2 || !reflect.DeepEqual(r.Examples, []uint64{40, 41}) || r.Sampled != 100 || r.Holds() {
			t.Errorf("%v: %d of %d rows: %v", f, r.Different, r.Sampled, r.Examples)
		}
		if r := verify(right, 50); r.Different != 1 || r.Sampled != 50 { // every second row or its neighbour
			t.Errorf("%v: %d of %d rows: %v", f, r.Different, r.Sampled, r.Examples)
		}
		if r := verify(wrong, 99); r.Sampled != 99 || !r.Holds() {
			t.Errorf("%v: %d of %d rows: %v", f, r.Different, r.Sampled, r.Examples)
		}
	}
}

// The plan has the decimal mark, and the row that shows it. So the answers do not depend on the number of
// shards, also if a shard without that row has cells with two readings.
func TestMarksOfShards(t *testing.T) {
	lines := make([]string, 40)
	for i := range lines {
		lines[i] = fmt.Sprintf("b%d;%d.250", i, 1+i)
	}
	lines[17], lines[30] = "b17;2,5", "b30;2.5"
	csv := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(csv, []byte("beam;L\n"+strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	parquet := csv + ".parquet"
	b := table.Batch{From: csv, Format: table.CSV, To: parquet, As: table.Parquet, ID: "twice", Observer: quiet{}}
	if err := b.Run(t.Context(), calc.New(published, doubling{}, nil)); err != nil {
		t.Fatal(err)
	}
	for f, file := range map[table.Format]string{table.CSV: csv, table.Parquet: inputsOnly(t, parquet, table.Parquet)} {
		whole := ""
		for _, count := range []int{1, 3, 7} {
			j := job(file, f, table.CSV, count)
			j.Output.Decimal = typed.ByFile
			w := worker(t, j, published)
			if m := w.Plan().Input.Marks; m == nil || m.Decimals != typed.Comma || m.Row != 17 {
				t.Fatalf("%s: marks %+v", f, m)
			}
			var all strings.Builder
			for k := 1; k <= count; k++ {
				var out bytes.Buffer
				if _, err := w.Compute(t.Context(), k, &out, nil); err != nil {
					t.Fatal(err)
				}
				_, text, _ := strings.Cut(out.String(), "\n")
				all.WriteString(text)
			}
			if whole == "" {
				whole = all.String()
			}
			got := strings.Split(strings.TrimSpace(all.String()), "\n")
			if all.String() != whole || len(got) != len(lines) {
				t.Fatalf("%s in %d shards:\n%s\nin one:\n%s", f, count, all.String(), whole)
			}
			for i, line := range got {
				want := map[bool]string{true: "has two readings", false: fmt.Sprintf("%d", 2*(1000*(1+i)+250))}[i < 17]
				switch i {
				case 17:
					want = "5"
				case 30:
					want = "is not written as row 18"
				}
				if !strings.Contains(line, want) {
					t.Errorf("%s in %d shards, row %d: %s, want %s", f, count, i, line, want)
				}
			}
		}
	}
}
