package remote_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/remote"
	"github.com/slipstick/slipstick/sdk/verification"
)

// Other machines get everything that one machine publishes, and every later change of the
// lifecycle.
func TestPublishedHereIsThere(t *testing.T) {
	everywhere(t, func(t *testing.T, address string) {
		here, there := open(t, address), open(t, address)
		if c := look(t, there, beam); c.ID != "" {
			t.Fatalf("before anything was published: %+v", c)
		}
		publish(t, here, candidate(beam, "1.0.0"))
		publish(t, here, candidate(cable, "1.0.0"))
		publish(t, here, candidate(beam, "1.1.0"))
		publish(t, here, candidate(beam, "2.0.0-rc.1"))
		c := look(t, there, beam)
		if c.Problem != nil || c.Current != "1.1.0" || len(c.Releases) != 3 {
			t.Fatalf("current %q of %d, problem %v", c.Current, len(c.Releases), c.Problem)
		}
		for _, rel := range append(c.Releases, mirrored(t, there, cable).Releases...) {
			mustServe(t, rel)
			if rel.Verification.Tier != verification.EngineTested || rel.Revision != "4d2f0e1" {
				t.Errorf("%s is %s of revision %q", rel.Version, rel.Verification.Tier, rel.Revision)
			}
		}
		set(t, here, "1.0.0", evidence.Deprecated)
		set(t, here, "1.0.0", evidence.Active)
		set(t, here, "1.0.0", evidence.Deprecated)
		if s := release(look(t, there, beam), "1.0.0").Lifecycle; s.State != evidence.Deprecated {
			t.Errorf("1.0.0 is %s", s.State)
		}
		set(t, here, "1.1.0", evidence.Yanked)
		if c := look(t, there, beam); c.Current != "1.0.0" || release(c, "1.1.0").Lifecycle.State != evidence.Yanked {
			t.Errorf("after the yank current is %s", c.Current)
		}
		set(t, here, "1.1.0", evidence.Active)
		if err := change(t, here, beam, func(l *registry.Registry) error { return l.Promote(t.Context(), beam, "1.1.0") }); err != nil {
			t.Fatal(err)
		}
		if c := look(t, there, beam); c.Current != "1.1.0" {
			t.Errorf("after the promotion current is %s", c.Current)
		}
		// A third machine, which saw none of the changes, reads the records in their order.
		if s := release(look(t, open(t, address), beam), "1.0.0").Lifecycle; s.State != evidence.Deprecated {
			t.Errorf("read afresh 1.0.0 is %s", s.State)
		}
		set(t, here, "1.1.0", evidence.Revoked)
		set(t, here, "1.0.0", evidence.Revoked)
		for _, r := range []*remote.Registry{there, open(t, address)} {
			if c := look(t, r, beam); c.Current != "" || c.Problem != nil {
				t.Errorf("when all are revoked current is %q, problem %v", c.Current, c.Problem)
			}
		}
	})
}

// Publishing again changes nothing, and other content is refused, also if the publisher has
// not seen the first version.
func TestWrittenOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, address string) {
		first := open(t, address)
		late, err := open(t, address).Draft(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer late.Close()
		publish(t, first, candidate(beam, "1.0.0"))
		publish(t, open(t, address), candidate(beam, "1.0.0"))
		was := release(look(t, first, beam), "1.0.0").Digest

		other := candidate(beam, "1.0.0")
		other.Revision = "another"
		if _, err := late.Registry().Publish(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		var exists *registry.ExistsError
		if err := late.Push(t.Context(), beam); !errors.As(err, &exists) || exists.Published != was {
			t.Errorf("a late publisher of other content: %v", err)
		}
		if now := release(look(t, open(t, address), beam), "1.0.0"); now.Digest != was {
			t.Errorf("1.0.0 was %s and is %s", was, now.Digest)
		}
	})
}

