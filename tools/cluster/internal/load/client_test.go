package load

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Each kind of wrong answer gives its own kind of failure.
func TestClientDetectsWrongAnswers(t *testing.T) {
	const good = `{"result":{"product":14},"calculation_version":"2.0.0"}`
	for _, tt := range []struct {
		name, version string
		status        int
		body, digest  string
		want          Kind
	}{
		{"right", "2.0.0", 200, good, "sha256:b", ""},
		{"right without a pin", "", 200, good, "sha256:b", ""},
		{"another number", "2.0.0", 200, strings.Replace(good, "14", "15", 1), "sha256:b", WrongNumber},
		{"the number of another version", "2.0.0", 200, strings.Replace(good, "14", "7", 1), "sha256:b", WrongNumber},
		{"another version", "1.0.0", 200, good, "sha256:b", WrongVersion},
		{"not the current version", "", 200, `{"result":{"product":7},"calculation_version":"1.0.0"}`, "sha256:a", WrongVersion},
		{"the digest of another version", "2.0.0", 200, good, "sha256:a", WrongVersion},
		{"no JSON", "2.0.0", 200, "<html>", "sha256:b", WrongRecord},
		{"unavailable", "2.0.0", 503, "", "", Refused},
		{"a served version is refused", "2.0.0", 409, "", "", Refused},
		{"a revoked version is answered", "3.0.0", 200, `{"result":{"product":21},"calculation_version":"3.0.0"}`, "sha256:c", WrongVersion},
		{"a revoked version is refused", "3.0.0", 409, "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Slipstick-Engine-Digest", tt.digest)
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.body)
			})
			_, err := c.calculate(t.Context(), tt.version, 7)
			if got := kindOf(err); got != tt.want {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// The kind of a failure depends on the time when the connection broke. The client does not send the call again.
func TestBrokenConnections(t *testing.T) {
	for _, tt := range []struct {
		name string
		cut  func(w http.ResponseWriter, call int)
		want []Kind
	}{
		{"before the first answer", func(http.ResponseWriter, int) { panic(http.ErrAbortHandler) }, []Kind{Broken, Broken}},
		{"instead of a second answer", func(w http.ResponseWriter, call int) {
			if call > 1 {
				panic(http.ErrAbortHandler)
			}
			fmt.Fprint(w, `{"result":{"product":7},"calculation_version":"1.0.0"}`)
		}, []Kind{"", ClosedBetween}},
		{"within an answer", func(w http.ResponseWriter, _ int) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, `{"result"`)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, []Kind{Cut, Cut}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var calls atomic.Int64
			c := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
				call := calls.Add(1)
				w.Header().Set("Slipstick-Engine-Digest", "sha256:a")
				tt.cut(w, int(call))
			})
			for i, want := range tt.want {
				if _, err := c.calculate(t.Context(), "1.0.0", 7); kindOf(err) != want {
					t.Errorf("call %d: %v, want %q", i, err, want)
				}
			}
			if n := int(calls.Load()); n != len(tt.want) {
				t.Errorf("%d requests came of %d calls", n, len(tt.want))
			}
		})
	}
}

// The client does not use a connection that the server has closed in the meantime.
func TestClientChecksConnection(t *testing.T) {
	var server *httptest.Server
	c := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Slipstick-Engine-Digest", "sha256:a")
		fmt.Fprint(w, `{"result":{"product":7},"calculation_version":"1.0.0"}`)
	}, &server)
	for range 3 {
		if _, err := c.calculate(t.Context(), "1.0.0", 7); err != nil {
			t.Fatal(err)
		}
		server.CloseClientConnections()
		for !c.conn.closed() { // wait until the client sees the end of the connection
			time.Sleep(time.Millisecond)
		}
	}
}

func TestBatchIsCounted(t *testing.T) {
	for _, tt := range []struct {
		rows int
		last string
		want Kind
	}{
		{3, "", ""},
		{2, "", Cut},
		{3, `{"status":"error"}`, Refused},
		{3, `{"result":{"product":9},"calculation_version":"1.0.0"}`, WrongNumber},
	} {
		c := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
			for x := range tt.rows {
				line := fmt.Sprintf(`{"result":{"product":%d},"calculation_version":"1.0.0"}`, x+1)
				if x == tt.rows-1 && tt.last != "" {
					line = tt.last
				}
				fmt.Fprintln(w, line)
			}
		})
		if err := c.batch(t.Context(), "1.0.0", 3); kindOf(err) != tt.want {
			t.Errorf("%d rows, the last %q: %v, want %q", tt.rows, tt.last, err, tt.want)
		}
	}
}

func kindOf(err error) Kind {
	if f, ok := err.(*Failure); ok {
		return f.Kind
	}
	return ""
}

func clientOf(t *testing.T, h http.HandlerFunc, to ...**httptest.Server) *client {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = nil
	server.Start()
	t.Cleanup(server.Close)
	for _, place := range to {
		*place = server
	}
	truth := NewTruth()
	for version, digest := range map[string]string{"1.0.0": "sha256:a", "2.0.0": "sha256:b", "3.0.0": "sha256:c"} {
		truth.Publish(version, digest)
		truth.Set(version, Served)
	}
	truth.Set("3.0.0", Revoked)
	truth.SetCurrent("2.0.0")
	c := &client{
		load: &Load{truth: truth, patience: 5 * time.Second}, addr: netip.MustParseAddr("127.0.0.1"),
		target: netip.MustParseAddrPort(server.Listener.Addr().String()),
	}
	t.Cleanup(c.leave)
	return c
}
