package remote_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/remote"
)

// faults are the ways in which a repository fails to answer.
var faults = map[string]func(w http.ResponseWriter, r *http.Request, over <-chan struct{}){
	"403": func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		http.Error(w, "no", http.StatusForbidden)
	},
	"500": func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		http.Error(w, "no", http.StatusInternalServerError)
	},
	"hangs": func(_ http.ResponseWriter, r *http.Request, over <-chan struct{}) {
		select {
		case <-over:
		case <-r.Context().Done():
		}
	},
	"drips": func(w http.ResponseWriter, r *http.Request, over <-chan struct{}) {
		w.Header().Set("Content-Type", "application/json")
		for fmt.Fprint(w, `{"name":"x","tags":[`); ; fmt.Fprint(w, " ") {
			_ = http.NewResponseController(w).Flush()
			select {
			case <-over:
				return
			case <-r.Context().Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	},
}

// breaks makes the requests fail for which match is true.
func (b *between) breaks(t *testing.T, fault string, match func(path string) bool) {
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	instead := func(w http.ResponseWriter, r *http.Request) bool {
		if !match(r.URL.Path) {
			return false
		}
		faults[fault](w, r, over)
		return true
	}
	b.instead.Store(&instead)
}

// follow looks as a server does until the state is good.
func follow(t *testing.T, r *remote.Registry, capability string, good func(registry.Capability, map[string]error, error) bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		damage, err := r.SyncFor(t.Context(), 250*time.Millisecond)
		c := mirrored(t, r, capability)
		if good(c, damage, err) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("current %q of %d, damage %v, error %v", c.Current, len(c.Releases), damage, err)
		}
	}
}

// A repository that refuses, fails, hangs or drips does not affect others, and a reader
// without a mirror starts with the readable ones.
func TestFailingRepositoryDelaysNoOther(t *testing.T) {
	for fault := range faults {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			address := dockerRegistry(t)
			publish(t, open(t, address), candidate(beam, "1.0.0"))
			publish(t, open(t, address), candidate(cable, "1.0.0"))
			b := proxy(t, address)
			r := open(t, b.address)
			look(t, r, beam)
			b.breaks(t, fault, func(path string) bool { return strings.Contains(path, "/"+cable+"/") })
			publish(t, open(t, address), candidate(beam, "1.1.0"))
			follow(t, r, beam, func(c registry.Capability, _ map[string]error, err error) bool {
				return c.Current == "1.1.0" && err == nil
			})
			set(t, open(t, address), "1.1.0", evidence.Revoked)
			follow(t, r, beam, func(c registry.Capability, damage map[string]error, err error) bool {
				return release(c, "1.1.0").Lifecycle.State == evidence.Revoked && c.Current == "1.0.0" && damage[beam] == nil
			})
			mustServe(t, release(mirrored(t, r, cable), "1.0.0")) // the earlier version stays

			fresh := open(t, b.address)
			damage, err := fresh.Sync(t.Context())
			if err != nil || damage[cable] == nil || damage[beam] != nil {
				t.Errorf("a look without a mirror: damage %v, error %v", damage, err)
			}
			mustServe(t, release(mirrored(t, fresh, beam), "1.0.0"))
			follow(t, r, beam, func(_ registry.Capability, damage map[string]error, _ error) bool {
				return damage[cable] != nil && damage[beam] == nil
			})
			b.instead.Store(nil)
			follow(t, r, cable, func(_ registry.Capability, damage map[string]error, err error) bool {
				return len(damage) == 0 && err == nil
			})
		})
	}
}

// If the list of capabilities cannot be read, the known ones are still followed.
func TestFailingListDelaysNoCapability(t *testing.T) {
	for fault := range faults {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			address := servers["with a list of referrers"](t)
			publish(t, open(t, address), candidate(beam, "1.0.0"))
			b := proxy(t, address)
			r := open(t, b.address)
			look(t, r, beam)
			b.breaks(t, fault, func(path string) bool { return strings.HasPrefix(path, "/v2/team/calc/tags/") })
			publish(t, open(t, address), candidate(beam, "1.1.0"))
			follow(t, r, beam, func(c registry.Capability, _ map[string]error, _ error) bool { return c.Current == "1.1.0" })
			follow(t, r, beam, func(_ registry.Capability, damage map[string]error, err error) bool {
				return err != nil && damage != nil && damage[beam] == nil
			})
		})
	}
}

