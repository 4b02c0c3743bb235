package openapi

import "github.com/slipstick/slipstick/host/internal/calc"

var count = object{"type": "integer", "minimum": 0}

// lifecycle lists the states of a release.
var lifecycle = object{"type": "string", "enum": list{"active", "deprecated", "yanked", "revoked"}}

// narrowerSchemas holds the schemas of members that are narrower than their Go types.
var narrowerSchemas = map[string]object{
	"Catalog.count":                  count,
	"Catalog.next":                   uri,
	"CapabilitySummary.links{}":      uri,
	"PublishedVersion.tier":          {"type": "string", "enum": tiers()},
	"PublishedVersion.engine_digest": digest,
	"PublishedVersion.state":         lifecycle,
	"Capability.engine_digest":       digest,
	"Evidence.release_digest":        text,
	"Evidence.engine_digest":         digest,
	"Evidence.conformance_report":    {"type": list{"object", "null"}},
	"Evidence.vectors":               {"type": list{"array", "null"}, "items": anything},
	"standing.state":                 lifecycle,
	"Statement.type":                 {"type": "string", "enum": list{"release", "report", "review", "standing", "current"}},
	"vectors.total":                  count,
	"vectors.passed":                 count,
	"review.kind":                    {"type": "string", "enum": list{"internal", "expert"}},
	"ProblemType.code":               {"type": "string", "anyOf": list{schemaRef("ErrorCode"), text}},
	"ProblemType.kind":               {"type": "string", "enum": list{calc.KindError, calc.KindWarning}},
	"Readiness.status":               {"type": "string", "enum": list{"ready", "degraded", "unready"}},
	"Spec.verification":              anything,
	"Field.type":                     {"type": "string", "enum": list{"number", "integer", "string", "boolean", "array", "object"}},
}

