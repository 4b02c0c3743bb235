package web

import (
	"net/http"
	"net/url"
	"path"
	"strings"
)

// indexes maps URLs without a page to the relative URL of the list of their content.
var indexes = map[string]string{"/calc": "./", "/calc/": "../", "/docs/": "../docs", "/docs/api/": "../api"}

// withoutSlash returns the redirect target of a request with a superfluous slash at the end, or for a list at
// another URL. It keeps the query. The target is relative, so that it also works if a proxy serves the service
// below a path.
func withoutSlash(mux *http.ServeMux, r *http.Request) (to string, ok bool) {
	to, ok = indexes[r.URL.Path]
	if ok {
		return to + query(r.URL), true
	}
	if !strings.HasSuffix(r.URL.Path, "/") || r.URL.Path == "/" {
		return "", false
	}
	trimmed := strings.TrimSuffix(r.URL.EscapedPath(), "/")
	if _, pattern := mux.Handler(r); pattern != "/" {
		return "", false // the URL with the slash exists
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

// redirect returns a Handler that redirects permanently and keeps the method (308).
func redirect(to string) Handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Location", to)
		w.Header().Set("Cache-Control", "public, max-age=60")
		w.WriteHeader(http.StatusPermanentRedirect)
		return nil
	}
}
