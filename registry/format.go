package registry

// Types of the OCI format. They are part of what has been published: a change
// needs a new name.
const (
	ReleaseType     = "application/vnd.slipstick.release.v1"          // artifact: a release
	SpecType        = "application/vnd.slipstick.spec.v1+json"        // its config
	EngineType      = "application/vnd.slipstick.engine.v1"           // a layer per platform
	VectorsType     = "application/vnd.slipstick.vectors.v1+json"     // a layer, if there are vectors
	ConformanceType = "application/vnd.slipstick.conformance.v1"      // artifact: a report about a release
	StandingType    = "application/vnd.slipstick.standing.v1"         // artifact: where a release is in its life
	ReportType      = "application/vnd.slipstick.conformance.v1+json" // its layer
	CurrentType     = "application/vnd.slipstick.current.v1"          // artifact: a release is current from now on
	ReviewType      = "application/vnd.slipstick.review.v1"           // artifact: a review of a release
	SignatureType   = "application/vnd.slipstick.signature.v1"        // artifact: a publisher vouches for a release
	StatementType   = "application/vnd.slipstick.statement.v1+json"   // layer: what was signed, see package sign
	MinisignType    = "application/vnd.slipstick.minisign.v1"         // layer: its signature
	RotationsType   = "application/vnd.slipstick.rotations.v1+json"   // layer: how the key came into office
)

// SequenceNote is the annotation that counts the records of where a release stands: a
// registry that lists them in another order than that in which they were made still
// tells which is the last.
const SequenceNote = "vnd.slipstick.sequence"

// CurrentTag is the tag of the release that is meant when no version is asked for.
const CurrentTag = "current"

// Bounds on what is read; nothing beyond them is published either.
const (
	MaxEngine = 512 << 20 // bytes of an engine binary
	MaxJSON   = 16 << 20  // bytes of any other file
)

const (
	ingestDir = "ingest"
	blobDir   = "blobs/sha256"
	lockFile  = ".lock"
	newPrefix = ".new-" // of a layout being created
)
