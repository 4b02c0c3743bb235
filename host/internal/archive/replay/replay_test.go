package replay_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/archive/ledger"
	"github.com/slipstick/slipstick/host/internal/archive/replay"
	"github.com/slipstick/slipstick/host/internal/archive/stored"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

const capability = "test.a.line"

// digest is the digest of an engine of a version.
func digest(version string) string { return "sha256:" + version }

// release computes y = factor*x, and rejects negative numbers.
func release(version string, change func(r *registry.Release)) *registry.Release {
	r := &registry.Release{
		Capability: capability, Version: version, Digest: "sha256:release-" + version, EngineDigest: digest(version),
		Spec: sdk.Spec{
			Capability: capability, Tool: "line", Version: version,
			Inputs:  []sdk.Field{{Name: "x", Type: sdk.TypeNumber, Required: true}},
			Outputs: []sdk.Field{{Name: "y", Type: sdk.TypeNumber, Unit: "m", Required: true}, {Name: "size", Type: sdk.TypeString}},
		},
	}
	if change != nil {
		change(r)
	}
	return r
}

func newCatalog(releases ...*registry.Release) *catalog.Catalog {
	return catalog.New([]registry.Capability{{ID: capability, Current: "1.0.0", Releases: releases}})
}

// line is a Calculator with a factor for each version.
type line map[string]float64

var errEngine = errors.New("the engine died")

func (l line) outcome(version string, x float64) record.Outcome {
	if x < 0 {
		return record.Outcome{Code: "NEGATIVE", Field: "x"}
	}
	size := "small"
	if x >= 1e6 {
		size = "large"
	}
	return record.Outcome{Result: value.Values{value.NumberOf(l[version] * x), value.TextOf(size)}}
}

func (l line) RecomputeAll(ctx context.Context, r *registry.Release, rows []value.Values) ([]calc.Recomputed, error) {
	list := make([]calc.Recomputed, len(rows))
	for i, row := range rows {
		x := row[len(row)-1].Number()
		if x == 666 {
			list[i].Err = errEngine
			continue
		}
		list[i].Outcome = l.outcome(r.Version, x)
	}
	return list, ctx.Err()
}

// answers returns lines of a batch with output=attributed.
func (l line) answers(version string, numbers ...float64) []string {
	var lines []string
	for _, x := range numbers {
		o := l.outcome(version, x)
		lines = append(lines, fmt.Sprintf(`{"engine_digest":%q,"answer":{"status":"success","capability_id":%q,"calculation_version":%q,"inputs":{"x":%v},"result":{"y":%s,"size":%q}}}`,
			digest(version), capability, version, x, value.AppendNumber(nil, o.Result[0].Number()), o.Result[1].Text()))
	}
	return lines
}

