package catalog

import (
	"encoding/json"
	"maps"
	"net/url"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/verification"
)

// Summary is a capability in the catalog, as REST sends it. Other servers send a part of it.
type Summary struct {
	ID        string            `json:"capability_id"`
	Tool      string            `json:"tool,omitempty"`
	Title     string            `json:"title,omitempty"`
	Summary   string            `json:"summary,omitempty"`
	Current   string            `json:"current_version,omitempty"`
	Available bool              `json:"available"` // whether the current version can be used now
	Versions  []Version         `json:"versions"`  // newest first
	Links     map[string]string `json:"links"`

	Tier verification.Tier `json:"-"` // of the release that Shown returns
}

// Version is one published version of a capability.
type Version struct {
	Version      string            `json:"calculation_version"`
	Tier         verification.Tier `json:"tier,omitempty"`
	EngineDigest string            `json:"engine_digest,omitempty"`
	Available    bool              `json:"available"`

	Changes string `json:"changes,omitempty"` // since the previous version, with the reason

	State     State  `json:"state"`
	Reason    string `json:"reason,omitempty"`    // of a state other than active
	Sunset    string `json:"sunset,omitempty"`    // date after which a deprecated version may be withdrawn
	Successor string `json:"successor,omitempty"` // version to use instead

	ReleaseDigest string `json:"-"` // "" if the version is not available
}

// Listing has all published capabilities, or a page of them.
type Listing struct {
	Capabilities []Summary `json:"capabilities"`
	Count        int       `json:"count"`          // of all pages
	Next         string    `json:"next,omitempty"` // URL of the next page
}

// Description is a capability at one version, with everything needed to use it.
type Description struct {
	Summary
	Version      string              `json:"calculation_version"`
	EngineDigest string              `json:"engine_digest"`
	Verification verification.Record `json:"verification"`
	Spec         sdk.Spec            `json:"spec"`
}

// EvidenceDocument holds the evidence for the verification record of a release.
type EvidenceDocument struct {
	Capability    string              `json:"capability_id"`
	Version       string              `json:"calculation_version"`
	ReleaseDigest string              `json:"release_digest"`
	EngineDigest  string              `json:"engine_digest"`
	EngineDigests map[string]string   `json:"engine_digests"` // by platform
	Revision      string              `json:"source_revision,omitempty"`
	Verification  verification.Record `json:"verification"`
	Lifecycle     Lifecycle           `json:"standing"`
	Statements    []Evidence          `json:"statements"` // in the order in which they were attached
	RebuiltBy     []string            `json:"rebuilt_by"` // see [Rebuilders]
	Report        json.RawMessage     `json:"conformance_report"`
	Vectors       json.RawMessage     `json:"vectors"`
}

// Rebuilders returns the names of the trusted parties that rebuilt the release from its source with
// byte-identical results. The trust file of this server lists these parties.
func Rebuilders(r *Release) []string { return evidence.Rebuilders(r.Evidence) }

// List returns the summaries of the capabilities on a page, sorted by id. It also returns the cursor of
// the next page, or "" after the last one. The error is the same as from [PageOf].
func (v View) List(p Page) (list Listing, next string, err error) {
	entries := v.Catalog.Entries()
	part, next, err := PageOf("capabilities", entries, p)
	if err != nil {
		return Listing{}, "", err
	}
	list = Listing{Capabilities: make([]Summary, len(part)), Count: len(entries)}
	for i, e := range part {
		list.Capabilities[i] = v.Summarize(e)
	}
	return list, next, nil
}

// Summarize returns the summary of a capability.
func (v View) Summarize(e *Entry) Summary {
	out := Summary{
		ID: e.ID, Tool: e.Tool, Current: e.Current, Versions: []Version{},
		Links: map[string]string{
			"self":      v.BaseURL + "/api/v1/capabilities/" + e.ID,
			"calculate": v.BaseURL + "/api/v1/calc/" + e.ID,
		},
	}
	if r := e.Shown(); r != nil {
		out.Title, out.Summary, out.Tier = r.Spec.Title, r.Spec.Summary, r.Verification.Tier
	}
	for _, r := range e.Releases {
		one := v.version(r)
		out.Versions = append(out.Versions, one)
		out.Available = out.Available || r.Version == e.Current && one.Available
	}
	return out
}

// VersionNames returns the published versions, newest first.
func (s *Summary) VersionNames() []string {
	names := make([]string, len(s.Versions))
	for i := range s.Versions {
		names[i] = s.Versions[i].Version
	}
	return names
}

func (v View) version(r *Release) Version {
	one := Version{
		Version: r.Version, Available: v.Available(r), Changes: r.Spec.Changes,
		State: r.State(), Reason: r.Lifecycle.Reason, Sunset: r.Lifecycle.Sunset, Successor: r.Lifecycle.Successor,
	}
	if one.Available {
		one.Tier, one.EngineDigest, one.ReleaseDigest = r.Verification.Tier, r.EngineDigest, r.Digest
	}
	return one
}

// Describe returns the description of a capability at the version of the release.
func (v View) Describe(e *Entry, r *Release) Description {
	out := Description{Summary: v.Summarize(e), Version: r.Version, EngineDigest: r.EngineDigest, Verification: r.Verification, Spec: r.Spec}
	for name, part := range map[string]string{"schema_input": "schema/input", "schema_output": "schema/output", "evidence": "evidence"} {
		out.Links[name] = out.Links["self"] + "/" + part + "?calculation_version=" + url.QueryEscape(r.Version)
	}
	if r.Spec.Document != "" {
		out.Links["text"] = out.Links["self"] + "/text?calculation_version=" + url.QueryEscape(r.Version)
	}
	return out
}

// EvidenceOf returns the evidence for the verification record of the release. The error is
// a problem: a part of the evidence can no longer be read.
func EvidenceOf(r *Release) (EvidenceDocument, error) {
	content, err := r.Content()
	if err != nil {
		return EvidenceDocument{}, problem.Unavailable(r.Capability, r.Version, err)
	}
	return EvidenceDocument{
		Capability: r.Capability, Version: r.Version, ReleaseDigest: r.Digest, EngineDigest: r.EngineDigest,
		EngineDigests: maps.Collect(maps.All(r.Engines)), Revision: r.Revision,
		Verification: r.Verification, Lifecycle: r.Lifecycle, Statements: append([]Evidence{}, r.Evidence...), RebuiltBy: append([]string{}, Rebuilders(r)...),
		Report: content.Report, Vectors: content.Vectors,
	}, nil
}
