package registry_test

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	conformance "github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/sdk/verification"
)

func TestPublishedReleaseReadsBackWhole(t *testing.T) {
	r, _ := open(t)
	want := candidate(beam, "1.0.0")
	p := publish(t, r, want)
	c := capability(t, r, beam)
	if c.Problem != nil || c.Current != "1.0.0" || len(c.Releases) != 1 {
		t.Fatalf("capability = %+v", c)
	}
	got := c.Releases[0]
	if got.Problem != nil {
		t.Fatal(got.Problem)
	}
	if p.Status != registry.Published || p.Current != "1.0.0" || p.Digest != got.Digest || p.Engines[here] != got.EngineDigest {
		t.Errorf("publication = %+v, release has manifest %s and engine %s", p, got.Digest, got.EngineDigest)
	}
	if !bytes.Equal(got.Vectors, want.Vectors) || !bytes.Equal(got.Report, want.Report.JSON) || !reflect.DeepEqual(got.Spec, want.Spec) {
		t.Errorf("release = %+v\nwant %+v", got, want)
	}
	if got.Revision != want.Revision || !got.Created.Equal(want.Created) || !slices.Equal(got.Platforms, []string{here}) {
		t.Errorf("revision %s, created %v, platforms %v", got.Revision, got.Created, got.Platforms)
	}
	if v := got.Verification; v.Tier != verification.EngineTested || v.Check() != nil {
		t.Errorf("verification = %+v", v)
	}
	data, err := got.Engine()
	if err != nil || !bytes.Equal(data, want.Engines[here]) {
		t.Errorf("Engine() = %d bytes, %v; want the %d published", len(data), err, len(want.Engines[here]))
	}
}

func TestSameContentHasSameDigestAnywhere(t *testing.T) {
	r1, _ := open(t)
	r2, _ := open(t)
	c := candidate(beam, "1.0.0")
	first := publish(t, r1, c)
	c.Created = c.Created.Add(time.Hour)
	if second := publish(t, r2, c); second.Digest != first.Digest {
		t.Errorf("digests %s and %s differ by the time of publishing", first.Digest, second.Digest)
	}
}

func TestPublishAgainIsUnchanged(t *testing.T) {
	r, dir := open(t)
	c := candidate(beam, "1.0.0")
	first := publish(t, r, c)
	before := tree(t, dir)
	c.Created = time.Now()
	again := publish(t, r, c)
	if again.Status != registry.Unchanged || again.Digest != first.Digest || again.Current != "1.0.0" || again.Restored != 0 {
		t.Errorf("second publication = %+v, want unchanged %s", again, first.Digest)
	}
	if after := tree(t, dir); !reflect.DeepEqual(before, after) {
		t.Errorf("files before %v\nafter %v", before, after)
	}
}

func TestPublishedVersionNeverChanges(t *testing.T) {
	changes := map[string]func(*registry.Candidate){
		"engine": func(c *registry.Candidate) {
			c.Engines = map[string][]byte{here: engine("other")}
			c.Report = report(3, engine("other"))
		},
		"vectors":  func(c *registry.Candidate) { c.Vectors = []byte(`{}`) },
		"spec":     func(c *registry.Candidate) { c.Spec.Summary = "Another." },
		"revision": func(c *registry.Candidate) { c.Revision = "" },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			r, dir := open(t)
			first := publish(t, r, candidate(beam, "1.0.0"))
			before := tree(t, dir)
			c := candidate(beam, "1.0.0")
			change(&c)
			_, err := r.Publish(t.Context(), c)
			var exists *registry.ExistsError
			if !errors.As(err, &exists) || exists.Published != first.Digest || exists.Offered == first.Digest || exists.Version != "1.0.0" {
				t.Fatalf("error = %v, want an ExistsError about %s", err, first.Digest)
			}
			if after := tree(t, dir); !reflect.DeepEqual(before, after) {
				t.Errorf("files before %v\nafter %v", before, after)
			}
		})
	}
}

