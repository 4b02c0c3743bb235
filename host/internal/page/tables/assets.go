package tables

import (
	"embed"

	"github.com/slipstick/slipstick/host/internal/page/site"
)

//go:embed assets
var styles embed.FS

// manyCSS is the style sheet of the page that takes a table.
var manyCSS = site.MakeAsset("many", "css", site.ReadFrom(styles, "many.css"))

// Assets are the assets of these pages.
var Assets = []site.Asset{manyCSS}
