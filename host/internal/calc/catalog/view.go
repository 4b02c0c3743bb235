package catalog

// View is a catalog as callers see it: with links, and with what can be used now.
type View struct {
	Catalog   *Catalog
	BaseURL   string              // of links
	Available func(*Release) bool // whether a release can be used now
}
