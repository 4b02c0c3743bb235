package vary

import (
	"embed"

	"github.com/slipstick/slipstick/host/internal/page/site"
)

//go:embed assets
var shared embed.FS

// StudyCSS and VaryJS are for calculator pages that show [Studies].
var (
	StudyCSS = site.MakeAsset("study", "css", site.ReadFrom(shared, "vary.css", "compare.css"))
	VaryJS   = site.MakeAsset("vary", "js", site.ReadFrom(shared, "vary.js"))
)

// studiesCSS and goalJS are for the page of a study.
var (
	studiesCSS = site.MakeAsset("studies", "css", site.ReadFrom(shared, "studies.css"))
	goalJS     = site.MakeAsset("goal", "js", site.ReadFrom(shared, "goal.js"))
)

// Assets lists the assets of this package's pages.
var Assets = []site.Asset{StudyCSS, VaryJS, studiesCSS, goalJS}