func file(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "answers.ndjson")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// keep writes a ledger, and returns its directory.
func keep(t *testing.T, inputs ledger.Inputs, records ...record.Record) string {
	t.Helper()
	_, secret, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "ledger")
	l, err := ledger.Open(dir, &ledger.Options{Inputs: inputs, Secret: make([]byte, 32), Sign: func(_ time.Time, m []byte) (ed25519.PublicKey, []byte) {
		return secret.Public().(ed25519.PublicKey), ed25519.Sign(secret, m)
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		r.Kind, r.Time = max(r.Kind, record.Answer), time.Unix(1, 0)
		l.Record(r)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func recorded(l line, r *registry.Release, x float64) record.Record {
	return record.Record{
		Release: record.NewRelease(record.Release{Capability: r.Capability, Version: r.Version, Digest: r.Digest, Engine: r.EngineDigest, Platform: "plan9/mips"}),
		Inputs:  value.Values{value.NumberOf(x)}, Outcome: l.outcome(r.Version, x),
	}
}

func numbers(n int) (list []float64) {
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		list = append(list, math.Trunc(r.Float64()*1e5)/100)
	}
	return list
}

// One different bit in one of many results is found and named, in every kind of file.
func TestOneBitIsFound(t *testing.T) {
	one, two := release("1.0.0", nil), release("2.0.0", nil)
	l := line{"1.0.0": 0.1, "2.0.0": 0.3}
	lines := append(l.answers("1.0.0", numbers(6000)...), l.answers("2.0.0", numbers(3000)...)...)
	before := l.outcome("2.0.0", 7).Result[0].Number()
	changed := l.answers("2.0.0", 7)[0]
	changed = strings.Replace(changed, string(value.AppendNumber(nil, before)), string(value.AppendNumber(nil, math.Nextafter(before, 10))), 1)
	lines[8000] = changed
	bad := recorded(l, one, 12)
	bad.Outcome.Result[0] = value.NumberOf(math.Nextafter(bad.Outcome.Result[0].Number(), 10))
	refused := recorded(l, one, 5)
	refused.Outcome = record.Outcome{Code: "NEGATIVE", Field: "x"}
	ledgerDir := keep(t, ledger.Whole, recorded(l, one, 3), recorded(l, one, -3), bad, recorded(l, two, 4), refused)
	path := file(t, lines...)

	r, err := replay.Run(t.Context(), newCatalog(one, two), l, []string{path, ledgerDir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Read != 9005 || r.Same() != 9002 || r.Different() != 3 || !r.Whole() || len(r.Groups) != 2 {
		t.Fatalf("%+v", r)
	}
	g := r.Groups[1]
	if len(g.Examples) != 1 || g.Examples[0].Name != path+":8001" || !strings.Contains(g.Examples[0].String(), "1 ulp") {
		t.Errorf("%+v", g.Examples)
	}
	g = r.Groups[0]
	if len(g.Examples) != 2 || !strings.HasSuffix(g.Examples[0].Name, "-1/2") || !strings.HasSuffix(g.Examples[1].Name, "-1/4") || g.Verdicts[compare.Answered] != 1 {
		t.Errorf("%+v", g)
	}
}

func TestObstaclesAreNamed(t *testing.T) {
	l := line{"1.0.0": 2}
	one := release("1.0.0", nil)
	revoked := release("1.1.0", func(r *registry.Release) {
		r.Lifecycle = evidence.Lifecycle{State: evidence.Revoked, Reason: "it was wrong"}
	})
	elsewhere := release("1.2.0", func(r *registry.Release) { r.Problem = &registry.PlatformError{Platform: "plan9/mips"} })
	damaged := release("1.3.0", func(r *registry.Release) { r.Problem = errors.New("cut off") })
	releases := newCatalog(one, revoked, elsewhere, damaged)
	for name, tt := range map[string]struct {
		target string
		want   replay.Obstacle
		says   string
	}{
		"capability":  {file(t, strings.Replace(l.answers("1.0.0", 1)[0], capability, "test.a.other", 1)), replay.NotPublished, "does not have the capability"},
		"version":     {file(t, l.answers("9.0.0", 1)...), replay.NotPublished, "does not have the version"},
		"engine":      {file(t, strings.Replace(l.answers("1.0.0", 1)[0], "sha256:1.0.0", "sha256:00", 1)), replay.OtherRelease, "sha256:00"},
		"release":     {keep(t, ledger.Whole, recorded(l, release("1.0.0", func(r *registry.Release) { r.Digest = "sha256:00" }), 1)), replay.OtherRelease, "sha256:00"},
		"revoked":     {file(t, l.answers("1.1.0", 1)...), replay.Revoked, "it was wrong"},
		"platform":    {file(t, l.answers("1.2.0", 1)...), replay.Platform, "plan9/mips"},
		"damaged":     {file(t, l.answers("1.3.0", 1)...), replay.Damaged, "cut off"},
		"hashed":      {keep(t, ledger.Hashed, recorded(l, one, 1)), replay.Hashed, "the hash of the inputs"},
		"inputs":      {file(t, strings.Replace(l.answers("1.0.0", 1)[0], `"x":1`, `"z":1`, 1)), replay.Unreadable, "z"},
		"result":      {file(t, strings.Replace(l.answers("1.0.0", 1)[0], `"size"`, `"sizes"`, 1)), replay.Unreadable, "not outputs"},
		"more inputs": {keep(t, ledger.Whole, record.Record{Release: recorded(l, one, 1).Release, Inputs: make(value.Values, 2), Outcome: l.outcome("1.0.0", 1)}), replay.Unreadable, "2 inputs"},
		"failure":     {file(t, l.answers("1.0.0", 666)...), replay.Failed, "the engine died"},
	} {
		r, err := replay.Run(t.Context(), releases, l, []string{tt.target}, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		if r.Whole() || r.Blocked() != 1 || r.Same()+r.Different() != 0 || len(r.Groups[0].Obstructed) != 1 {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		if o := r.Groups[0].Obstructed[0]; o.Obstacle != tt.want || !strings.Contains(o.Examples[0].String(), tt.says) {
			t.Errorf("%s: %+v", name, o)
		}
	}
	r, err := replay.Run(t.Context(), releases, line{"1.1.0": 2}, []string{file(t, line{"1.1.0": 2}.answers("1.1.0", 1)...)}, &replay.Options{Forensic: true})
	if err != nil || r.Same() != 1 {
		t.Errorf("a revoked release, for forensics: %+v, %v", r, err)
	}
}

// Parts that cannot be read, and calculations that were never stored, are reported and counted.
func TestGapsAreReported(t *testing.T) {
	l := line{"1.0.0": 2}
	one := release("1.0.0", nil)
	dir := keep(t, ledger.Whole, recorded(l, one, 1), record.Record{Kind: record.Batch, Rows: 1200})
	answers := file(t, `{"status":"error","code":"NEGATIVE","field":"x"}`, `{"result":{"y":1}}`, "", "not JSON", l.answers("1.0.0", 1)[0])
	r, err := replay.Run(t.Context(), newCatalog(one), l, []string{dir, answers}, nil)
	if err != nil || r.Read != 2 || r.Same() != 2 || r.Whole() || r.Holes != 4 || r.Missed != 203 {
		t.Fatalf("%+v, %v", r, err)
	}
	for i, want := range []error{stored.ErrUnnamed, stored.ErrRefusal, stored.ErrNoAnswer} {
		if !errors.Is(r.Gaps[i].Err, want) {
			t.Errorf("gap %d: %v", i, r.Gaps[i].Err)
		}
	}
	if r.Gaps[3].Name != answers+":4" {
		t.Errorf("%+v", r.Gaps[3])
	}

	segment := filepath.Join(dir, "00000001.segment")
	data, err := os.ReadFile(segment)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/3] ^= 1
	if err := os.WriteFile(segment, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := replay.Run(t.Context(), newCatalog(one), l, []string{dir}, nil); err != nil || r.Whole() || !strings.HasSuffix(r.Gaps[len(r.Gaps)-1].Name, "-1") {
		t.Errorf("a changed bit of a segment: %+v, %v", r, err)
	}
	_, err = replay.Run(t.Context(), newCatalog(one), l, []string{filepath.Join(dir, "none")}, nil)
	if _, ok := errors.AsType[*stored.InputError](err); !ok {
		t.Errorf("a target that is not there: %v", err)
	}
}

// An author of stored files cannot fill the memory with names of unknown releases.
func TestGroupsAreBounded(t *testing.T) {
	l := line{"1.0.0": 2}
	one := l.answers("1.0.0", 1)[0]
	lines := []string{one}
	for i := range 10_100 {
		lines = append(lines, strings.Replace(one, "sha256:1.0.0", fmt.Sprintf("sha256:%d", i), 1))
	}
	r, err := replay.Run(t.Context(), newCatalog(release("1.0.0", nil)), l, []string{file(t, append(lines, one)...)}, nil)
	if err != nil || r.Read != 10_102 || r.Same() != 2 || r.Blocked() != 10_100 || len(r.Groups) != 10_001 {
		t.Errorf("%d read, %d the same, %d not computed, in %d groups, %v", r.Read, r.Same(), r.Blocked(), len(r.Groups), err)
	}
}

// The effect of another release is exact.
func TestImpactIsExact(t *testing.T) {
	one, two := release("1.0.0", nil), release("2.0.0", nil)
	l := line{"1.0.0": 0.1, "2.0.0": 0.1 + 1e-13}
	all := append(numbers(5000), 0, 2e6)
	var want []float64
	up, same := uint64(0), uint64(0)
	for _, x := range all {
		a, b := l["1.0.0"]*x, l["2.0.0"]*x
		if a == b {
			same++
			continue
		}
		want = append(want, math.Abs(b-a)/math.Abs(a))
		if b > a {
			up++
		}
	}
	slices.Sort(want)
	e, err := replay.Impact(t.Context(), newCatalog(one, two), l, two, []string{file(t, l.answers("1.0.0", all...)...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Outputs) != 1 || e.Same() != same || e.Count(compare.Changed) != uint64(len(want)) || !e.Whole() {
		t.Fatalf("%+v", e)
	}
	o := e.Outputs[0]
	at := func(percent int) float64 { return want[(len(want)*percent+99)/100-1] }
	if o.Relative != (replay.Quantiles{want[0], at(50), at(90), at(99), want[len(want)-1]}) || o.Up != up || o.Changed != uint64(len(want)) {
		t.Errorf("%+v", o)
	}
	counted := uint64(0)
	for _, d := range o.Decades {
		counted += d.Count
	}
	if counted != o.Numbers || len(o.Worst) != replay.MaxWorst || o.Worst[0].Difference.Relative != want[len(want)-1] || o.Worst[9].Difference.Relative != want[len(want)-10] {
		t.Errorf("%+v", o)
	}
	for text, breaks := range map[string]bool{
		"changed": true, "refused": false, "rel=1e-9": false, "rel=0": true, fmt.Sprintf("rel=%v", want[len(want)-1]): false,
		fmt.Sprintf("rel=%v", math.Nextafter(want[len(want)-1], 0)): true,
	} {
		if c, err := replay.ParseCondition(text); err != nil || (c.In(e) != "") != breaks {
			t.Errorf("%s: %q, %v", text, c.In(e), err)
		}
	}
	for _, bad := range []string{"", "rel", "rel=", "rel=-1", "rel=NaN", "anything"} {
		if _, err := replay.ParseCondition(bad); err == nil {
			t.Errorf("%q is a condition", bad)
		}
	}
	text, err := json.Marshal(e)
	var again struct {
		Outputs []struct{ Relative replay.Quantiles }
	}
	if err != nil || json.Unmarshal(text, &again) != nil || again.Outputs[0].Relative != o.Relative {
		t.Errorf("%s, %v", text, err)
	}
}

// The report distinguishes inputs that the other release rejects, accepts, lacks or needs, and
// guesses nothing.
func TestImpactOfAnotherSpec(t *testing.T) {
	l := line{"1.0.0": 2, "2.0.0": 2}
	with := func(change func(s *sdk.Spec)) *registry.Release {
		return release("2.0.0", func(r *registry.Release) { change(&r.Spec) })
	}
	two := func(s *sdk.Spec) {
		s.Inputs = append([]sdk.Field{{Name: "a", Type: sdk.TypeNumber}}, s.Inputs...)
	}
	one := release("1.0.0", nil)
	asked := release("1.0.0", func(r *registry.Release) { two(&r.Spec) })
	mode := func(choices ...string) func(*sdk.Spec) {
		return func(s *sdk.Spec) {
			s.Inputs = append([]sdk.Field{{Name: "mode", Type: sdk.TypeString, Enum: choices}}, s.Inputs...)
		}
	}
	modes := func(choices ...string) *registry.Release {
		return release("1.0.0", func(r *registry.Release) { mode(choices...)(&r.Spec) })
	}
	preset := func(x string) *registry.Release {
		return release("1.0.0", func(r *registry.Release) { r.Spec.Inputs[0].Default = x })
	}
	answers := l.answers("1.0.0", 1, 2)
	for _, tt := range []struct {
		name    string
		older   *registry.Release
		newer   *registry.Release
		line    string
		verdict compare.Verdict
		want    replay.Obstacle
	}{
		{"an optional input is new", one, with(two), answers[0], compare.Same, ""},
		{"an input is renamed", one, with(func(s *sdk.Spec) { s.Inputs[0].Name, s.Inputs[0].Aliases = "z", []string{"x"} }), answers[0], compare.Same, ""},
		{"an input is needed", one, with(func(s *sdk.Spec) { two(s); s.Inputs[0].Required = true }), answers[0], 0, replay.InputNew},
		{"an input is removed, and was sent", asked, release("2.0.0", nil), strings.Replace(answers[0], `"x":1`, `"a":3,"x":1`, 1), 0, replay.InputRemoved},
		{"an input is removed, and was not sent", asked, release("2.0.0", nil), answers[0], compare.Same, ""},
		{"an input has another unit", one, with(func(s *sdk.Spec) { s.Inputs[0].Unit = "mm" }), answers[0], 0, replay.OtherForm},
		{"an input has another type", one, with(func(s *sdk.Spec) { s.Inputs[0].Type = sdk.TypeString }), answers[0], 0, replay.OtherForm},
		{"an input has another default", preset("1"), with(func(s *sdk.Spec) { s.Inputs[0].Default = "2" }), answers[0], 0, replay.OtherDefault},
		{"another default, and another value", preset("1"), with(func(s *sdk.Spec) { s.Inputs[0].Default = "3" }), answers[1], compare.Same, ""},
		{"a result has another unit", one, with(func(s *sdk.Spec) { s.Outputs[0].Unit = "mm" }), answers[0], 0, replay.OtherUnit},
		{"a result is removed", one, with(func(s *sdk.Spec) { s.Outputs = s.Outputs[:1] }), answers[0], compare.Changed, ""},
		{"a choice is removed", modes("b", "c"), with(mode("c")), strings.Replace(answers[0], `"x":1`, `"mode":"b","x":1`, 1), compare.Refused, ""},
		{"a choice is left", modes("b", "c"), with(mode("c")), strings.Replace(answers[0], `"x":1`, `"mode":"c","x":1`, 1), compare.Same, ""},
		{"refused now", one, release("2.0.0", nil), strings.Replace(answers[0], `"x":1`, `"x":-1`, 1), compare.Refused, ""},
	} {
		e, err := replay.Impact(t.Context(), newCatalog(tt.older, tt.newer), l, tt.newer, []string{file(t, tt.line)}, nil)
		if err != nil {
			t.Fatal(tt.name, err)
		}
		if tt.want != "" {
			if o := e.Groups[0].Obstructed; len(o) != 1 || o[0].Obstacle != tt.want || o[0].Count != 1 {
				t.Errorf("%s: %+v", tt.name, e.Groups[0])
			}
			continue
		}
		if e.Count(tt.verdict) != 1 || e.Blocked() != 0 {
			t.Errorf("%s: %+v", tt.name, e.Groups[0])
		}
	}

	refused := recorded(l, one, -1)
	reworded := recorded(l, one, -2)
	reworded.Outcome.Code = "BELOW"
	answered := recorded(l, one, 5)
	answered.Outcome = record.Outcome{Code: "ODD", Field: "x"}
	e, err := replay.Impact(t.Context(), newCatalog(one), l, release("2.0.0", nil), []string{keep(t, ledger.Whole, refused, reworded, answered, recorded(l, &registry.Release{Capability: "test.a.other", Version: "1.0.0"}, 1))}, nil)
	if err != nil || e.Count(compare.Same) != 1 || e.Count(compare.Reworded) != 1 || e.Count(compare.Answered) != 1 || e.Others != 1 || !e.Whole() {
		t.Errorf("%+v, %v", e, err)
	}
}

// flaky fails at the first request for a number.
type flaky struct {
	line
	seen map[float64]bool
}

func (f *flaky) RecomputeAll(ctx context.Context, r *registry.Release, rows []value.Values) ([]calc.Recomputed, error) {
	list, err := f.line.RecomputeAll(ctx, r, rows)
	for i, row := range rows {
		if x := row[0].Number(); !f.seen[x] {
			f.seen[x] = true
			list[i] = calc.Recomputed{Err: errEngine}
		}
	}
	return list, err
}

func TestFailuresAreTriedAgain(t *testing.T) {
	l := line{"1.0.0": 2}
	r, err := replay.Run(t.Context(), newCatalog(release("1.0.0", nil)), &flaky{l, map[float64]bool{}}, []string{file(t, l.answers("1.0.0", 1, 2, 3, 666)...)}, nil)
	if err != nil || r.Same() != 3 || r.Blocked() != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestJUnit(t *testing.T) {
	one, two := release("1.0.0", nil), release("2.0.0", nil)
	l := line{"1.0.0": 2, "2.0.0": 3}
	lines := l.answers("1.0.0", 1, 2, 666)
	lines[0] = strings.Replace(lines[0], `"y":2`, `"y":2.5`, 1)
	path := file(t, append(lines, "?")...)
	r, err := replay.Run(t.Context(), newCatalog(one), l, []string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := r.WriteJUnit(&text); err != nil || !strings.Contains(text.String(), `tests="2" errors="1" failures="1"`) || !strings.Contains(text.String(), "y is 2, and was 2.5") {
		t.Errorf("%v %s", err, text.String())
	}
	e, err := replay.Impact(t.Context(), newCatalog(one, two), l, two, []string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	changed, _ := replay.ParseCondition("changed")
	refused, _ := replay.ParseCondition("refused")
	text.Reset()
	if err := e.WriteJUnit(&text, []replay.Condition{changed, refused}); err != nil || !strings.Contains(text.String(), `tests="4" errors="2" failures="1"`) {
		t.Errorf("%v %s", err, text.String())
	}
}
