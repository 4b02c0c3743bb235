package docs

import (
	"embed"

	"github.com/slipstick/slipstick/host/internal/page/site"
)

//go:embed assets
var styles embed.FS

var styleCSS = site.MakeAsset("docs", "css", site.ReadFrom(styles, "docs.css"))

// Assets lists the style sheets of this package's pages.
var Assets = []site.Asset{styleCSS}

//go:embed templates
var sources embed.FS

var templates = site.Parse(sources)
