package tables

import (
	"embed"

	"github.com/slipstick/slipstick/host/internal/page/site"
)

//go:embed assets
var styles embed.FS

// manyCSS is the style sheet of the page for many rows.
var manyCSS = site.MakeAsset("many", "css", site.ReadFrom(styles, "many.css"))

// Assets lists the style sheets of this package's pages.
var Assets = []site.Asset{manyCSS}
