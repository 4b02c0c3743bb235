// Package registry answers one question: what has been published, and are these its bytes? Use
// [Open] to open a registry, [Registry.Publish] to add a version, [Registry.Capabilities] to
// read everything, and a [Follower] to follow changes.
//
// A registry is a directory with one OCI image layout per capability, so that any
// OCI tool can read, copy and scan it:
//
//	<dir>/<capability_id>/oci-layout
//	                      index.json            tags: each version, and current
//	                      blobs/sha256/<hex>    manifests, Specs, engines, vectors, statements
//	                      ingest/               files being written
//
// A release is one manifest. Its config is the Spec; its layers are the engine binary of each
// platform and the reference vectors. A text engine has a runtime for each platform and a
// document instead. The layout .shared has each runtime once for all capabilities. Statements about a release are further manifests, and
// their subject is the release: conformance reports, reviews, signatures and lifecycle
// records.
//
// A published version never changes. It becomes visible by one rename of index.json, after
// every byte that it needs is on disk. After a crash at any point the version is either
// complete or absent. Every read compares the bytes with their digest.
//
// Package store writes bytes to disk, package evidence decides whether a statement counts,
// and package sign checks who signed it.
package registry