// descriptions holds the descriptions of places; see withDescription. Items of a list are
// place[].
var descriptions = map[string]string{
	"Catalog":       "Everything that is published, or a page of it.",
	"Catalog.count": "How many capabilities are published, on all pages together.",
	"Catalog.next":  "Address of the next page; not there on the last one.",

	"CapabilitySummary":           "A capability in the catalog.",
	"CapabilitySummary.available": "Whether the current version can be used at the moment.",
	"CapabilitySummary.versions":  "Newest first.",

	"PublishedVersion":           "A version of a capability.",
	"PublishedVersion.available": "Whether it can be used at the moment.",
	"PublishedVersion.reason":    "Why it is not active.",
	"PublishedVersion.sunset":    "Date after which a deprecated version may be withdrawn.",
	"PublishedVersion.successor": "Version to use instead.",

	"Capability": "A capability at one version, with all that is needed to use it.",

	"Evidence":                    "What the verification record of a release rests on.",
	"Evidence.engine_digests":     "The engine of every platform, such as `linux/amd64`.",
	"Evidence.standing":           "Where the release is in its life.",
	"Evidence.statements":         "What is said of the release, by whom, and whether it counts: signatures, reports, reviews, where it is in its life.",
	"Evidence.conformance_report": "Every rule of the conformance suite, with what was found.",
	"Evidence.vectors":            "The reference calculations that the engine was judged by.",

	"standing.reason":    "Why it is not active.",
	"standing.sunset":    "Date after which a deprecated version may be withdrawn.",
	"standing.successor": "Version to use instead.",
	"standing.since":     "Absent if nothing was ever said of it.",
	"standing.sequence":  "The number of the signed record among those about the life of the capability; absent if it has none.",

	"Statement":           "One thing that is said of a release.",
	"Statement.digest":    "Of its manifest in the registry.",
	"Statement.signature": "Who signed it.",
	"Statement.counts":    "Whether the verification record, or where the release stands, may rest on it.",
	"Statement.broken":    "It is damaged, was changed, or is about something else.",
	"Statement.unchecked": "It is signed, and this host has no trust file to check it by.",
	"Statement.why":       "Why it does not count, or counts without a signature.",
	"Statement.report":    "What a conformance report is about, and found.",
	"Statement.review":    "What a named person reviewed.",
	"Statement.standing":  "Where the release is in its life.",
	"Statement.current":   "From then on the release is the one that is meant without a pin.",
	"signature.key":       "Name of the key in the trust file of this host; absent if it does not have it.",
	"signature.time":      "By the clock of who signed; absent if this host does not have the key.",
	"signature.via":       "Keys from which this one took over.",
	"signature.holds":     "The key is known, and nothing was changed since.",
	"report.vectors":      "Reference calculations.",
	"review.sources":      "What the release was compared with; absent if it was not.",
	"review.sources[]":    "A place in the literature.",
	"current.sequence":    "The number of the statement among those about the life of the capability.",

	"ProblemType":             "What a code means.",
	"ProblemType.code":        "The code of an error, one that only MCP answers among them, or that of a warning.",
	"ProblemType.kind":        "Whether it is the code of a problem, or of a warning beside a result.",
	"ProblemType.declared_by": "Capabilities whose engines answer the code; absent if it is of the service.",

	"Readiness":            "Whether requests should be sent here; all but the status and the codes of its reasons only with `?verbose`.",
	"Readiness.reasons":    "Why the status is not `ready`, worst first; absent if it is.",
	"Readiness.releases":   "By `<capability id>@<version>`: `ok`, or what is wrong.",
	"Readiness.registry":   "`ok`, or what is wrong: it cannot be read, has not been read for long, is not what it was, or what was seen of it cannot be written down.",
	"Readiness.checkpoint": "The checkpoint of the registry: `ok`, or what is wrong; absent if there is none.",
	"Readiness.store":      "The store of snapshots: `ok`, or what is wrong.",
	"Readiness.limits":     "`shared` while limits are counted in the store, `per process` if the store did not answer in time, now or in the last seconds.",

	"ReadinessReason":        "One thing that keeps a host from being ready.",
	"ReadinessReason.code":   "Stable, for programs: `DRAINING` (the host is ending), `NO_ENGINE`, `ENGINES`, `REGISTRY`, `CHECKPOINT`, `STORE`, `LIMITS`, `KEYS`, `BEHIND`, `WAITING` or `ALONE`; further codes may follow.",
	"ReadinessReason.detail": "For people; only with `?verbose`.",

	"Spec":                 "The engine's own description of a capability at one version.",
	"Spec.spec_version":    "Version of the contract between host and engine.",
	"Spec.keywords":        "Words by which people look for it who know none of the others.",
	"Spec.formulas[]":      "A formula that the engine evaluates.",
	"formulas.symbols":     "Symbols of fields in this formula, by field name, where they are not the fields' own.",
	"Spec.references[]":    "A source of a formula or constant.",
	"Spec.limits[]":        "A bound within which the formulas can be trusted.",
	"limits.warning":       "Code of the warning beyond it.",
	"Spec.plots[]":         "A picture of a calculation, which its page shows.",
	"plots.down":           "Whether y grows downwards.",
	"plots.to_scale":       "Whether one unit is as long on both axes.",
	"Spec.read_only_paths": "What the engine has to read of the system it runs on.",
	"Spec.errors":          "Codes of rejections, beside those of ranges.",
	"Spec.warnings":        "Codes of warnings.",
	"Spec.verification":    "What the author claims. What the evidence supports is in the verification record.",

	"Axis":        "What is drawn along one side of a plot.",
	"Axis.symbol": "As LaTeX.",

	"Field":                "An input or output quantity.",
	"Field.name":           "Canonical; items of arrays have none.",
	"Field.unit":           "SI unit; absent if dimensionless.",
	"Field.default":        "As text of the field's type.",
	"Field.decimal_string": "Whether an exact decimal literal may be sent as a string.",
	"Field.enum_aliases[]": "Another spelling of a value.",
	"Field.range":          "Legal values, and the code of leaving them.",
	"range.minimum_input":  "Input whose value is the minimum.",
	"range.maximum_input":  "Input whose value is the maximum.",
	"Field.label":          "What forms call it.",
	"Field.symbol":         "What formulas call it, as LaTeX.",
	"Field.advanced":       "Whether most callers leave it alone.",
}
