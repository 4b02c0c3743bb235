// Package apidocs serves the API reference for people at /docs/api. It is Swagger UI with the OpenAPI document, and
// loads everything from this server. [Routes] returns its routes.
//
// Swagger UI is not in the repository. scripts/node/assets puts it into the directory assets, and the build
// embeds it. Without it the package still builds, and the page shows how to get it.
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

	"github.com/slipstick/slipstick/host/internal/http/web"
)

//go:embed all:assets
var assets embed.FS

//go:embed page
var page embed.FS

// loaded are the files of this package that the page loads. dist are the files of Swagger UI.
var (
	loaded = []string{"start.js", "page.css"}
	dist   = []string{"swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png", "swagger-ui-bundle.js.LICENSE.txt", "LICENSE", "NOTICE"}
)

var reference = template.Must(template.ParseFS(page, "page/docs.html"))

// Routes returns the routes of the page at /docs/api and its files. The page shows the document at /openapi.json,
// which another package serves.
func Routes() []web.Route {
	files, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // the name is valid
	}
	return routes(files)
}

func routes(swagger fs.FS) []web.Route {
	own, err := fs.Sub(page, "page")
	if err != nil {
		panic(err) // the name is valid
	}
	files := map[string][]byte{}
	complete := add(files, swagger, dist)
	add(files, own, loaded)
	var html bytes.Buffer
	if err := reference.Execute(&html, complete); err != nil {
		panic(err) // the template takes any bool
	}
	return []web.Route{
		// The script of the page reads capability.
		{Method: http.MethodGet, Pattern: "/docs/api", Query: web.Query{Parameters: []web.Parameter{{Name: "capability"}}, Others: web.Foreign}, Handler: file("docs.html", html.Bytes())},
		{Method: http.MethodGet, Pattern: "/docs/api/", Query: web.Query{Others: web.Foreign}, Handler: below(files)},
	}
}

// add adds the named files, and reports whether it found all of them.
func add(files map[string][]byte, from fs.FS, names []string) (complete bool) {
	complete = true
	for _, name := range names {
		data, err := fs.ReadFile(from, name)
		if err != nil {
			complete = false
			continue
		}
		files[name] = data
	}
	return complete
}

// below answers requests for the files below /docs/api.
func below(files map[string][]byte) web.Handler {
	handlers := map[string]web.Handler{}
	for name, data := range files {
		handlers["/docs/api/"+name] = file(name, data)
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		if h, ok := handlers[r.URL.Path]; ok {
			return h(w, r)
		}
		setHeaders(w.Header())
		return web.NotFound(r)
	}
}

// setHeaders sets the headers of every answer of this package.
func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", web.PagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
}

// file serves one file that changes only with the program.
func file(name string, data []byte) web.Handler {
	sum := sha256.Sum256(data)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	return func(w http.ResponseWriter, r *http.Request) error {
		h := w.Header()
		setHeaders(h)
		h.Set("ETag", tag)
		h.Set("Cache-Control", "no-cache") // browsers ask every time, and 304 answers them
		if media, known := types[name]; known {
			h.Set("Content-Type", media)
		} else {
			h.Set("Content-Type", "text/plain; charset=utf-8")
		}
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
		return nil
	}
}

// types are the media types of files that are not plain text. The tables of the operating system are not used.
var types = map[string]string{
	"docs.html":            "text/html; charset=utf-8",
	"start.js":             "text/javascript; charset=utf-8",
	"swagger-ui-bundle.js": "text/javascript; charset=utf-8",
	"page.css":             "text/css; charset=utf-8",
	"swagger-ui.css":       "text/css; charset=utf-8",
	"favicon-32x32.png":    "image/png",
}
