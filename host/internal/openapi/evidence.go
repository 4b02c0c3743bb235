package openapi

var count = object{"type": "integer", "minimum": 0}

// standingSchema is where a release is in its life.
func standingSchema() object {
	return closed("Where the release is in its life.", object{
		"state":     object{"type": "string", "enum": list{"active", "deprecated", "yanked", "revoked"}},
		"reason":    described(text, "Why it is not active."),
		"sunset":    described(text, "Date after which a deprecated version may be withdrawn."),
		"successor": described(text, "Version to use instead."),
		"since":     described(instant, "Absent if nothing was ever said of it."),
		"sequence":  described(count, "The number of the signed record among those about the life of the capability; absent if it has none."),
	}, "reason", "sunset", "successor", "since", "sequence")
}

// statementSchema is one thing that is said of a release.
func statementSchema() object {
	signature := closed("Who signed it.", object{
		"key":    described(text, "Name of the key in the trust file of this host; absent if it does not have it."),
		"key_id": text, "time": described(instant, "By the clock of who signed; absent if this host does not have the key."),
		"via":   described(texts, "Keys from which this one took over."),
		"holds": described(flag, "The key is known, and nothing was changed since."),
	}, "key", "via", "time")
	report := closed("What a conformance report is about, and found.", object{
		"engine_digests": texts, "passed": flag,
		"vectors": closed("Reference calculations.", object{"total": count, "passed": count}),
	})
	review := closed("What a named person reviewed.", object{
		"reviewer": text, "role": text, "date": text, "kind": object{"type": "string", "enum": list{"internal", "expert"}}, "notes": text,
		"sources": described(arrayOf(closed("A place in the literature.", object{"reference": text, "edition": text, "where": text}, "edition")), "What the release was compared with; absent if it was not."),
	}, "sources", "notes")
	return closed("One thing that is said of a release.", object{
		"type":      object{"type": "string", "enum": list{"release", "report", "review", "standing", "current"}},
		"digest":    described(text, "Of its manifest in the registry."),
		"signature": object{"anyOf": list{signature, object{"type": "null"}}},
		"counts":    described(flag, "Whether the verification record, or where the release stands, may rest on it."),
		"broken":    described(flag, "It is damaged, was changed, or is about something else."),
		"unchecked": described(flag, "It is signed, and this host has no trust file to check it by."),
		"why":       described(text, "Why it does not count, or counts without a signature."),
		"report":    report, "review": review, "standing": standingSchema(),
		"current": closed("From then on the release is the one that is meant without a pin.", object{"sequence": described(count, "The number of the statement among those about the life of the capability.")}),
	}, "broken", "unchecked", "why", "report", "review", "standing", "current")
}
