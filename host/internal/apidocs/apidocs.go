// Package apidocs serves the API reference: Swagger UI, from this host alone, over the
// OpenAPI document.
//
// Swagger UI is not in the repository. scripts/node/assets puts it into the directory
// assets, from where it is embedded; without it the package builds all the same, and
// the page says what to do.
package apidocs

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"io/fs"
	"net/http"
	"time"
)

//go:embed all:assets
var assets embed.FS

//go:embed page
var page embed.FS

// own are the files of this package that the page loads, dist those of Swagger UI.
var (
	own  = []string{"start.js", "page.css"}
	dist = []string{"swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png", "swagger-ui-bundle.js.LICENSE.txt", "LICENSE", "NOTICE"}
)

var reference = template.Must(template.ParseFS(page, "page/docs.html"))

// policy lets the page load and call nothing but this host, and run no inline script
// or style.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

// Handler serves the page at /docs and its files below. The page shows the document at
// /openapi.json, which is not served here.
func Handler() http.Handler {
	files, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // the name is a valid one
	}
	return handler(files)
}

func handler(swagger fs.FS) http.Handler {
	mux := http.NewServeMux()
	complete := serveFiles(mux, swagger, dist)
	pages, err := fs.Sub(page, "page")
	if err != nil {
		panic(err) // the name is a valid one
	}
	serveFiles(mux, pages, own)
	var html bytes.Buffer
	if err := reference.Execute(&html, complete); err != nil {
		panic(err) // the template takes any bool
	}
	mux.Handle("GET /docs", file("docs.html", html.Bytes()))
	mux.HandleFunc("GET /docs/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "../docs") // relative, so that it holds behind a prefix
		w.WriteHeader(http.StatusPermanentRedirect)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		mux.ServeHTTP(w, r)
	})
}

// serveFiles serves the named files, and reports whether all of them are there.
func serveFiles(mux *http.ServeMux, from fs.FS, names []string) (complete bool) {
	complete = true
	for _, name := range names {
		data, err := fs.ReadFile(from, name)
		if err != nil {
			complete = false
			continue
		}
		mux.Handle("GET /docs/"+name, file(name, data))
	}
	return complete
}

// file serves one file that changes only with the program.
func file(name string, data []byte) http.Handler {
	sum := sha256.Sum256(data)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("ETag", tag)
		h.Set("Cache-Control", "no-cache") // ask, and be told by 304
		if media, known := types[name]; known {
			h.Set("Content-Type", media)
		} else {
			h.Set("Content-Type", "text/plain; charset=utf-8")
		}
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
	})
}

// types are the media types of files that are no plain text; the machine's own table
// is not asked.
var types = map[string]string{
	"docs.html":            "text/html; charset=utf-8",
	"start.js":             "text/javascript; charset=utf-8",
	"swagger-ui-bundle.js": "text/javascript; charset=utf-8",
	"page.css":             "text/css; charset=utf-8",
	"swagger-ui.css":       "text/css; charset=utf-8",
	"favicon-32x32.png":    "image/png",
}
