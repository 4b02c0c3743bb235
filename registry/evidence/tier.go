package evidence

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/opencontainers/go-digest"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/sdk/verification"
)

// Tested is the content of a release that a conformance report must be about.
type Tested struct {
	Engine  string            // digest of the engine for this platform
	Engines map[string]string // digests of the engines of all platforms
	Vectors []byte
}

var candidate = verification.Record{Tier: verification.Candidate}

// DeriveTier returns the conformance report that counts for the engine of this platform, or
// nil if there is none. It also returns the verification record that reports and reviews
// support. The error is about a report that cannot be read or does not fit the release; then
// the release is unverified.
func DeriveTier(list []Evidence, of Tested) (judged []byte, v verification.Record, err error) {
	v = candidate
	for i := range list {
		e := &list[i]
		a := e.attachment
		switch {
		case e.Kind != sign.Report:
			continue
		case a.Err != nil:
			return nil, candidate, a.Err
		case !e.Counts:
			continue
		}
		if e.Report != nil && !slices.Contains(e.Report.EngineDigests, of.Engine) && isAboutOne(e.Report, of.Engines) {
			continue // the report is about another platform
		}
		tested, err := e.tierOfContent(of)
		if err != nil {
			return nil, candidate, err
		}
		if judged == nil || tested.EngineTested && !v.EngineTested {
			judged, v = a.Content, tested
		}
	}
	return judged, reviewed(v, list), nil
}

// tierOfContent returns the record that the stored report supports. Without a report the
// release is unverified.
func (e *Evidence) tierOfContent(of Tested) (verification.Record, error) {
	content, r := e.attachment.Content, e.parsed
	e.parsed = nil // it is large
	if content == nil {
		return candidate, nil
	}
	if r == nil {
		var err error
		r, err = parseReport(content)
		if err != nil {
			return candidate, err
		}
	}
	return tierOf(r, []digest.Digest{digest.Digest(of.Engine)}, of.Vectors)
}

func isAboutOne(r *report.Summary, engines map[string]string) bool {
	for _, engine := range engines {
		if slices.Contains(r.EngineDigests, engine) {
			return true
		}
	}
	return false
}

// CheckReport returns an error unless a conformance report is about an engine of a release
// and passed.
func CheckReport(judged []byte, of Tested) error {
	r, err := parseReport(judged)
	if err != nil {
		return err
	}
	var engines []digest.Digest
	for _, platform := range slices.Sorted(maps.Keys(of.Engines)) {
		if slices.Contains(r.EngineDigests, of.Engines[platform]) {
			engines = append(engines, digest.Digest(of.Engines[platform]))
		}
	}
	if len(engines) == 0 {
		return fmt.Errorf("the conformance report is not about an engine of the release but about %.400q: run the suite on exactly these bytes", r.EngineDigests)
	}
	_, err = tierOf(r, engines, of.Vectors)
	return err
}

func parseReport(data []byte) (*report.Report, error) {
	r, err := report.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("the conformance report is not one: %w: run the suite again", err)
	}
	return r, nil
}

// tierOf returns the verification record that a conformance report supports for the engines.
// The engines are unverified if the report counts no vectors, and tested if it passed on at
// least one. An error means that the report is not evidence for these engines.
func tierOf(r *report.Report, engines []digest.Digest, vectors []byte) (verification.Record, error) {
	for _, engine := range engines {
		if !slices.Contains(r.EngineDigests, engine.String()) {
			return candidate, fmt.Errorf("the conformance report is not about the engine %s but about %.400q: run the suite on exactly these bytes", engine, r.EngineDigests)
		}
	}
	for i := range r.Rules {
		if rule := &r.Rules[i]; r.Passed && !rule.Passed {
			return candidate, fmt.Errorf("the conformance report has passed, but the rule %.100s did not: run the suite again, without expected failures", rule.ID)
		}
	}
	switch v := r.Vectors; {
	case !r.Passed:
		return candidate, errors.New("the conformance report did not pass: correct what it lists and run the suite again")
	case v.Total < 0 || v.Passed != v.Total:
		return candidate, fmt.Errorf("the conformance report has passed, but %d of %d vectors passed: run the suite again", v.Passed, v.Total)
	case v.Total == 0:
		return candidate, nil
	case len(vectors) == 0:
		return candidate, fmt.Errorf("the conformance report counts %d vectors, but the release has none: publish it with its vectors", v.Total)
	}
	kind := "automated_reference_vectors"
	return verification.Record{Tier: verification.EngineTested, EngineTested: true, ReviewKind: &kind}, nil
}

// TierOf returns the record that the reports support for every one of the engines, which is
// the record of the least tested engine. Each report must be about at least one of the
// engines.
func TierOf(reports []*report.Document, engines []digest.Digest, vectors []byte) (verification.Record, error) {
	tested := map[digest.Digest]verification.Record{}
	for _, r := range reports {
		about := engines
		if own := amongThem(r.Report, engines); len(own) > 0 {
			about = own
		}
		v, err := tierOf(r.Report, about, vectors)
		if err != nil {
			return v, err
		}
		for _, engine := range about {
			if tested[engine].Tier != verification.EngineTested {
				tested[engine] = v
			}
		}
	}
	for _, engine := range engines {
		if v := tested[engine]; v.Tier != verification.EngineTested {
			return candidate, nil
		}
	}
	return tested[engines[0]], nil
}

// amongThem returns the engines in the list that a report is about.
func amongThem(r *report.Report, engines []digest.Digest) (list []digest.Digest) {
	for _, engine := range engines {
		if slices.Contains(r.EngineDigests, engine.String()) {
			list = append(list, engine)
		}
	}
	return list
}

// Unsupported lists the claims of a Spec that the evidence does not support, in words such
// as "tier expert_verified". A nil claim claims nothing.
func Unsupported(claim *verification.Record, evidence verification.Record) []string {
	if claim == nil {
		return nil
	}
	var list []string
	if tier := slices.Index(verification.Tiers, claim.Tier); claim.Tier != "" && (tier < 0 || tier > slices.Index(verification.Tiers, evidence.Tier)) {
		list = append(list, fmt.Sprintf("tier %.100s", claim.Tier))
	}
	for _, flag := range []struct {
		name          string
		claimed, seen bool
	}{
		{"engine_tested", claim.EngineTested, evidence.EngineTested},
		{"expert_reviewed", claim.ExpertReviewed, evidence.ExpertReviewed},
		{"internally_reviewed", claim.InternallyReviewed, evidence.InternallyReviewed},
		{"source_checked", claim.SourceChecked, evidence.SourceChecked},
	} {
		if flag.claimed && !flag.seen {
			list = append(list, flag.name)
		}
	}
	for _, text := range []struct {
		name          string
		claimed, seen *string
	}{
		{"review_kind", claim.ReviewKind, evidence.ReviewKind},
		{"reviewed_by", claim.ReviewedBy, evidence.ReviewedBy},
		{"reviewer_role", claim.ReviewerRole, evidence.ReviewerRole},
		{"last_reviewed", claim.LastReviewed, evidence.LastReviewed},
	} {
		if text.claimed != nil && *text.claimed != "" && (text.seen == nil || *text.seen != *text.claimed) {
			list = append(list, fmt.Sprintf("%s %.100q", text.name, *text.claimed))
		}
	}
	return list
}
