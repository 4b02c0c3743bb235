package page

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
	fontData = makeAsset("formula", "woff2", formula.Font)
	styleCSS = makeAsset("slipstick", "css", strings.NewReplacer("rule.svg", ruleSVG.name, "formula.woff2", fontData.name).Replace(
		read("base.css", "index.css", "form.css", "presets.css", "sheet.css", "tables.css", "units.css", "find.css", "take.css", "embed.css", "print.css")+formula.CSS+plot.CSS))
	indexJS      = makeAsset("index", "js", read("index.js", "kept.js", "kept-list.js"))
	calculatorJS = makeAsset("calculator", "js", read("read.js", "presets.js", "live.js", "rows.js", "units.js", "actions.js", "take.js", "print.js", "kept.js", "remember.js")+plot.Script)
	sheetJS      = makeAsset("sheet", "js", read("actions.js", "take.js", "print.js")+plot.Script)
	studyCSS     = makeAsset("study", "css", read("vary.css", "compare.css"))
	varyJS       = makeAsset("vary", "js", read("vary.js"))
	manyCSS      = makeAsset("many", "css", read("many.css"))
	studiesCSS   = makeAsset("studies", "css", read("studies.css"))

	byName = assetsByName(studiesCSS, ruleSVG, iconSVG, fontData, styleCSS, indexJS, calculatorJS, sheetJS, studyCSS, varyJS, manyCSS)
)

var mediaTypes = map[string]string{
	"svg":   "image/svg+xml",
	"css":   "text/css; charset=utf-8",
	"js":    "text/javascript; charset=utf-8",
	"woff2": "font/woff2",
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
func getAsset(w http.ResponseWriter, r *http.Request) error {
	a, ok := byName[r.PathValue("name")]
	if !ok {
		return web.NotFound(r)
	}
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
