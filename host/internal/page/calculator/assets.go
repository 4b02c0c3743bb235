package calculator

import (
	"embed"

	"github.com/slipstick/slipstick/host/internal/page/plot"
	"github.com/slipstick/slipstick/host/internal/page/site"
)

//go:embed assets
var scripts embed.FS

// Scripts of calculators, and of sheets without a form.
var (
	calculatorJS = site.MakeAsset("calculator", "js", site.ReadFrom(scripts, "read.js", "presets.js", "live.js", "rows.js", "units.js", "actions.js", "fold.js", "take.js", "print.js")+
		site.Read("kept.js")+site.ReadFrom(scripts, "remember.js")+plot.Script)
	sheetJS = site.MakeAsset("sheet", "js", site.ReadFrom(scripts, "actions.js", "fold.js", "take.js", "print.js")+plot.Script)
)

// Assets lists the scripts of this package's pages.
var Assets = []site.Asset{calculatorJS, sheetJS}