// A change of current by another publisher is not undone without a warning.
func TestCurrentMovedMeanwhile(t *testing.T) {
	everywhere(t, func(t *testing.T, address string) {
		r := open(t, address)
		publish(t, r, candidate(beam, "1.0.0"))
		publish(t, r, candidate(beam, "1.1.0"))
		late, err := open(t, address).Draft(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer late.Close()
		publish(t, r, candidate(beam, "2.0.0"))
		if err := late.Registry().Promote(t.Context(), beam, "1.0.0"); err != nil {
			t.Fatal(err)
		}
		if err := late.Push(t.Context(), beam); err == nil || !strings.Contains(err.Error(), "another publisher has moved current") {
			t.Errorf("error = %v", err)
		}
		if c := look(t, r, beam); c.Current != "2.0.0" {
			t.Errorf("current is %s", c.Current)
		}
	})
}

// between is a proxy for a registry, which can refuse requests or change answers.
type between struct {
	to      string // URL of the registry
	address string
	server  *httptest.Server
	names   [2]string // a part of the path, and its replacement
	refuse  atomic.Pointer[func(*http.Request) bool]
	instead atomic.Pointer[func(http.ResponseWriter, *http.Request) bool] // returns true if it has answered instead of the registry
	demand  atomic.Pointer[func(*http.Request) bool]                      // returns true for requests that need a name and password
	alter   atomic.Pointer[func(*http.Response) error]
}

func proxy(t testing.TB, to string) *between {
	b := &between{to: to}
	host, prefix, _ := strings.Cut(strings.TrimPrefix(to, remote.Scheme), "/")
	p := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: host})
	p.ModifyResponse = func(resp *http.Response) error {
		if f := b.alter.Load(); f != nil {
			return (*f)(resp)
		}
		return nil
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f := b.refuse.Load(); f != nil && (*f)(r) {
			http.Error(w, "refused", http.StatusForbidden) // a request with this status is not repeated
			return
		}
		if f := b.instead.Load(); f != nil && (*f)(w, r) {
			return
		}
		if f := b.demand.Load(); f != nil && (*f)(r) {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		r.URL.Path = strings.Replace(r.URL.Path, b.names[0], b.names[1], 1)
		p.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	b.server = s
	b.address = remote.Scheme + s.Listener.Addr().String() + "/" + prefix
	return b
}

// rename replaces a part of the requested path.
func (b *between) rename(from, to string) { b.names = [2]string{from, to} }

// If a publisher dies at any of its requests, earlier content is unchanged, and the new
// version is complete or absent. Publishing again completes it.
func TestCutOffAnywhere(t *testing.T) {
	everywhere(t, func(t *testing.T, address string) {
		b := proxy(t, address)
		writes := func(r *http.Request) bool { return r.Method != http.MethodGet && r.Method != http.MethodHead }
		for _, earlier := range []string{"", "1.0.0"} {
			for n := 1; ; n++ {
				below := fmt.Sprintf("/n%d%s", n, earlier)
				if earlier != "" {
					publish(t, open(t, address+below), candidate(beam, earlier))
				}
				left := int64(n)
				refuse := func(r *http.Request) bool { return writes(r) && atomic.AddInt64(&left, -1) < 0 }
				b.refuse.Store(&refuse)
				err := try(t, open(t, b.address+below), candidate(beam, "1.1.0"))
				if err == nil {
					t.Logf("%d writes beside %q", n, earlier)
					if n < 4 {
						t.Error("they are too few to be all")
					}
					break
				}
				c := look(t, open(t, address+below), beam)
				for _, rel := range c.Releases {
					mustServe(t, rel)
				}
				if c.Problem != nil || earlier != "" && release(c, earlier) == nil || len(c.Releases) > 0 && c.Current == "" {
					t.Errorf("cut off after %d writes: current %q of %d, problem %v", n, c.Current, len(c.Releases), c.Problem)
				}
				b.refuse.Store(nil)
				publish(t, open(t, b.address+below), candidate(beam, "1.1.0"))
				mustServe(t, release(look(t, open(t, address+below), beam), "1.1.0"))
			}
		}
	})
}

// A registry that is down is an error, and the mirror stays as it was.
func TestDown(t *testing.T) {
	address := servers["with a list of referrers"](t)
	b := proxy(t, address)
	r := open(t, b.address)
	publish(t, r, candidate(beam, "1.0.0"))
	look(t, r, beam)
	b.server.Close()
	if _, err := r.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), b.address) {
		t.Errorf("error = %v", err)
	}
	mustServe(t, release(mirrored(t, r, beam), "1.0.0"))
}

