// Package registry stores published versions of calculations, and reads them back verified. Use it
// to publish engines, or to serve or examine what others have published. [Open] opens a registry,
// and [Registry.Publish] adds a version. [Registry.Capabilities] reads everything once; a
// [Follower] also follows changes. A version that must not run has an error in [Release.Problem],
// and does not affect others.
//
// A registry is a directory with one OCI image layout per capability, so that any OCI tool can
// read, copy and scan it:
//
//	<dir>/<capability_id>/oci-layout
//	                      index.json            tags: each version, and current
//	                      blobs/sha256/<hex>    manifests, Specs, engines, vectors, statements
//	                      ingest/               files being written
//
// A release is one manifest. Its config is the Spec; its layers are the engine binary of each
// platform and the reference vectors. A text engine has a runtime for each platform and a document
// instead. The layout .shared has each runtime once for all capabilities. Statements about a
// release are further manifests, and their subject is the release: conformance reports, reviews,
// signatures and lifecycle records.
//
// A published version never changes. It becomes visible by one rename of index.json, after every
// byte that it needs is on disk. After a crash at any point the version is either complete or
// absent. Every read compares the bytes with their digest.
//
// Package store writes bytes to disk, package evidence decides whether a statement counts, and
// package sign checks who signed it. Package remote does the same for an OCI registry at a URL.
package registry
