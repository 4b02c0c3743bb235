package vary

import (
	"embed"

	"github.com/slipstick/slipstick/host/internal/page/about"
	"github.com/slipstick/slipstick/host/internal/page/site"
)

// Templates are the templates of this package's pages and of [Studies].
//
//go:embed templates
var Templates embed.FS

var templates = site.Parse(about.Templates, Templates)