func TestSyncStopsWithTheContext(t *testing.T) {
	r := open(t, servers["without"](t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Sync(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
}

func TestAddresses(t *testing.T) {
	for address, good := range map[string]bool{
		"oci://127.0.0.1:5000/calc": true, "oci://registry.example.org/a/b-c/d": true, "oci://[::1]:5000/calc/": true,
		"oci://": false, "oci://host": false, "oci://host/": false, "oci://host/UPPER": false, "oci://host/a:tag": false,
		"oci://host/../up": false, "oci://host/a//b": false, "http://host/a": false, "var/registry": false, "oci://user@host/a": false,
	} {
		if _, err := remote.Open(address, t.TempDir(), nil); (err == nil) != good {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Other machines are asked over TLS only, unless plain HTTP is allowed.
func TestPlainHTTPIsForThisMachine(t *testing.T) {
	for _, tt := range []struct {
		host  string
		plain bool
		want  string
	}{
		{"registry.example.org", false, "https://registry.example.org/"},
		{"registry.example.org", true, "http://registry.example.org/"},
		{"127.0.0.1:5000", false, "http://127.0.0.1:5000/"},
		{"localhost", false, "http://localhost/"},
		{"127.0.0.1.example.org", false, "https://127.0.0.1.example.org/"},
	} {
		r, err := remote.Open("oci://"+tt.host+"/calc", t.TempDir(), &remote.Options{PlainHTTP: tt.plain})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Asked(t.Context()); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s, plain %v: %s", tt.host, tt.plain, got)
		}
	}
}

// Old drafts of publishers that were killed are removed, and recent drafts of others are kept.
func TestOldDraftsAreRemoved(t *testing.T) {
	mirrors := t.TempDir()
	r, err := remote.Open(servers["without"](t), mirrors, nil)
	if err != nil {
		t.Fatal(err)
	}
	old, young := filepath.Join(mirrors, ".draft-old"), filepath.Join(mirrors, ".draft-young")
	for _, dir := range []string{old, young} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Time{}, time.Now().Add(-25*time.Hour)); err != nil {
		t.Fatal(err)
	}
	d, err := r.Draft(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	left, err := filepath.Glob(filepath.Join(mirrors, ".draft-*"))
	if err != nil || len(left) != 1 || left[0] != young {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A server looks often, and mostly nothing has changed.
func BenchmarkSyncUnchanged(b *testing.B) {
	r := open(b, servers["without"](b))
	d, err := r.Draft(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	for n := range 60 {
		c := candidateOf(fmt.Sprintf("%s.n%d", beam, n), "1.0.0")
		if _, err := d.Registry().Publish(b.Context(), c); err != nil {
			b.Fatal(err)
		}
		if err := d.Push(b.Context(), c.Spec.Capability); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if damage, err := r.Sync(b.Context()); err != nil || len(damage) > 0 {
			b.Fatal(damage, err)
		}
	}
}

// candidateOf returns a candidate with a tool id of its own.
func candidateOf(capability, version string) registry.Candidate {
	c := candidate(capability, version)
	c.Spec.Tool = "tool-" + strings.NewReplacer(".", "-", "_", "-").Replace(capability)
	return c
}
