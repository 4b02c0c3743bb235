package site

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/formula"
	"github.com/slipstick/slipstick/host/internal/page/plot"
)

//go:embed assets
var shared embed.FS

// Asset is a file that pages load. Its name has the hash of its bytes, so caches may keep it forever.
type Asset struct {
	name, media, text string
}

// Assets of all pages. An asset comes after the assets that it names. All pages share one style sheet, because most pages
// need most of it.
var (
	ruleSVG  = MakeAsset("rule", "svg", Read("rule.svg"))
	iconSVG  = MakeAsset("slipstick", "svg", Read("icon.svg"))
	fontData = MakeAsset("formula", "woff2", formula.Font)
	styleCSS = MakeAsset("slipstick", "css", strings.NewReplacer("rule.svg", ruleSVG.name, "formula.woff2", fontData.name).Replace(
		Read("base.css", "index.css", "form.css", "presets.css", "sheet.css", "tables.css", "units.css", "find.css", "take.css", "embed.css", "print.css")+formula.CSS+plot.CSS))

	// RememberedJS is for pages without a form of a calculator. Their main element has the shown units in data-units.
	RememberedJS = MakeAsset("remembered", "js", Read("remembered.js"))

	Assets = []Asset{ruleSVG, iconSVG, fontData, styleCSS, RememberedJS}
)

var mediaTypes = map[string]string{
	"svg":   "image/svg+xml",
	"css":   "text/css; charset=utf-8",
	"js":    "text/javascript; charset=utf-8",
	"woff2": "font/woff2",
}

// MakeAsset returns an asset with the text. The kind is the extension of its name.
func MakeAsset(name, kind, text string) Asset {
	sum := sha256.Sum256([]byte(text))
	return Asset{name + "-" + hex.EncodeToString(sum[:8]) + "." + kind, mediaTypes[kind], text}
}

// Read returns the joined text of files in this package's folder assets.
func Read(names ...string) string { return ReadFrom(shared, names...) }

// ReadFrom returns the joined text of files in the folder assets.
func ReadFrom(source embed.FS, names ...string) string {
	texts := make([]string, len(names))
	for i, name := range names {
		data, err := source.ReadFile("assets/" + name)
		if err != nil {
			panic(err) // go:embed guarantees the file
		}
		texts[i] = string(data)
	}
	return strings.Join(texts, "")
}

// AssetRoute serves the assets of all packages.
func AssetRoute(lists ...[]Asset) web.Route {
	byName := map[string]Asset{}
	for _, list := range lists {
		for _, a := range list {
			byName[a.name] = a
		}
	}
	return web.Route{Method: http.MethodGet, Pattern: "/assets/{name}", Query: ForeignQuery, Handler: func(w http.ResponseWriter, r *http.Request) error {
		a, ok := byName[r.PathValue("name")]
		if !ok {
			return web.NotFound(r)
		}
		return a.write(w, r)
	}}
}

// write answers GET /assets/{name}.
func (a *Asset) write(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Content-Type", a.media)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(a.text)))
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, a.text) // a client that has disconnected needs no answer
	}
	return nil
}