func TestRefusedCandidates(t *testing.T) {
	e := engine("x")
	cases := []struct {
		name   string
		change func(*registry.Candidate)
		want   string
	}{
		{"capability form", func(c *registry.Candidate) { c.Spec.Capability = "../beam" }, "Capability"},
		{"one word", func(c *registry.Candidate) { c.Spec.Capability = "beam" }, "Capability"},
		{"no title", func(c *registry.Candidate) { c.Spec.Title = "" }, "Title"},
		{"no version", func(c *registry.Candidate) { c.Spec.Version = "" }, "Version"},
		{"build metadata", func(c *registry.Candidate) { c.Spec.Version = "1.0.0+b" }, "build metadata"},
		{"leading v", func(c *registry.Candidate) { c.Spec.Version = "v1.0.0" }, "Version"},
		{"leading zero", func(c *registry.Candidate) { c.Spec.Version = "01.0.0" }, "Version"},
		{"two numbers", func(c *registry.Candidate) { c.Spec.Version = "1.0" }, "Version"},
		{"empty prerelease part", func(c *registry.Candidate) { c.Spec.Version = "1.0.0-rc..1" }, "1.0.0-rc..1"},
		{"huge number", func(c *registry.Candidate) { c.Spec.Version = "1.0.0-99999999999999999999" }, "64 bits"},
		{"no engine", func(c *registry.Candidate) { c.Engines = nil }, "no engine"},
		{"platform form", func(c *registry.Candidate) { c.Engines = map[string][]byte{"linux/../amd64": e} }, "not of the form linux/amd64"},
		{"platform in capitals", func(c *registry.Candidate) { c.Engines = map[string][]byte{"Linux/amd64": e} }, "not of the form linux/amd64"},
		{"vectors too big", func(c *registry.Candidate) { c.Vectors = make([]byte, store.MaxJSON+1) }, "16777217 bytes"},
		{"report did not pass", func(c *registry.Candidate) {
			c.Report = edited(c, `"passed":true`, `"passed":false`)
		}, "did not pass"},
		{"report of other bytes", func(c *registry.Candidate) { c.Report = report(3, e) }, "exactly these bytes"},
		{"report of no bytes", func(c *registry.Candidate) { c.Report = report(3) }, "exactly these bytes"},
		{"further report of other bytes", func(c *registry.Candidate) { c.Reports = []*conformance.Document{report(3, e)} }, "exactly these bytes"},
		{"claim that one of two engines shows", func(c *registry.Candidate) {
			c.Engines = map[string][]byte{"linux/amd64": program(elf.EM_X86_64, ""), "linux/arm64": program(elf.EM_AARCH64, "")}
			c.Report = report(3, c.Engines["linux/amd64"])
			c.Spec.Verification = &verification.Record{Tier: verification.EngineTested, EngineTested: true}
		}, "claims tier engine_tested"},
		{"report with a failed rule", func(c *registry.Candidate) {
			c.Report = edited(c, `"passed":true`, `"passed":true,"rules":[{"id":"finite","passed":false}]`)
		}, "the rule finite did not"},
		{"report with a failed vector", func(c *registry.Candidate) {
			c.Report = edited(c, `"total":3`, `"total":4`)
		}, "3 of 4"},
		{"report with fewer than no vectors", func(c *registry.Candidate) { c.Report = report(-1, c.Engines[here]) }, "-1 of -1"},
		{"report of vectors that are not there", func(c *registry.Candidate) { c.Vectors = nil }, "the release has none"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			r, dir := open(t)
			c := candidate(beam, "1.0.0")
			tc.change(&c)
			_, err := r.Publish(t.Context(), c)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error = %v, want one with %q", err, tc.want)
			}
			if files := tree(t, dir); len(files) != 0 {
				t.Errorf("left over: %v", files)
			}
		})
	}
}

