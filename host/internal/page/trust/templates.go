package trust

import (
	"embed"

	"github.com/slipstick/slipstick/host/internal/page/site"
)

// Templates are the templates of this package's pages and of a [Summary].
//
//go:embed templates
var Templates embed.FS

var templates = site.Parse(Templates)
