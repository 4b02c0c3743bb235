package catalog

// View is a catalog for callers, with links and with the current availability.
type View struct {
	Catalog   *Catalog
	BaseURL   string              // for links
	Available func(*Release) bool // reports whether a release can be used now
}
