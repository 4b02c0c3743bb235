package site

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/formula"
	"github.com/slipstick/slipstick/host/internal/page/plot"
)

//go:embed assets
var shared embed.FS

// Asset is a file that pages load. Its name holds the hash of its bytes, so it may be
// kept for ever.
type Asset struct {
	name, media string
	data        []byte
}

// The assets of all pages, in the order in which one names another. There is one style sheet for
// all, because most pages need most of it.
var (
	ruleSVG  = MakeAsset("rule", "svg", Read("rule.svg"))
	iconSVG  = MakeAsset("slipstick", "svg", Read("icon.svg"))
	fontData = MakeAsset("formula", "woff2", formula.Font)
	styleCSS = MakeAsset("slipstick", "css", strings.NewReplacer("rule.svg", ruleSVG.name, "formula.woff2", fontData.name).Replace(
		Read("base.css", "index.css", "form.css", "presets.css", "sheet.css", "tables.css", "units.css", "find.css", "take.css", "embed.css", "print.css")+formula.CSS+plot.CSS))

	Assets = []Asset{ruleSVG, iconSVG, fontData, styleCSS}
)

var mediaTypes = map[string]string{
	"svg":   "image/svg+xml",
	"css":   "text/css; charset=utf-8",
	"js":    "text/javascript; charset=utf-8",
	"woff2": "font/woff2",
}

// MakeAsset returns an asset with the text. The kind is the ending of its name.
func MakeAsset(name, kind, text string) Asset {
	sum := sha256.Sum256([]byte(text))
	return Asset{name + "-" + hex.EncodeToString(sum[:8]) + "." + kind, mediaTypes[kind], []byte(text)}
}

// Read returns files of this package, one after the other.
func Read(names ...string) string { return ReadFrom(shared, names...) }

// ReadFrom returns files of the folder assets, one after the other.
func ReadFrom(source embed.FS, names ...string) string {
	var b strings.Builder
	for _, name := range names {
		data, err := source.ReadFile("assets/" + name)
		if err != nil {
			panic(err) // it is embedded
		}
		b.Write(data)
	}
	return b.String()
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
	h.Set("Content-Length", strconv.Itoa(len(a.data)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(a.data) // a caller who has left needs no answer
	}
	return nil
}
