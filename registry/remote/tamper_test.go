package remote_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"

	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/remote"
)

// Answers of a registry are not trusted: bytes that do not match the digest are never used,
// and the earlier content is still served.
func TestTamperedAnswers(t *testing.T) {
	body := func(match func(*http.Request) bool, change func([]byte) []byte) func(*http.Response) error {
		return func(resp *http.Response) error {
			if !match(resp.Request) || resp.StatusCode != http.StatusOK || resp.Request.Method != http.MethodGet {
				return nil
			}
			data, err := io.ReadAll(resp.Body)
			if err != nil {
				return err
			}
			data = change(data)
			resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
			resp.Header.Set("Content-Length", "")
			resp.Header.Del("Content-Length")
			return nil
		}
	}
	blob := func(data []byte) func(*http.Request) bool {
		return func(r *http.Request) bool {
			return strings.HasSuffix(r.URL.Path, "/blobs/"+digest.FromBytes(data).String())
		}
	}
	manifest := func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/manifests/sha256:") }
	flip := func(data []byte) []byte {
		data = bytes.Clone(data)
		data[len(data)/2] ^= 1
		return data
	}
	next := candidate(beam, "1.1.0")
	for name, alter := range map[string]func(*http.Response) error{
		"engine of other bytes":   body(blob(next.Engines[here]), flip),
		"engine cut short":        body(blob(next.Engines[here]), func(b []byte) []byte { return b[:len(b)-1] }),
		"engine without an end":   body(blob(next.Engines[here]), func(b []byte) []byte { return append(b, make([]byte, 1<<20)...) }),
		"another engine":          body(blob(next.Engines[here]), func([]byte) []byte { return candidate(beam, "1.0.0").Engines[here] }),
		"manifest of other bytes": body(manifest, flip),
		"vectors of other bytes":  body(blob(next.Vectors), flip),
		"digest that is a path": func(resp *http.Response) error {
			if resp.Request.Method == http.MethodHead && strings.HasSuffix(resp.Request.URL.Path, "/1.1.0") {
				resp.Header.Set("Docker-Content-Digest", "sha256:../../../../etc/passwd")
			}
			return nil
		},
		"size beyond all bounds": func(resp *http.Response) error {
			if resp.Request.Method == http.MethodHead && strings.HasSuffix(resp.Request.URL.Path, "/1.1.0") {
				resp.Header.Set("Content-Length", "99999999999")
				resp.ContentLength = 99999999999
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := servers["with a list of referrers"](t)
			b := proxy(t, address)
			r := open(t, b.address)
			first := candidate(beam, "1.0.0")
			first.Vectors = []byte(`{"vectors":[0]}`)
			publish(t, open(t, address), first)
			was := look(t, r, beam)
			publish(t, open(t, address), next)
			b.alter.Store(&alter)
			damage, err := r.Sync(t.Context())
			if damage[beam] == nil && err == nil {
				t.Error("no error reports it")
			}
			c := mirrored(t, r, beam)
			if c.Current != was.Current || release(c, "1.1.0") != nil || c.Problem != nil {
				t.Errorf("current %q, 1.1.0 %+v, problem %v", c.Current, release(c, "1.1.0"), c.Problem)
			}
			mustServe(t, release(c, "1.0.0"))
			b.alter.Store(nil)
			mustServe(t, release(look(t, r, beam), "1.1.0"))
		})
	}
}

