// Package registry answers two questions: what has been published, and are these
// its bytes?
//
// A registry is a directory with one OCI image layout per capability, so that any
// OCI tool can read, copy and scan it:
//
//	<dir>/<capability_id>/oci-layout
//	                      index.json            tags: each version, and current
//	                      blobs/sha256/<hex>    manifests, Specs, engines, vectors, statements
//	                      ingest/               files being written
//
// A release is one manifest: its config is the Spec, its layers are the engine binary of
// each platform and the reference vectors. Statements about a release (conformance reports,
// reviews, signatures, lifecycle records) are further manifests, whose subject is the
// release.
//
// A published version never changes. It becomes visible by one rename of index.json, after
// every byte that it needs is on disk. After a crash at any point it is either completely
// there or not there at all. Every read compares the bytes with their digest.
//
// Package store writes bytes to disk, package evidence decides whether a statement counts,
// and package sign checks who signed it.
package registry
