package about

import "embed"

// Templates show [Formula] and [Facts].
//
//go:embed templates
var Templates embed.FS
