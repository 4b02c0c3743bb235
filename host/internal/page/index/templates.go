package index

import (
	"embed"

	"github.com/slipstick/slipstick/host/internal/page/site"
)

//go:embed templates
var sources embed.FS

var templates = site.Parse(sources)
