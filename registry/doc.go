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
// A release is one manifest: its config is the Spec, its layers are the engine
// binary of each platform and the reference vectors. What is said of it (conformance
// reports, reviews, signatures, where it is in its life) are further manifests that have
// the release as their subject.
//
// A published version never changes. It becomes visible by one rename of
// index.json, after every byte it needs is on disk; a crash at any point leaves it
// fully there or not there. Every read compares the bytes with their digest.
//
// How bytes get on disk is for package store, whether what is said of a release counts for
// package evidence, and who signed for package sign.
package registry
