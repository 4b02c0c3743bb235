package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/opencontainers/go-digest"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/sdk"
)

// Evidence is one thing that is said of a release, and whether it counts.
type Evidence struct {
	Kind      sign.Kind       `json:"type"`
	Digest    string          `json:"digest"`    // of its manifest
	Signature *sign.Signature `json:"signature"` // nil if it is not signed
	Counts    bool            `json:"counts"`
	Broken    bool            `json:"broken,omitempty"`    // damaged, changed, or said of something else
	Unchecked bool            `json:"unchecked,omitempty"` // signed, by whom is not known here
	Why       string          `json:"why,omitempty"`       // it does not count, or counts without a signature

	Report   *report.Summary `json:"report,omitempty"`
	Review   *Review         `json:"review,omitempty"`
	Standing *Standing       `json:"standing,omitempty"`
	Lead     *Lead           `json:"current,omitempty"`

	attachment *attachment
}

// policy says whose word counts.
type policy struct {
	trust    *sign.Trust // nil if there is no trust file
	required bool        // what is not signed does not count
}

// hear judges everything that is said of a release.
func (p policy) hear(rel *Release, list []attachment) []Evidence {
	heard := make([]Evidence, 0, len(list))
	for i := range list {
		e := Evidence{Kind: list[i].kind, Digest: list[i].digest.String(), attachment: &list[i]}
		err := list[i].err
		if err == nil {
			err = e.read()
		}
		if err == nil {
			err = p.vouch(&e, rel, time.Now())
		}
		if e.Counts = err == nil; err != nil {
			e.Why, e.Broken = err.Error(), e.attachment.err != nil || errors.Is(err, sign.ErrForged)
		}
		heard = append(heard, e)
	}
	return heard
}

// read reads the document of an attachment. Reports are judged where they are weighed.
func (e *Evidence) read() error {
	switch content := e.attachment.content; e.Kind {
	case sign.Report:
		if r, err := report.Parse(content); err == nil {
			e.Report = new(r.Summary())
		}
	case sign.Review:
		e.Review = new(Review)
		if err := json.Unmarshal(content, e.Review); err != nil {
			e.Review = nil
			return fmt.Errorf("the review is none: %w", err)
		}
		return e.Review.Check()
	case sign.Standing:
		s, err := readStanding(content)
		if err != nil {
			e.attachment.err = err
			return err
		}
		e.Standing = &s
	case sign.Current:
		lead, err := readLead(content)
		if err != nil {
			e.attachment.err = err
			return err
		}
		e.Lead = &lead
	}
	return nil
}

// vouch says who signed, and returns why that does not count.
func (p policy) vouch(e *Evidence, rel *Release, now time.Time) error {
	s := e.attachment.signed
	byItself := e.Kind == sign.Report || e.Kind == sign.Standing // counts where no signature is required
	switch {
	case s == nil && !p.required && byItself:
		e.Why = "it is not signed: whoever can write to the registry can have written it"
		return nil
	case s == nil:
		return errors.New("it is not signed, and a signature is required")
	case p.trust == nil:
		claims, _ := s.Claims()
		e.Signature = &sign.Signature{KeyID: s.KeyID(), Time: claims.Time}
		e.Why, e.Unchecked = "its signature was not checked: there is no trust file", true
		if !byItself || p.required {
			return errors.New(e.Why)
		}
		return nil
	}
	seen, err := p.trust.Check(s, sign.Demand{
		Kind: e.Kind, Roles: e.roles(), About: e.about(rel), Content: contentDigest(e.attachment.content), Now: now,
	})
	e.Signature = &seen
	if err == nil && e.Review != nil {
		err = e.Review.dated(rel.Created, seen.Time)
	}
	return err
}

// about is the release as a statement must name it. Where the manifest cannot be read its
// engines are not known, but the digest of the manifest, which the statement names too,
// stands for them: that a release is damaged takes back nothing of what was said of it.
func (e *Evidence) about(rel *Release) sign.Subject {
	subject := subjectOf(rel)
	if rel.Engines == nil {
		claims, _ := e.attachment.signed.Claims()
		subject.Engines = claims.Engines
	}
	return subject
}

// roles are those of keys that may say this.
func (e *Evidence) roles() []sign.Role {
	switch {
	case e.Kind == sign.Report:
		return []sign.Role{sign.Reports}
	case e.Kind == sign.Review && e.Review.Kind == ExpertReview:
		return []sign.Role{sign.Expert}
	case e.Kind == sign.Review:
		return []sign.Role{sign.Reviews, sign.Expert}
	}
	return []sign.Role{sign.Publishes}
}

// admit refuses a release that nobody whose word counts has published, where signatures
// are required.
func (p policy) admit(rel *Release) error {
	if !p.required {
		return nil
	}
	why := "nobody has signed it"
	for _, e := range rel.Evidence {
		if e.Kind == sign.Release {
			if e.Counts {
				return nil
			}
			why = e.Why
		}
	}
	return fmt.Errorf("%w: %s; sign it with slipstick sign, or add the key to the trust file", ErrUntrusted, why)
}

// tested returns the conformance report that counts for the engine of this platform, nil
// if there is none, and the record that it supports. An error is a report that is no
// evidence for the release.
func (rel *Release) tested() (best []byte, v sdk.Verification, err error) {
	v = sdk.Verification{Tier: sdk.Candidate}
	for _, e := range rel.Evidence {
		a := e.attachment
		switch {
		case e.Kind != sign.Report:
			continue
		case a.err != nil:
			return nil, v, a.err
		case !e.Counts:
			continue
		}
		if e.Report != nil && !slices.Contains(e.Report.EngineDigests, rel.EngineDigest) && rel.isAboutAnother(e.Report) {
			continue // of another platform
		}
		weight, err := weigh(a.content, []digest.Digest{rel.engine.Digest}, rel.Vectors)
		if err != nil {
			return nil, sdk.Verification{Tier: sdk.Candidate}, err
		}
		if best == nil || weight.EngineTested && !v.EngineTested {
			best, v = a.content, weight
		}
	}
	return best, v, nil
}

func (rel *Release) isAboutAnother(r *report.Summary) bool {
	for _, engine := range rel.Engines {
		if slices.Contains(r.EngineDigests, engine) {
			return true
		}
	}
	return false
}

// aboutEngines returns the engines that a conformance report is about.
func aboutEngines(data []byte) ([]string, error) {
	r, err := report.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("the conformance report is not one: %w: run the suite again", err)
	}
	return r.EngineDigests, nil
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
	r, err := report.Parse(data)
	if err != nil {
		return candidate, fmt.Errorf("the conformance report is not one: %w: run the suite again", err)
	}
	for _, engine := range engines {
		if !slices.Contains(r.EngineDigests, engine.String()) {
			return candidate, fmt.Errorf("the conformance report is not about the engine %s but about %.400q: run the suite on exactly these bytes", engine, r.EngineDigests)
		}
	}
	for i := range r.Rules {
		if rule := &r.Rules[i]; r.Passed && !rule.Passed {
			return candidate, fmt.Errorf("the conformance report says passed, but the rule %.100s did not: run the suite again, without expected failures", rule.ID)
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
	r, err := report.Parse(data)
	if err != nil {
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
