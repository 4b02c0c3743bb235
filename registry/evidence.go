package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/opencontainers/go-digest"

	"github.com/slipstick/slipstick/sdk"
)

// report is what a verification record rests on in a conformance report.
type report struct {
	EngineDigests []string `json:"engine_digests"`
	Passed        bool     `json:"passed"`
	Vectors       struct {
		Total  int `json:"total"`
		Passed int `json:"passed"`
	} `json:"vectors"`
}

// weigh returns the verification record that a conformance report supports for
// the engines: a candidate's without a report (nil), and with one that passed on
// at least one vector that of a tested engine. An error is a report that is no
// evidence for these engines.
func weigh(data []byte, engines []digest.Digest, vectors []byte) (sdk.Verification, error) {
	candidate := sdk.Verification{Tier: sdk.Candidate}
	if data == nil {
		return candidate, nil
	}
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		return candidate, fmt.Errorf("the conformance report is not one: %w: run the suite again", err)
	}
	for _, engine := range engines {
		if !slices.Contains(r.EngineDigests, engine.String()) {
			return candidate, fmt.Errorf("the conformance report is not about the engine %s but about %.400q: run the suite on exactly these bytes", engine, r.EngineDigests)
		}
	}
	switch v := r.Vectors; {
	case !r.Passed:
		return candidate, errors.New("the conformance report did not pass: correct what it lists and run the suite again")
	case v.Total < 0 || v.Passed != v.Total:
		return candidate, fmt.Errorf("the conformance report says passed, but %d of %d vectors passed: run the suite again", v.Passed, v.Total)
	case v.Total == 0:
		return candidate, nil
	case len(vectors) == 0:
		return candidate, fmt.Errorf("the conformance report counts %d vectors, but the release has none: publish it with its vectors", v.Total)
	}
	kind := "automated_reference_vectors"
	return sdk.Verification{Tier: sdk.EngineTested, EngineTested: true, ReviewKind: &kind}, nil
}

// weighAll returns the record that the reports support for every one of the engines: that
// of the least tested. Each report must be about at least one of them.
func weighAll(reports [][]byte, engines []digest.Digest, vectors []byte) (sdk.Verification, error) {
	tested := map[digest.Digest]sdk.Verification{}
	for _, data := range reports {
		about := engines
		if own := amongThem(data, engines); len(own) > 0 {
			about = own
		}
		v, err := weigh(data, about, vectors)
		if err != nil {
			return v, err
		}
		for _, engine := range about {
			if tested[engine].Tier != sdk.EngineTested {
				tested[engine] = v
			}
		}
	}
	for _, engine := range engines {
		if v := tested[engine]; v.Tier != sdk.EngineTested {
			return sdk.Verification{Tier: sdk.Candidate}, nil
		}
	}
	return tested[engines[0]], nil
}

// amongThem returns those of the engines that a report is about.
func amongThem(data []byte, engines []digest.Digest) (list []digest.Digest) {
	var r report
	if json.Unmarshal(data, &r) != nil {
		return nil
	}
	for _, engine := range engines {
		if slices.Contains(r.EngineDigests, engine.String()) {
			list = append(list, engine)
		}
	}
	return list
}

// unsupported lists what a Spec claims beyond the evidence.
func unsupported(claim *sdk.Verification, evidence sdk.Verification) []string {
	if claim == nil {
		return nil
	}
	var list []string
	if tier := slices.Index(sdk.Tiers, claim.Tier); claim.Tier != "" && (tier < 0 || tier > slices.Index(sdk.Tiers, evidence.Tier)) {
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
