package calculator

import (
	"embed"

	"github.com/slipstick/slipstick/host/internal/page/about"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/trust"
	"github.com/slipstick/slipstick/host/internal/page/vary"
)

//go:embed templates
var sources embed.FS

var templates = site.Parse(about.Templates, trust.Templates, vary.Templates, sources)
