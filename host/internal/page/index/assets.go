package index

import (
	"embed"

	"github.com/slipstick/slipstick/host/internal/page/site"
)

//go:embed assets
var scripts embed.FS

// indexJS is the script of the lists of calculators.
var indexJS = site.MakeAsset("index", "js", site.ReadFrom(scripts, "index.js")+site.Read("kept.js")+site.ReadFrom(scripts, "kept-list.js"))

// Assets lists the scripts of this package's pages.
var Assets = []site.Asset{indexJS}