// If a version gets another digest, disappears, or loses statements, the mirror keeps the
// earlier state and reports the damage.
func TestRewrittenRegistry(t *testing.T) {
	everywhere(t, func(t *testing.T, address string) {
		r := open(t, address)
		publish(t, open(t, address), candidate(beam, "1.0.0"))
		publish(t, open(t, address), candidate(beam, "1.1.0"))
		set(t, open(t, address), "1.0.0", evidence.Revoked)
		was := look(t, r, beam)

		// A new registry at the same URL has the same names.
		fresh := address + "/fresh"
		other := candidate(beam, "1.1.0")
		other.Revision = "rewritten"
		publish(t, open(t, fresh), other)
		b := proxy(t, address)
		b.rename("/team/calc/", "/team/calc/fresh/")
		rewritten, err := r.At(b.address)
		if err != nil {
			t.Fatal(err)
		}
		damage, err := rewritten.Sync(t.Context())
		if err != nil || damage[beam] == nil {
			t.Fatalf("damage %v, error %v", damage, err)
		}
		for _, want := range []string{"version 1.1.0: the registry now has", "version 1.0.0: it is gone", "about version 1.0.0"} {
			if !strings.Contains(damage[beam].Error(), want) {
				t.Errorf("nothing about %q in: %v", want, damage[beam])
			}
		}
		c := mirrored(t, rewritten, beam)
		if c.Current != "1.1.0" || release(c, "1.1.0").Digest != release(was, "1.1.0").Digest || release(c, "1.0.0").Lifecycle.State != evidence.Revoked {
			t.Errorf("current %s, %+v", c.Current, c.Releases)
		}
		mustServe(t, release(c, "1.1.0"))

		empty := proxy(t, address)
		empty.rename("/team/calc/", "/nothing/")
		rewritten, err = r.At(empty.address)
		if err != nil {
			t.Fatal(err)
		}
		if damage, err := rewritten.Sync(t.Context()); err != nil || damage[beam] == nil || !strings.Contains(damage[beam].Error(), "gone from") {
			t.Errorf("damage %v, error %v", damage, err)
		}
	})
}

// A version that cannot be read does not prevent updates of other versions and of current.
func TestDamageElsewhereInACapability(t *testing.T) {
	address := servers["with a list of referrers"](t)
	b := proxy(t, address)
	r, publisher := open(t, b.address), open(t, address)
	publish(t, publisher, candidate(beam, "1.0.0"))
	broken := digest.FromBytes(candidate(beam, "1.0.0").Engines[here])
	alter := func(resp *http.Response) error {
		if strings.HasSuffix(resp.Request.URL.Path, "/blobs/"+broken.String()) {
			resp.Body = io.NopCloser(strings.NewReader("damaged"))
			resp.ContentLength = 7
			resp.Header.Del("Content-Length")
		}
		return nil
	}
	b.alter.Store(&alter)
	damage, err := r.Sync(t.Context())
	if err != nil || damage[beam] == nil || mirrored(t, r, beam).ID != "" {
		t.Errorf("alone: damage %v, error %v, %+v", damage, err, mirrored(t, r, beam))
	}
	for _, version := range []string{"1.1.0", "1.2.0"} {
		publish(t, publisher, candidate(beam, version))
		damage, err = r.Sync(t.Context())
		if err != nil || damage[beam] == nil {
			t.Errorf("damage %v, error %v", damage, err)
		}
		c := mirrored(t, r, beam)
		if c.Current != version || release(c, "1.0.0") != nil {
			t.Errorf("current %q of %d, want %s without 1.0.0", c.Current, len(c.Releases), version)
		}
	}
}

// A registry that requires a name and password gets them, and they appear nowhere else.
func TestCredentials(t *testing.T) {
	upstream := servers["without"](t)
	b := proxy(t, upstream)
	denied := func(r *http.Request) bool {
		user, password, ok := r.BasicAuth()
		return !ok || user != "author" || password != "secret-word"
	}
	b.demand.Store(&denied)
	for _, tt := range []struct {
		user, password string
		good           bool
	}{{"author", "secret-word", true}, {"author", "secret-wrong", false}, {"", "", false}} {
		t.Setenv("DOCKER_CONFIG", t.TempDir())
		r, err := remote.Open(b.address, t.TempDir(), &remote.Options{Username: tt.user, Password: tt.password})
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Sync(t.Context())
		if (err == nil) != tt.good || err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", tt.user, err)
		}
		if tt.good {
			publish(t, r, candidate(beam, "1.0.0"))
		}
	}
}
