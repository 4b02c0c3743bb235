// Package mediatype has the OCI media types by which readers distinguish the parts of a release.
// Use it to find an engine, a Spec or a statement with an OCI tool or library. A release is an
// artifact of type [Release]. Its config is a [Spec] or a [Table], and statements about it are
// artifacts for which [IsRecord] is true. The types are part of published releases and never
// change.
package mediatype

import "strings"

// Types in the OCI format. They are part of published releases: a changed format needs a new
// name.
const (
	Release     = "application/vnd.slipstick.release.v1"           // artifact: a release
	Spec        = "application/vnd.slipstick.spec.v1+json"         // its config
	Engine      = "application/vnd.slipstick.engine.v1"            // a layer per platform
	Runtime     = "application/vnd.slipstick.runtime.v1"           // a layer per platform of a text engine, in place of Engine
	Document    = "application/vnd.slipstick.document.v1+markdown" // a layer of a text engine: its document
	VectorsFile = "application/vnd.slipstick.vectors.v1+csv"       // a layer of a text engine, if its document names a file of vectors
	Closure     = "application/vnd.slipstick.closure.v1+json"      // a layer of a text engine, if its document uses published tables
	Table       = "application/vnd.slipstick.table.v1+json"        // the config of a release that is a table
	Rows        = "application/vnd.slipstick.rows.v1+csv"          // its layer
	Vectors     = "application/vnd.slipstick.vectors.v1+json"      // a layer, if there are vectors
	Conformance = "application/vnd.slipstick.conformance.v1"       // artifact: a report about a release
	Lifecycle   = "application/vnd.slipstick.standing.v1"          // artifact: a lifecycle record of a release
	Report      = "application/vnd.slipstick.conformance.v1+json"  // its layer
	Current     = "application/vnd.slipstick.current.v1"           // artifact: a release is current from now on
	Shadow      = "application/vnd.slipstick.shadow.v1"            // artifact: servers compare a release with the current one, or no longer
	Review      = "application/vnd.slipstick.review.v1"            // artifact: a review of a release
	Source      = "application/vnd.slipstick.source.v1"            // artifact: the source from which a release was built
	Rebuild     = "application/vnd.slipstick.rebuild.v1"           // artifact: building it again gave the same bytes
	InToto      = "application/vnd.in-toto+json"                   // layer of Source and Rebuild, see package provenance
	Signature   = "application/vnd.slipstick.signature.v1"         // artifact: the signature of a release by a publisher
	Statement   = "application/vnd.slipstick.statement.v1+json"    // layer: what was signed, see package sign
	Minisign    = "application/vnd.slipstick.minisign.v1"          // layer: its signature
	Rotations   = "application/vnd.slipstick.rotations.v1+json"    // layer: rotations that lead to the key
	HostKeys    = "application/vnd.slipstick.hostkeys.v1"          // artifact: the public keys of a server
	HostKeyList = "application/vnd.slipstick.hostkeys.v1+json"     // its layer
	Log         = "application/vnd.slipstick.log.v1"               // artifact: the transparency log of a registry

	LogCheckpoint = "application/vnd.slipstick.log.checkpoint.v1" // a layer of it
	LogEntries    = "application/vnd.slipstick.log.entries.v1"    // a layer per bundle of entries
)

// IsRecord reports whether artifacts of the type are statements about a release.
func IsRecord(artifactType string) bool {
	return strings.HasPrefix(artifactType, "application/vnd.slipstick.") && artifactType != Release
}

// EngineNote is the annotation of a Runtime with the digest of the engine file that it gives
// together with the document.
const EngineNote = "vnd.slipstick.engine"

// SequenceNote is the annotation that numbers the lifecycle records of a release. With it,
// readers find the last record in a registry that lists the records in another order.
const SequenceNote = "vnd.slipstick.sequence"