func TestToolBelongsToOneCapability(t *testing.T) {
	r, _ := open(t)
	publish(t, r, candidate(beam, "1.0.0"))
	publish(t, r, candidate("mechanical.statics.cable", "1.0.0"))
	c := candidate("mechanical.statics.frame", "1.0.0")
	c.Spec.Tool = "beam"
	_, err := r.Publish(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "tool id beam belongs to "+beam) {
		t.Errorf("error = %v, want a refusal of the tool id", err)
	}
	if got := capability(t, r, "mechanical.statics.frame"); got.ID != "" {
		t.Errorf("refused capability is there: %+v", got)
	}
	publish(t, r, candidate(beam, "1.1.0")) // it may use its own tool id
}

func TestCurrentMoves(t *testing.T) {
	untested := func(v string) registry.Candidate {
		c := candidate(beam, v)
		c.Report = nil
		return c
	}
	cases := []struct {
		name    string
		publish []registry.Candidate
		want    string
	}{
		{"to the first", []registry.Candidate{candidate(beam, "1.0.0")}, "1.0.0"},
		{"to a newer one", []registry.Candidate{candidate(beam, "1.9.0"), candidate(beam, "1.10.0")}, "1.10.0"},
		{"not to an older one", []registry.Candidate{candidate(beam, "1.10.0"), candidate(beam, "1.9.0")}, "1.10.0"},
		{"not to a pre-release", []registry.Candidate{candidate(beam, "1.0.0"), candidate(beam, "2.0.0-rc.1")}, "1.0.0"},
		{"not to a first pre-release", []registry.Candidate{candidate(beam, "1.0.0-rc.1")}, ""},
		{"from a pre-release to its release", []registry.Candidate{candidate(beam, "1.0.0-rc.1"), candidate(beam, "1.0.0")}, "1.0.0"},
		{"not without a report", []registry.Candidate{candidate(beam, "1.0.0"), untested("1.1.0")}, "1.0.0"},
		{"not to a first without a report", []registry.Candidate{untested("1.1.0")}, ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			r, _ := open(t)
			var last registry.Publication
			for _, c := range tc.publish {
				last = publish(t, r, c)
			}
			c := capability(t, r, beam)
			if c.Problem != nil || c.Current != tc.want || last.Current != tc.want {
				t.Errorf("current = %q, published as %q, problem %v; want %q", c.Current, last.Current, c.Problem, tc.want)
			}
		})
	}
}

func TestReleasesAreListedNewestFirst(t *testing.T) {
	r, _ := open(t)
	publish(t, r, candidate("mechanical.statics.cable", "1.0.0"))
	for _, v := range []string{"1.9.0", "1.10.0", "1.10.0-rc.2", "1.10.0-rc.10", "0.1.0"} {
		publish(t, r, candidate(beam, v))
	}
	list, err := r.Capabilities(t.Context())
	if err != nil || len(list) != 2 || list[0].ID != beam || list[1].ID != "mechanical.statics.cable" {
		t.Fatalf("capabilities = %+v, %v", list, err)
	}
	want := []string{"1.10.0", "1.10.0-rc.10", "1.10.0-rc.2", "1.9.0", "0.1.0"}
	if got := versionsOf(list[0]); !slices.Equal(got, want) {
		t.Errorf("versions = %v, want %v", got, want)
	}
}

