package api

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/web"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/versions"
)

// summary is one capability in the catalog.
type summary struct {
	ID             string            `json:"capability_id"`
	Tool           string            `json:"tool,omitempty"`
	Title          string            `json:"title,omitempty"`
	Summary        string            `json:"summary,omitempty"`
	CurrentVersion string            `json:"current_version,omitempty"`
	Available      bool              `json:"available"`
	Versions       []version         `json:"versions"`
	Links          map[string]string `json:"links"`
}

// version is one published version in the catalog.
type version struct {
	Version      string   `json:"calculation_version"`
	Tier         sdk.Tier `json:"tier,omitempty"`
	EngineDigest string   `json:"engine_digest,omitempty"`
	Available    bool     `json:"available"`

	State     calc.State `json:"state"`
	Reason    string     `json:"reason,omitempty"`    // of a state other than active
	Sunset    string     `json:"sunset,omitempty"`    // date after which a deprecated version may be withdrawn
	Successor string     `json:"successor,omitempty"` // version to use instead
}

func (s *server) getCatalog(w http.ResponseWriter, r *http.Request) error {
	entries := s.service.Catalog().Entries()
	list := make([]summary, len(entries))
	for i, e := range entries {
		list[i] = s.summarize(e)
	}
	return writeDescription(w, r, map[string]any{"capabilities": list, "count": len(list)})
}

func (s *server) summarize(e *calc.Entry) summary {
	out := summary{
		ID: e.ID, Tool: e.Tool, CurrentVersion: e.Current, Versions: []version{},
		Links: map[string]string{
			"self":      s.service.BaseURL() + "/api/v1/capabilities/" + e.ID,
			"calculate": s.service.BaseURL() + "/api/v1/calc/" + e.ID,
		},
	}
	for _, rel := range e.Releases {
		v := version{
			Version: rel.Version, Available: s.service.Available(rel),
			State: rel.State(), Reason: rel.Lifecycle.Reason, Sunset: rel.Lifecycle.Sunset, Successor: rel.Lifecycle.Successor,
		}
		if v.Available {
			v.Tier, v.EngineDigest = rel.Verification.Tier, rel.EngineDigest
		}
		out.Versions = append(out.Versions, v)
		if out.Title == "" || rel.Version == e.Current {
			out.Title, out.Summary = rel.Spec.Title, rel.Spec.Summary
		}
		out.Available = out.Available || rel.Version == e.Current && v.Available
	}
	return out
}

// entry is one capability at one version, with all that a caller needs to use it.
type entry struct {
	summary
	Version      string           `json:"calculation_version"`
	EngineDigest string           `json:"engine_digest"`
	Verification sdk.Verification `json:"verification"`
	Spec         sdk.Spec         `json:"spec"`
}

func (s *server) getEntry(w http.ResponseWriter, r *http.Request) error {
	e, rel, err := s.find(r)
	if err != nil {
		return err
	}
	s.tellRelease(w.Header(), rel)
	out := entry{summary: s.summarize(e), Version: rel.Version, EngineDigest: rel.EngineDigest, Verification: rel.Verification, Spec: rel.Spec}
	for name, part := range map[string]string{"schema_input": "schema/input", "schema_output": "schema/output", "evidence": "evidence"} {
		out.Links[name] = out.Links["self"] + "/" + part + "?calculation_version=" + url.QueryEscape(rel.Version)
	}
	return writeDescription(w, r, out)
}

func (s *server) getInputSchema(w http.ResponseWriter, r *http.Request) error {
	return s.writeSchema(w, r, sdk.InputSchema)
}

func (s *server) getOutputSchema(w http.ResponseWriter, r *http.Request) error {
	return s.writeSchema(w, r, sdk.OutputSchema)
}

func (s *server) writeSchema(w http.ResponseWriter, r *http.Request, schema func(*sdk.Spec) []byte) error {
	_, rel, err := s.find(r)
	if err != nil {
		return err
	}
	s.tellRelease(w.Header(), rel)
	writeCacheable(w, r, schema(&rel.Spec))
	return nil
}

// evidence is what the verification record of a release rests on.
type evidence struct {
	Capability    string            `json:"capability_id"`
	Version       string            `json:"calculation_version"`
	ReleaseDigest string            `json:"release_digest"`
	EngineDigest  string            `json:"engine_digest"`
	EngineDigests map[string]string `json:"engine_digests"` // by platform
	Revision      string            `json:"source_revision,omitempty"`
	Verification  sdk.Verification  `json:"verification"`
	Standing      calc.Standing     `json:"standing"`
	Statements    []calc.Evidence   `json:"statements"` // in the order in which they were attached
	Report        json.RawMessage   `json:"conformance_report"`
	Vectors       json.RawMessage   `json:"vectors"`
}

func (s *server) getEvidence(w http.ResponseWriter, r *http.Request) error {
	_, rel, err := s.find(r)
	if err != nil {
		return err
	}
	s.tellRelease(w.Header(), rel)
	if s.forPeople(w, r) {
		web.Vary(w.Header(), versions.HeaderName)
		html, err := s.options.Pages.Evidence(rel)
		if err != nil {
			return err
		}
		w.Header().Set("Cache-Control", "public, max-age=60")
		s.options.Pages.Write(w, r, http.StatusOK, html)
		return nil
	}
	return writeDescription(w, r, evidence{
		Capability: rel.Capability, Version: rel.Version, ReleaseDigest: rel.Digest, EngineDigest: rel.EngineDigest,
		EngineDigests: maps.Collect(maps.All(rel.Engines)), Revision: rel.Revision,
		Verification: rel.Verification, Standing: rel.Lifecycle, Statements: append([]calc.Evidence{}, rel.Evidence...),
		Report: rel.Report, Vectors: rel.Vectors,
	})
}

// find returns the capability in the address and the release that the pins of the
// request mean.
func (s *server) find(r *http.Request) (*calc.Entry, *calc.Release, error) {
	e, err := s.service.Catalog().Find(r.PathValue("id"))
	if err != nil {
		return nil, nil, err
	}
	pins, err := transportPins(r)
	if err != nil {
		return nil, nil, err
	}
	rel, err := e.Release(pins)
	return e, rel, err
}
