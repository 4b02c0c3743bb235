package registry_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/sdk/preset"
)

const bars = "data.test.bars"

// table returns a table in which a bar of 8 mm has this area.
func table(t testing.TB, version, area string) *preset.Table {
	t.Helper()
	parsed, err := preset.Parse([]byte(`{"table_format":1,"table_id":"data.test.bars","table_version":"`+version+`","title":"Bars","summary":"Bars for tests.","noun":"bar",
"columns":[{"name":"diameter","label":"Diameter","unit":"mm","symbol":"d","source":"a"},{"name":"area","label":"Area","unit":"mm2","symbol":"A","source":"a"}],
"definition":"A = pi*d^2/4","sources":[{"id":"a","title":"Handbook"}]}`), []byte("key,name,diameter,area\nR8,Bar 8,8,"+area+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// Tables have the lifecycle of engines: versions never change, one is current, and a withdrawn
// one is not current.
func TestTablesLiveAsEnginesDo(t *testing.T) {
	r, _ := open(t)
	p := publish(t, r, registry.Candidate{Table: table(t, "1.0.0", "50.3")})
	if p.Status != registry.Published || p.Current != "1.0.0" || p.Capability != bars || len(p.Engines) != 0 {
		t.Fatalf("%+v", p)
	}
	if again := publish(t, r, registry.Candidate{Table: table(t, "1.0.0", "50.3")}); again.Status != registry.Unchanged || again.Digest != p.Digest {
		t.Errorf("the same again: %+v", again)
	}
	var exists *registry.ExistsError
	if _, err := r.Publish(t.Context(), registry.Candidate{Table: table(t, "1.0.0", "50.27")}); !errors.As(err, &exists) {
		t.Errorf("other rows under a published version: %v", err)
	}
	publish(t, r, registry.Candidate{Table: table(t, "2.0.0", "50.27")})
	c := capability(t, r, bars)
	if c.Problem != nil || c.Current != "2.0.0" || release(c, "1.0.0").Table.Rows[0].Cells[1].Literal != "50.3" {
		t.Fatalf("%+v", c)
	}
	for _, step := range []struct{ version, state, current string }{
		{"2.0.0", "yanked", "1.0.0"}, {"1.0.0", "deprecated", "1.0.0"}, {"1.0.0", "revoked", ""},
	} {
		if err := r.SetLifecycle(t.Context(), bars, step.version, evidence.Lifecycle{State: evidence.State(step.state), Reason: "for the test"}); err != nil {
			t.Fatal(err)
		}
		if c := capability(t, r, bars); c.Current != step.current || string(release(c, step.version).State()) != step.state {
			t.Errorf("after %s is %s, %q is current, want %q", step.version, step.state, c.Current, step.current)
		}
	}
}

func TestTablesThatAreRefused(t *testing.T) {
	r, dir := open(t)
	for _, tt := range []struct {
		name string
		c    registry.Candidate
		want string
	}{
		{"figures that contradict each other", registry.Candidate{Table: table(t, "1.0.0", "50.9")}, "R8: area is 50.9"},
		{"an engine in a table", registry.Candidate{Table: table(t, "1.0.0", "50.3"), Engines: map[string][]byte{here: engine("x")}}, "neither an engine"},
		{"an engine under the id of a table", candidate(bars, "1.0.0"), "are reserved for tables"},
	} {
		if _, err := r.Publish(t.Context(), tt.c); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if files := tree(t, dir); len(files) != 0 {
		t.Errorf("left over: %v", files)
	}
}

// Rows that were changed on disk are never served.
func TestDamagedRows(t *testing.T) {
	r, dir := open(t)
	publish(t, r, registry.Candidate{Table: table(t, "1.0.0", "50.3")})
	d := disk{t, dir + "/" + bars}
	m := d.manifest("1.0.0")
	if m.Config.MediaType != mediatype.Table || len(m.Layers) != 1 || m.Layers[0].MediaType != mediatype.Rows {
		t.Fatalf("%+v", m)
	}
	rows := d.blob(m.Layers[0].Digest)
	d.write(rows, bytes.Replace(d.read(rows), []byte("50.3"), []byte("50.2"), 1))
	if rel := release(capability(t, r, bars), "1.0.0"); rel.Problem == nil || rel.Available() || rel.Table != nil {
		t.Errorf("%+v", rel)
	}
}

// A mirror has the table with its rows.
func TestMirroredTable(t *testing.T) {
	from, _ := open(t)
	publish(t, from, registry.Candidate{Table: table(t, "1.0.0", "50.3")})
	entries, err := from.Entries(t.Context(), bars)
	if err != nil {
		t.Fatal(err)
	}
	to, _ := open(t)
	damage, err := to.Mirror(t.Context(), bars, &registry.Offer{Entries: entries, Fetch: func(ctx context.Context, d v1.Descriptor) (io.ReadCloser, error) {
		data, err := from.Blob(ctx, bars, d)
		return io.NopCloser(bytes.NewReader(data)), err
	}})
	if damage != nil || err != nil {
		t.Fatal(damage, err)
	}
	c := capability(t, to, bars)
	if rel := release(c, "1.0.0"); c.Current != "1.0.0" || rel.Problem != nil || rel.Table.Rows[0].Key != "R8" || rel.Digest != release(capability(t, from, bars), "1.0.0").Digest {
		t.Errorf("%+v", c)
	}
}

// Where signatures are required, a table needs one too.
func TestSignedTable(t *testing.T) {
	h := newSignedRegistry(t)
	publish(t, h.by(nil), registry.Candidate{Table: table(t, "1.0.0", "50.3")})
	if rel := release(capability(t, h.strict(), bars), "1.0.0"); !errors.Is(rel.Problem, evidence.ErrUntrusted) {
		t.Errorf("a table that nobody signed: %v", rel.Problem)
	}
	if _, err := h.by(h.publisher).SignRelease(t.Context(), bars, "1.0.0"); err != nil {
		t.Fatal(err)
	}
	c := capability(t, h.strict(), bars)
	if rel := release(c, "1.0.0"); rel.Problem != nil || !rel.Available() || c.Current != "1.0.0" {
		t.Errorf("a signed table: current %q, %v, %v", c.Current, rel.Problem, c.Problem)
	}
}