func TestParallelPublishersOneWins(t *testing.T) {
	r, dir := open(t)
	const n = 50
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		won  []registry.Publication
		lost []string
	)
	for i := range n {
		wg.Go(func() {
			own, err := registry.Open(dir, nil) // as in another process
			if err != nil {
				t.Error(err)
				return
			}
			c := candidate(beam, "1.0.0")
			c.Engines = map[string][]byte{here: engine(fmt.Sprint(i))}
			c.Report = report(3, c.Engines[here])
			p, err := own.Publish(t.Context(), c)
			mu.Lock()
			defer mu.Unlock()
			var exists *registry.ExistsError
			switch {
			case err == nil:
				won = append(won, p)
			case errors.As(err, &exists):
				lost = append(lost, exists.Published)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(won) != 1 || len(lost) != n-1 {
		t.Fatalf("%d won and %d lost, want 1 and %d", len(won), len(lost), n-1)
	}
	for _, published := range lost {
		if published != won[0].Digest {
			t.Errorf("a loser got %s, the winner is %s", published, won[0].Digest)
		}
	}
	c := capability(t, r, beam)
	if len(c.Releases) != 1 || c.Releases[0].Problem != nil || c.Releases[0].Digest != won[0].Digest {
		t.Errorf("capability = %+v", c)
	}
}

func TestReadersSeeWholeVersionsWhilePublishing(t *testing.T) {
	r, _ := open(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 20 {
			if _, err := r.Publish(t.Context(), candidate(beam, fmt.Sprintf("1.%d.0", i))); err != nil {
				t.Error(err)
			}
		}
	}()
	for {
		list, err := r.Capabilities(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if c.Problem != nil || c.Current != versionsOf(c)[0] {
				t.Fatalf("current %q of %v, problem %v", c.Current, versionsOf(c), c.Problem)
			}
			for _, rel := range c.Releases {
				if rel.Problem != nil {
					t.Fatalf("%s: %v", rel.Version, rel.Problem)
				}
			}
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

func TestPublisherWaitsForItsTurnUntilContextEnds(t *testing.T) {
	r, dir := open(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	var once sync.Once
	r.SetFault(func(string) error {
		once.Do(func() { close(entered) })
		<-leave
		return nil
	})
	first := make(chan error)
	go func() {
		_, err := r.Publish(t.Context(), candidate(beam, "1.0.0"))
		first <- err
	}()
	<-entered
	other, err := registry.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := other.Publish(ctx, candidate(beam, "1.1.0")); err == nil || !strings.Contains(err.Error(), "lock of the registry") {
		t.Errorf("error = %v, want one about the lock", err)
	}
	close(leave)
	if err := <-first; err != nil {
		t.Error(err)
	}
	publish(t, other, candidate(beam, "1.1.0"))
}

func TestPublishRefusesADamagedLayout(t *testing.T) {
	damages := map[string]func(d disk){
		"no index":         func(d disk) { d.must(os.Remove(d.path("index.json"))) },
		"no oci-layout":    func(d disk) { d.must(os.Remove(d.path("oci-layout"))) },
		"dangling current": func(d disk) { d.edit(func(x *v1.Index) { d.entry(x, "current").Digest = "sha256:" + zeros }) },
		"version listed twice": func(d disk) {
			d.edit(func(x *v1.Index) { x.Manifests = append(x.Manifests, *d.entry(x, "1.0.0")) })
		},
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			r, d := published(t)
			dir := filepath.Dir(d.dir)
			damage(d)
			before := tree(t, dir)
			for _, v := range []string{"1.0.0", "1.2.0"} {
				_, err := r.Publish(t.Context(), candidate(beam, v))
				if err == nil || !strings.Contains(err.Error(), "must be repaired first") {
					t.Errorf("publish %s: error = %v, want a refusal", v, err)
				}
			}
			if after := tree(t, dir); !reflect.DeepEqual(before, after) {
				t.Errorf("files before %v\nafter %v", before, after)
			}
		})
	}
}

func TestPublishWritesNoIndexTooBigToRead(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	r, d := published(t)
	d.edit(func(x *v1.Index) {
		x.Annotations = map[string]string{"padding": strings.Repeat("x", store.MaxJSON-4000)}
	})
	before := tree(t, d.dir)
	_, err := r.Publish(t.Context(), candidate(beam, "1.2.0"))
	for i := 3; err == nil && i < 20; i++ {
		before = tree(t, d.dir)
		_, err = r.Publish(t.Context(), candidate(beam, fmt.Sprintf("1.%d.0", i)))
	}
	if err == nil || !strings.Contains(err.Error(), "index.json would have") {
		t.Errorf("error = %v, want one about the size of index.json", err)
	}
	if after := tree(t, d.dir); !reflect.DeepEqual(before, after) {
		t.Errorf("files before %v\nafter %v", before, after)
	}
	if c := capability(t, r, beam); c.Problem != nil || len(c.Releases) < 2 {
		t.Errorf("capability = %+v", c)
	}
}

func TestFindEngine(t *testing.T) {
	r, dir := open(t)
	for _, v := range []string{"1.0.0", "1.1.0"} {
		publish(t, r, candidate(beam, v))
	}
	p := publish(t, r, candidate("mechanical.statics.cable", "2.0.0"))
	id, v, found, err := r.FindEngine(t.Context(), p.Engines[here])
	if err != nil || !found || id != "mechanical.statics.cable" || v != "2.0.0" {
		t.Errorf("FindEngine = %s %s %v %v", id, v, found, err)
	}
	if _, _, found, err := r.FindEngine(t.Context(), "sha256:"+zeros); found || err != nil {
		t.Errorf("FindEngine of unknown bytes = %v, %v", found, err)
	}
	if _, _, found, err := r.FindEngine(t.Context(), p.Digest); found || err != nil {
		t.Errorf("FindEngine of a manifest = %v, %v", found, err)
	}
	vectors := digest.FromBytes(candidate(beam, "1.0.0").Vectors).String()
	if _, _, found, err := r.FindEngine(t.Context(), vectors); found || err != nil {
		t.Errorf("FindEngine of vectors = %v, %v", found, err)
	}
	if _, _, _, err := r.FindEngine(t.Context(), "../../etc/passwd"); err == nil {
		t.Error("FindEngine took a path for a digest")
	}
	d := disk{t, filepath.Join(dir, beam)}
	d.write(d.path("index.json"), []byte("{"))
	if _, _, found, err := r.FindEngine(t.Context(), p.Engines[here]); !found || err != nil {
		t.Errorf("FindEngine beside a broken capability = %v, %v", found, err)
	}
}

func TestFindVersionAndRelease(t *testing.T) {
	r, dir := open(t)
	p := publish(t, r, candidate(beam, "1.0.0"))
	if digest, found, err := r.FindVersion(t.Context(), beam, "1.0.0"); digest != p.Digest || !found || err != nil {
		t.Errorf("FindVersion = %s, %v, %v, want %s", digest, found, err, p.Digest)
	}
	if rel, err := r.Release(t.Context(), beam, "1.0.0"); err != nil || rel.Problem != nil || rel.Digest != p.Digest {
		t.Errorf("Release = %+v, %v", rel, err)
	}
	for _, unknown := range [][2]string{{beam, "2.0.0"}, {beam, "current"}, {"mechanical.statics.cable", "1.0.0"}} {
		if _, found, err := r.FindVersion(t.Context(), unknown[0], unknown[1]); found || err != nil {
			t.Errorf("FindVersion of %v = %v, %v", unknown, found, err)
		}
		if _, err := r.Release(t.Context(), unknown[0], unknown[1]); err == nil {
			t.Errorf("Release found %v", unknown)
		}
	}
	d := disk{t, filepath.Join(dir, beam)}
	engine := strings.TrimPrefix(p.Engines[here], "sha256:")
	d.write(d.path(filepath.Join("blobs", "sha256", engine)), []byte("other bytes"))
	if rel, err := r.Release(t.Context(), beam, "1.0.0"); err != nil || rel.Problem == nil {
		t.Errorf("Release with a damaged engine = %+v, %v", rel, err)
	}
	d.write(d.path("index.json"), []byte("{"))
	if _, _, err := r.FindVersion(t.Context(), beam, "1.0.0"); err == nil {
		t.Error("FindVersion read a broken index")
	}
}

// tree lists the files below a directory with their sizes and times, except the lock.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == ".lock" {
			return err
		}
		info, err := e.Info()
		files[name] = fmt.Sprint(info.Size(), info.ModTime())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
