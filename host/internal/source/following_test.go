package source

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
)

// processes is an [Engines] with versions that do not start.
type processes struct {
	bad   string   // version that does not start now
	never []string // versions that have never started
	ended []string
}

func (p *processes) Used(*registry.Release) bool { return true }

func (p *processes) Start(_ context.Context, r *registry.Release, _ bool) error {
	if r.Version == p.bad || slices.Contains(p.never, r.Version) {
		return errors.New("it does not start")
	}
	return nil
}

func (p *processes) NeverStarts(r *registry.Release) error {
	if slices.Contains(p.never, r.Version) {
		return errors.New("it does not start")
	}
	return nil
}

func (p *processes) End(r *registry.Release) { p.ended = append(p.ended, r.Version) }

// serving is a [Service] that stores its catalog.
type serving struct{ catalog *catalog.Catalog }

func (s *serving) Catalog() *catalog.Catalog  { return s.catalog }
func (s *serving) Publish(c *catalog.Catalog) { s.catalog = c }

// Several new capabilities are logged in one line, and a single one by its versions.
func TestLogAdded(t *testing.T) {
	var logged bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logged, nil))
	from, err := Open(&Options{Place: Place{Registry: t.TempDir()}, Data: t.TempDir(), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	f := Follow(from, nil, nil, &serving{catalog.New(nil)}, new(processes), &FollowOptions{Every: time.Second, Log: log, Metrics: telemetry.NewMetrics()})
	var list []registry.Capability
	for _, tt := range []struct {
		ids   []string
		lines int
		want  string
	}{
		{[]string{"a.b", "a.c"}, 1, `msg="capabilities published" new=2 capabilities=2 versions=2`},
		{[]string{"a.d"}, 2, `msg="version published" capability=a.d version=1.0.0`},
		{[]string{"a.e", "a.f", "a.g"}, 1, `msg="capabilities published" new=3 capabilities=6 versions=6`},
	} {
		for _, id := range tt.ids {
			list = append(list, registry.Capability{ID: id, Current: "1.0.0", Releases: []*registry.Release{{Capability: id, Version: "1.0.0", EngineDigest: "sha256:" + id}}})
		}
		logged.Reset()
		f.adopt(t.Context(), list)
		if text := logged.String(); strings.Count(text, "\n") != tt.lines || !strings.Contains(text, tt.want) {
			t.Errorf("%v: the log is\n%swant %q", tt.ids, text, tt.want)
		}
	}
}

// A version becomes current when its engine runs, or when the version before must not be served any
// more. The engine of a revoked version is ended.
func TestAdopt(t *testing.T) {
	published := func(current string, first evidence.State) []registry.Capability {
		release := func(version string, state evidence.State) *registry.Release {
			r := &registry.Release{Capability: "a.b", Version: version, EngineDigest: "sha256:" + version}
			r.Lifecycle.State = state
			return r
		}
		return []registry.Capability{{ID: "a.b", Current: current, Releases: []*registry.Release{release("2.0.0", evidence.Active), release("1.0.0", first)}}}
	}
	log := slog.New(slog.DiscardHandler)
	from, err := Open(&Options{Place: Place{Registry: t.TempDir()}, Data: t.TempDir(), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	s, p := &serving{catalog.New(published("1.0.0", evidence.Active))}, &processes{bad: "2.0.0"}
	f := Follow(from, nil, nil, s, p, &FollowOptions{Every: time.Second, Log: log, Metrics: telemetry.NewMetrics()})
	for _, tt := range []struct {
		bad     string
		first   evidence.State
		current string
		keeps   bool
		ended   int
	}{
		{"2.0.0", evidence.Active, "1.0.0", true, 0},
		{"", evidence.Active, "2.0.0", false, 0},
		{"1.0.0", evidence.Active, "2.0.0", false, 0},
		{"", evidence.Revoked, "2.0.0", false, 1},
	} {
		p.bad = tt.bad
		f.adopt(t.Context(), published("2.0.0", tt.first))
		if current := s.catalog.Entries()[0].Current; current != tt.current || len(f.fallbacks) > 0 != tt.keeps || len(p.ended) != tt.ended {
			t.Errorf("%+v: current is %s, fallbacks %v, ended %v", tt, current, f.fallbacks, p.ended)
		}
	}
}

// If the current version does not start after a start of the server, the newest older version that
// starts is served. This ends when the current version starts.
func TestFallback(t *testing.T) {
	published := func(current string, yanked ...string) []registry.Capability {
		c := registry.Capability{ID: "a.b", Current: current}
		for _, version := range []string{"2.1.0", "2.0.1", "2.0.1-rc.1", "2.0.0", "1.0.0"} {
			r := &registry.Release{Capability: "a.b", Version: version, EngineDigest: "sha256:" + version, Judged: true}
			if slices.Contains(yanked, version) {
				r.Lifecycle.State = evidence.Yanked
			}
			c.Releases = append(c.Releases, r)
		}
		return []registry.Capability{c}
	}
	log := slog.New(slog.DiscardHandler)
	from, err := Open(&Options{Place: Place{Registry: t.TempDir()}, Data: t.TempDir(), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		current string
		never   []string
		yanked  []string
		want    string
	}{
		{"2.0.1", nil, nil, "2.0.1"},
		{"2.0.1", []string{"2.0.1"}, nil, "2.0.0"},
		{"2.0.1", []string{"2.0.1", "2.0.0"}, nil, "1.0.0"},
		{"2.0.1", []string{"2.0.1"}, []string{"2.0.0"}, "1.0.0"},
		{"2.0.1", []string{"2.0.1", "2.0.0", "1.0.0"}, nil, "2.0.1"},
		{"1.0.0", []string{"1.0.0"}, nil, "1.0.0"},
	} {
		list, p := published(tt.current, tt.yanked...), &processes{never: tt.never}
		s := &serving{catalog.New(list)}
		o := &FollowOptions{Every: time.Second, Log: log, Metrics: telemetry.NewMetrics()}
		f := Follow(from, list, nil, s, p, o)
		current := func() string { return s.catalog.Entries()[0].Current }
		if current() != tt.want {
			t.Errorf("%+v: current is %s", tt, current())
		}
		f.adopt(t.Context(), list)
		if current() != tt.want {
			t.Errorf("%+v, at the next look: current is %s", tt, current())
		}
		p.never = nil
		f.adopt(t.Context(), list)
		if current() != tt.current || len(f.fallbacks) > 0 {
			t.Errorf("%+v, after it has started: current is %s, fallbacks %v", tt, current(), f.fallbacks)
		}
	}
}
