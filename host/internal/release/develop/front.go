package develop

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// Paths of the front. All other paths belong to the server of the engine.
const (
	scriptPath = "/dev/reload.js"
	stylePath  = "/dev/panel.css"
	waitPath   = "/dev/wait"
)

const (
	longestWait = 20 * time.Second // of a page for the next outcome
	startTime   = 10 * time.Second // for the server of the engine to listen
	maxPage     = 16 << 20         // bytes of a page that gets the panel
)

var (
	//go:embed front/reload.js
	script []byte
	//go:embed front/panel.css
	style []byte
	//go:embed front/panel.html
	panelSource string

	panel = template.Must(template.New("panel").Parse(panelSource))
)

// Front is the HTTP handler that an author opens. It passes requests on to the server of the engine, and adds a panel with
// the outcome of the last check to each page. The panel shows when a check starts, and the page loads again after each
// outcome. Without a server, each page is the panel.
type Front struct {
	proxy *httputil.ReverseProxy

	mu      sync.Mutex
	outcome outcome
	renewed chan struct{} // closed by the next check or outcome
}

// outcome is the outcome of a check.
type outcome struct {
	Number   int
	Checking bool // a later check runs
	Text     string
	Mistakes []string
	Good     bool
	Served   bool   // a server of an earlier or this outcome runs
	Page     string // path of the calculator; "" if there is none
}

// State returns the number of the outcome, with the suffix + during the next check.
func (o outcome) State() string {
	if o.Checking {
		return strconv.Itoa(o.Number) + "+"
	}
	return strconv.Itoa(o.Number)
}

// Class returns the class of the panel.
func (o outcome) Class() string {
	switch {
	case o.Checking:
		return "checking"
	case o.Good:
		return "good"
	}
	return "bad"
}

// NewFront returns a Front of the server at the address HOST:PORT.
func NewFront(server string) *Front {
	f := &Front{renewed: make(chan struct{}), outcome: outcome{Checking: true}}
	f.proxy = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: server})
			r.Out.Host = r.In.Host
			for _, name := range []string{"Accept-Encoding", "If-None-Match"} { // the panel changes pages
				r.Out.Header.Del(name)
			}
		},
		Transport:      &http.Transport{DialContext: dial, DisableKeepAlives: true, DisableCompression: true},
		FlushInterval:  -1,
		ModifyResponse: f.addPanel,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			f.writePanel(w, http.StatusBadGateway)
		},
	}
	return f
}

// dial connects to the server of the engine. It waits while the server starts.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			return c, nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// Check shows that a check starts. The next outcome ends it.
func (f *Front) Check() {
	f.renew(func(o outcome) outcome {
		o.Checking = true
		return o
	})
}

// Good shows that the engine conforms. The path is the page of the calculator.
func (f *Front) Good(text, path string) {
	f.renew(func(o outcome) outcome {
		return outcome{Number: o.Number + 1, Text: text, Good: true, Served: true, Page: path}
	})
}

// Bad shows that the check failed. If there are mistakes, the text is their heading.
func (f *Front) Bad(text string, mistakes ...string) {
	f.renew(func(o outcome) outcome {
		return outcome{Number: o.Number + 1, Text: text, Mistakes: mistakes, Served: o.Served, Page: o.Page}
	})
}

func (f *Front) renew(next func(outcome) outcome) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.outcome = next(f.outcome)
	close(f.renewed)
	f.renewed = make(chan struct{})
}

func (f *Front) last() (outcome, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.outcome, f.renewed
}

// ServeHTTP implements [http.Handler].
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o, _ := f.last()
	switch {
	case r.URL.Path == scriptPath:
		writeAsset(w, "text/javascript; charset=utf-8", script)
	case r.URL.Path == stylePath:
		writeAsset(w, "text/css; charset=utf-8", style)
	case r.URL.Path == waitPath:
		f.wait(w, r)
	case !o.Served:
		f.writePanel(w, http.StatusOK)
	default:
		f.proxy.ServeHTTP(w, r)
	}
}

func writeAsset(w http.ResponseWriter, media string, content []byte) {
	w.Header().Set("Content-Type", media)
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(content) // the client may have gone
}

// wait answers after the start or the outcome of the next check, or after some seconds. The query "after" has the state that
// the page shows. The answer is the last state.
func (f *Front) wait(w http.ResponseWriter, r *http.Request) {
	o, renewed := f.last()
	if r.URL.Query().Get("after") == o.State() {
		select {
		case <-renewed:
		case <-time.After(longestWait):
		case <-r.Context().Done():
		}
	}
	o, _ = f.last()
	writeAsset(w, "text/plain; charset=utf-8", []byte(o.State()))
}

// writePanel answers with a page that has only the panel.
func (f *Front) writePanel(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy", "default-src 'self'")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>slipstick dev</title></head>\n<body>%s</body>\n</html>\n", f.panel())
}

func (f *Front) panel() []byte {
	o, _ := f.last()
	var b bytes.Buffer
	err := panel.Execute(&b, o)
	if err != nil {
		return nil // the template of this package takes every outcome
	}
	return b.Bytes()
}

// addPanel adds the panel to a page.
func (f *Front) addPanel(r *http.Response) error {
	if r.Header.Get("Content-Type") != "text/html; charset=utf-8" || r.Request.Method == http.MethodHead {
		return nil
	}
	page, err := io.ReadAll(io.LimitReader(r.Body, maxPage))
	r.Body.Close()
	if err != nil {
		return err
	}
	start := bytes.Index(page, []byte("<body"))
	if start >= 0 {
		end := bytes.IndexByte(page[start:], '>') + start + 1
		page = bytes.Join([][]byte{page[:end], f.panel(), page[end:]}, nil)
	}
	r.Body = io.NopCloser(bytes.NewReader(page))
	r.ContentLength = int64(len(page))
	r.Header.Set("Content-Length", strconv.Itoa(len(page)))
	r.Header.Set("Cache-Control", "no-store")
	r.Header.Del("ETag")
	return nil
}
