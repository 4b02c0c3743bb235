package web

import (
	"net/http"
	"net/url"
	"path"
	"strings"
)

// indexes are addresses without a page of their own, whose content is listed elsewhere:
// relative to them.
var indexes = map[string]string{"/calc": "./", "/calc/": "../"}

// withoutSlash returns where a request goes that has a slash too many at the end, or that
// asks for a list which is at another address. The query goes along. The target is
// relative, so that it holds behind a proxy that serves the service below a path.
func withoutSlash(mux *http.ServeMux, r *http.Request) (to string, ok bool) {
	if to, ok = indexes[r.URL.Path]; ok {
		return to + query(r.URL), true
	}
	if !strings.HasSuffix(r.URL.Path, "/") || r.URL.Path == "/" {
		return "", false
	}
	trimmed := strings.TrimSuffix(r.URL.EscapedPath(), "/")
	if _, pattern := mux.Handler(r); pattern != "/" {
		return "", false // the address with the slash exists
	}
	u, err := url.ParseRequestURI(trimmed)
	if err != nil {
		return "", false
	}
	other := &http.Request{Method: r.Method, Host: r.Host, URL: u}
	if _, pattern := mux.Handler(other); pattern == "/" {
		return "", false
	}
	return "../" + path.Base(trimmed) + query(r.URL), true
}

func query(u *url.URL) string {
	if u.RawQuery == "" {
		return ""
	}
	return "?" + u.RawQuery
}

// redirect answers that the address is another one, for good and for every method.
func redirect(to string) Handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Location", to)
		w.Header().Set("Cache-Control", "public, max-age=60")
		w.WriteHeader(http.StatusPermanentRedirect)
		return nil
	}
}
