package page

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/formula"
	"github.com/slipstick/slipstick/host/internal/plot"
)

//go:embed assets
var files embed.FS

// asset is a file that pages load. Its name holds the hash of its bytes, so it may be
// kept for ever.
type asset struct {
	name, media string
	data        []byte
}

// The assets, in the order in which one names another.
var (
	ruleSVG  = makeAsset("rule", "svg", read("rule.svg"))
	iconSVG  = makeAsset("slipstick", "svg", read("icon.svg"))
	styleCSS = makeAsset("slipstick", "css", strings.NewReplacer("rule.svg", ruleSVG.name).Replace(
		read("base.css", "index.css", "form.css", "sheet.css", "print.css")+formula.CSS+plot.CSS))
	indexJS      = makeAsset("index", "js", read("index.js"))
	calculatorJS = makeAsset("calculator", "js", read("read.js", "live.js", "actions.js")+plot.Script)
	sheetJS      = makeAsset("sheet", "js", read("actions.js")+plot.Script)

	byName = assetsByName(ruleSVG, iconSVG, styleCSS, indexJS, calculatorJS, sheetJS)
)

var mediaTypes = map[string]string{
	"svg": "image/svg+xml",
	"css": "text/css; charset=utf-8",
	"js":  "text/javascript; charset=utf-8",
}

func makeAsset(name, kind, text string) asset {
	sum := sha256.Sum256([]byte(text))
	return asset{name + "-" + hex.EncodeToString(sum[:8]) + "." + kind, mediaTypes[kind], []byte(text)}
}

// read returns the embedded files, one after the other.
func read(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		data, err := files.ReadFile("assets/" + name)
		if err != nil {
			panic(err) // it is embedded
		}
		b.Write(data)
	}
	return b.String()
}

func assetsByName(assets ...asset) map[string]asset {
	m := map[string]asset{}
	for _, a := range assets {
		m[a.name] = a
	}
	return m
}

// getAsset answers GET /assets/{name}.
func getAsset(w http.ResponseWriter, r *http.Request) {
	a, ok := byName[r.PathValue("name")]
	if !ok {
		w.Header().Set("Cache-Control", "no-store")
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.media)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(a.data)))
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(a.data) // a caller who has left needs no answer
}