// If many repositories fail, goroutines do not pile up, and the others still have their turn.
func TestManyRepositoriesHang(t *testing.T) {
	const hung = 20
	address := servers["with a list of referrers"](t)
	d, err := open(t, address).Draft(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for i := range hung + 1 {
		c := candidateOf(fmt.Sprintf("%s.n%d", cable, i), "1.0.0")
		if i == hung {
			c = candidate(beam, "1.0.0")
		}
		if _, err := d.Registry().Publish(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if err := d.Push(t.Context(), c.Spec.Capability); err != nil {
			t.Fatal(err)
		}
	}
	b := proxy(t, address)
	b.breaks(t, "hangs", func(path string) bool { return strings.Contains(path, "/"+cable+".n") })
	r := open(t, b.address)
	before := runtime.NumGoroutine()
	follow(t, r, beam, func(c registry.Capability, _ map[string]error, _ error) bool { return c.Current == "1.0.0" })
	most := 0
	for range 40 {
		if _, err := r.SyncFor(t.Context(), 10*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		most = max(most, runtime.NumGoroutine())
	}
	if most-before > hung*12 { // a request has some at both ends and in the proxy
		t.Errorf("%d goroutines for %d repositories", most-before, hung)
	}
}

// A listing without an end is refused long before it fills memory.
func TestEndlessListings(t *testing.T) {
	var pages, sent atomic.Int64
	page := []byte(`{"name":"x","tags":["` + strings.Repeat(`9.9.9-aaaa","`, 99999) + `9.9.9"]}`)
	address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/tags/list") {
			http.NotFound(w, r)
			return
		}
		n := pages.Add(1)
		w.Header().Set("Link", fmt.Sprintf("<%s?last=%d>; rel=\"next\"", r.URL.Path, n))
		written, _ := w.Write(page)
		sent.Add(int64(written))
	}))
	r := open(t, address)
	_, err := r.Sync(t.Context())
	if err == nil || !strings.Contains(err.Error(), "bytes of tags") {
		t.Errorf("error = %v", err)
	}
	if pages.Load() > 2 {
		t.Errorf("%d pages were read", pages.Load())
	}
	t.Logf("refused after %d pages, %d bytes", pages.Load(), sent.Load())
}

// elsewhere is a server that must not get requests; it counts the requests and passwords.
func elsewhere(t *testing.T, answer http.HandlerFunc) (host string, asked *atomic.Int64, passwords *atomic.Int64) {
	asked, passwords = new(atomic.Int64), new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Header.Get("Authorization") != "" {
			passwords.Add(1)
		}
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String(), asked, passwords
}

func openAs(t *testing.T, address string, o *remote.Options) *remote.Registry {
	t.Helper()
	r, err := remote.Open(address, t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Redirects are followed on the same server. Other servers need permission of the operator,
// and never get the password.
func TestRedirects(t *testing.T) {
	address := servers["with a list of referrers"](t)
	publish(t, open(t, address), candidate(beam, "1.0.0"))
	b := proxy(t, address)
	host, _, _ := strings.Cut(strings.TrimPrefix(address, remote.Scheme), "/")
	upstream := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: host})
	other, asked, passwords := elsewhere(t, func(w http.ResponseWriter, r *http.Request) {
		upstream.ServeHTTP(w, r)
	})
	target := other
	instead := func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.URL.Path, "/blobs/") || r.URL.Query().Has("again") {
			return false
		}
		http.Redirect(w, r, "http://"+target+r.URL.Path+"?again", http.StatusTemporaryRedirect)
		return true
	}
	b.instead.Store(&instead)
	damage, err := openAs(t, b.address, nil).Sync(t.Context())
	if err != nil || damage[beam] == nil || !strings.Contains(damage[beam].Error(), "--registry-redirect "+other) || asked.Load() != 0 {
		t.Errorf("elsewhere: damage %v, error %v; it was asked %d times", damage, err, asked.Load())
	}
	damage, err = openAs(t, b.address, &remote.Options{RedirectHosts: []string{other}, Username: "author", Password: "secret"}).Sync(t.Context())
	if err != nil || len(damage) > 0 || asked.Load() == 0 || passwords.Load() != 0 {
		t.Errorf("allowed: damage %v, error %v; it was asked %d times, %d with a password", damage, err, asked.Load(), passwords.Load())
	}
	target = strings.Split(strings.TrimPrefix(b.address, remote.Scheme), "/")[0]
	damage, err = openAs(t, b.address, nil).Sync(t.Context())
	if err != nil || len(damage) > 0 {
		t.Errorf("at the same host: damage %v, error %v", damage, err)
	}
}

// A token server other than the registry gets no password, unless the operator has allowed it.
func TestRealmElsewhere(t *testing.T) {
	address := servers["with a list of referrers"](t)
	publish(t, open(t, address), candidate(beam, "1.0.0"))
	b := proxy(t, address)
	other, asked, passwords := elsewhere(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"token":"good"}`)
	})
	instead := func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") == "Bearer good" {
			return false
		}
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="http://%s/token",service="x"`, other))
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}
	b.instead.Store(&instead)
	who := remote.Options{Username: "author", Password: "secret"}
	_, err := openAs(t, b.address, &who).Sync(t.Context())
	if err == nil || !strings.Contains(err.Error(), "--registry-auth "+other) || asked.Load() != 0 {
		t.Errorf("error %v; it was asked %d times", err, asked.Load())
	}
	who.RedirectHosts = []string{other} // which does not allow it to get a password
	if _, err := openAs(t, b.address, &who).Sync(t.Context()); err == nil || asked.Load() != 0 {
		t.Errorf("error %v; it was asked %d times", err, asked.Load())
	}
	who.AuthHosts = []string{strings.ToUpper(other)}
	if damage, err := openAs(t, b.address, &who).Sync(t.Context()); err != nil || len(damage) > 0 || passwords.Load() == 0 {
		t.Errorf("allowed: damage %v, error %v; %d passwords", damage, err, passwords.Load())
	}
}
