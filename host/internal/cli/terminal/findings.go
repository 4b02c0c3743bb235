package terminal

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/audit"
	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/provenance"
)

// FindingText is a finding in words, for programs.
type FindingText struct {
	Subject string        `json:"subject"` // release, capability or snapshot
	What    string        `json:"what"`
	Outcome audit.Outcome `json:"outcome"`
	Detail  string        `json:"detail"`
}

// Findings writes the findings in lines below their subjects, and the number of findings with
// each outcome.
func Findings(w io.Writer, a *audit.Audit) error {
	subject := ""
	for _, f := range worded(a) {
		if f.Subject != subject {
			subject = f.Subject
			Printf(w, "%s\n", subject)
		}
		Printf(w, "  %-9s  %-20s  %s\n", f.Outcome, f.What, f.Detail)
	}
	_, err := fmt.Fprintf(w, "%d hold, %d fail, %d could not be checked, %d ignored\n", a.Count(audit.Holds), a.Count(audit.Fails), a.Count(audit.Unchecked), a.Count(audit.Ignored))
	return err
}

// FindingsJSON writes the findings as one object.
func FindingsJSON(w io.Writer, a *audit.Audit) error {
	document := struct {
		Findings []FindingText         `json:"findings"`
		Count    map[audit.Outcome]int `json:"count"` // outcomes with findings
	}{worded(a), map[audit.Outcome]int{}}
	for i := range a.Findings {
		document.Count[a.Findings[i].Outcome]++
	}
	return json.NewEncoder(w).Encode(document)
}

func worded(a *audit.Audit) (list []FindingText) {
	for i := range a.Findings {
		f := &a.Findings[i]
		what, detail := describe(f)
		list = append(list, FindingText{cmp.Or(f.Subject, "log"), what, f.Outcome, detail})
	}
	return list
}

// describe returns the name of a check and the text of its outcome.
func describe(f *audit.Finding) (what, detail string) {
	words := findings[f.Kind]
	what = words.what
	switch f.Kind {
	case audit.Engine:
		what += f.Platform
	case audit.Evidence:
		what = evidenceNames[string(f.Evidence.Kind)]
	}
	switch {
	case f.Err == nil:
		detail = words.detail(f)
	case words.wrong != nil:
		detail = words.wrong(f)
	default:
		detail = f.Err.Error()
	}
	return what, detail
}

// findings has the texts of each kind: the name of the check, and the detail without an error. wrong replaces the text of an
// error.
var findings = map[audit.Kind]struct {
	what          string
	detail, wrong func(f *audit.Finding) string
}{
	audit.Log:        {what: "transparency log", detail: logText},
	audit.Index:      {what: "index"},
	audit.PublicKeys: {what: "key rotations", detail: keysText},

	audit.Manifest:  {what: "release", detail: func(f *audit.Finding) string { return "manifest " + f.Release.Digest }},
	audit.Engine:    {what: "engine ", wrong: engineText, detail: func(f *audit.Finding) string { return f.Release.Engines[f.Platform] }},
	audit.Admission: {what: "admission", wrong: admissionText},
	audit.Spec:      {what: "Spec", detail: func(f *audit.Finding) string { return fmt.Sprintf("%d bytes", len(f.Release.SpecJSON)) }},
	audit.Vectors:   {what: "vectors", detail: func(f *audit.Finding) string { return fmt.Sprintf("%d bytes", len(f.Release.Vectors)) }},
	audit.Evidence:  {detail: evidenceText},
	audit.Unsigned: {what: "signatures", detail: func(*audit.Finding) string {
		return "nothing is signed: the digests prove that nothing was damaged, but not who published it"
	}},
	audit.Tier:      {what: "tier", detail: tierText},
	audit.Lifecycle: {what: "status", detail: func(f *audit.Finding) string { return lifecycleText(f.Release) }},

	audit.Record: {what: "record", detail: func(f *audit.Finding) string {
		return fmt.Sprintf("%s %s, stored on %s", f.Record.CapabilityID, f.Record.Version, f.Record.CreatedAt.Format(time.DateOnly))
	}},
	audit.Origin: {what: "snapshot signature", detail: originHolds, wrong: originText},
	audit.ComputedBy: {what: "published release", detail: func(f *audit.Finding) string {
		return fmt.Sprintf("published, with the engine that computed it (%s)", f.Platform)
	}},
	audit.OtherEngine: {what: "published release", detail: func(f *audit.Finding) string {
		return fmt.Sprintf("%s was computed by the engine %s, which the release does not have", f.Record.ID[:min(len(f.Record.ID), 20)], f.Record.EngineDigest)
	}},
	audit.NoCapability: {what: "published release", detail: func(f *audit.Finding) string { return f.Record.CapabilityID + " is not published here" }},
	audit.NoVersion: {what: "published release", detail: func(f *audit.Finding) string {
		return fmt.Sprintf("%s %s is not published here", f.Record.CapabilityID, f.Record.Version)
	}},
	audit.Included: {what: "record", detail: func(f *audit.Finding) string {
		return fmt.Sprintf("%s %s, answered on %s; it is in a segment with a signed root", f.Record.CapabilityID, f.Record.Version, f.Record.CreatedAt.Format(time.DateOnly))
	}},
	audit.Recorder: {what: "ledger signature", detail: signedBy, wrong: originText},
	audit.Batch: {what: "record", detail: func(f *audit.Finding) string {
		return fmt.Sprintf("a batch of %s, answered on %s; it is in a segment with a signed root", Count(int(f.Answered.Rows), "row"), f.Answered.Time.Format(time.DateOnly))
	}},
	audit.Tabled: {what: "table", detail: func(f *audit.Finding) string {
		return fmt.Sprintf("%s %s is published, and has not changed", f.Release.Capability, f.Release.Version)
	}},
	audit.Rows: {what: "rows", detail: func(*audit.Finding) string { return "the same rows as in the file, in the same order" }},
	audit.Outcomes: {what: "recomputation", detail: func(f *audit.Finding) string {
		text := fmt.Sprintf("%s have bit-identical outcomes", Count(int(f.Answered.Answered()), "row"))
		if missed := f.Answered.Rows - f.Answered.Answered(); missed > 0 {
			text += fmt.Sprintf("; %s had been rejected by a limit or a failure", Count(int(missed), "other row"))
		}
		return text
	}},
	audit.Recomputed: {what: "recomputation", detail: repeatText, wrong: repeatFailed},
	audit.Withheld: {what: "recomputation", detail: func(f *audit.Finding) string {
		return "the release must not be executed: it is " + withheldBy(f.Release)
	}},
}

var evidenceNames = map[string]string{
	"release": "publisher's signature", "report": "conformance report", "review": "review", "standing": "lifecycle statement",
	"current": "current", "shadow": "comparison", "source": "source", "rebuild": "rebuild",
}

func engineText(f *audit.Finding) string {
	if f.Outcome == audit.Ignored {
		return "not here, because it is for another platform"
	}
	return f.Err.Error()
}

func admissionText(f *audit.Finding) string {
	if f.Outcome == audit.Ignored {
		return "not here: " + f.Err.Error()
	}
	return f.Err.Error()
}

func tierText(f *audit.Finding) string {
	if f.Release.Verification.SourceChecked {
		return string(f.Release.Verification.Tier) + ", compared with its sources"
	}
	return string(f.Release.Verification.Tier) + ", sources not checked"
}

func lifecycleText(r *registry.Release) string {
	if r.State() == evidence.Active {
		return string(evidence.Active)
	}
	return fmt.Sprintf("%s: %s", r.State(), r.Lifecycle.Reason)
}

func keysText(f *audit.Finding) string {
	last := f.Keys.Keys[len(f.Keys.Keys)-1].ID
	if len(f.Keys.Keys) == 1 {
		return "one key, " + last
	}
	return fmt.Sprintf("%s, each signed by the previous key; the last is %s", Count(len(f.Keys.Keys), "key"), last)
}

func originHolds(f *audit.Finding) string {
	if f.Key == nil {
		return "one of the keys in " + f.Data
	}
	return signedBy(f)
}

func signedBy(f *audit.Finding) string {
	return fmt.Sprintf("signed by the key %s of %s, which signs %s", f.Key.ID, f.Key.Name, f.Key.Term())
}

func originText(f *audit.Finding) string {
	if errors.Is(f.Err, snapshot.ErrUnsigned) {
		return f.Err.Error() + ", which public keys could check; fetch that (curl HOST/api/v1/share/ID/signed > snapshot.json) and verify the file"
	}
	if f.Outcome == audit.Unchecked {
		return f.Err.Error() + "; pass the public keys of its server with --keys"
	}
	return f.Err.Error()
}

func repeatText(f *audit.Finding) string {
	return "bit-identical, by the engine " + f.Release.EngineDigest
}

func repeatFailed(f *audit.Finding) string {
	if p, ok := errors.AsType[*problem.Problem](f.Err); ok {
		return Problem(p)
	}
	return f.Err.Error()
}

// withheldBy returns why a release must not be executed.
func withheldBy(r *registry.Release) string {
	if r.Problem != nil {
		return "refused: " + r.Problem.Error()
	}
	return lifecycleText(r)
}

// evidenceText describes a statement about a release, its signer, and why it does not count.
func evidenceText(f *audit.Finding) string {
	e := f.Evidence
	text := []string{statementText(f)}
	if e.Signature != nil {
		by := "key " + e.Signature.KeyID
		if e.Signature.Key != "" {
			by = fmt.Sprintf("%s (%s)", e.Signature.Key, e.Signature.KeyID)
		}
		if len(e.Signature.Via) > 0 {
			by += ", which replaced " + strings.Join(e.Signature.Via, " and ")
		}
		text = append(text, "signed by "+by+day(" on ", e.Signature.Time))
	}
	if e.Why != "" {
		text = append(text, e.Why)
	}
	return strings.Join(text, "; ")
}

func statementText(f *audit.Finding) string {
	e := f.Evidence
	switch {
	case e.Report != nil:
		about := "other bytes"
		if f.Platform != "" {
			about = "the engine for " + f.Platform
		}
		return fmt.Sprintf("%d of %d vectors, about %s", e.Report.Vectors.Passed, e.Report.Vectors.Total, about)
	case e.Review != nil:
		checked := "sources not checked"
		if e.Review.SourceChecked() {
			checked = "compared with " + e.Review.Sources[0].Reference + ", " + e.Review.Sources[0].Where
		}
		return fmt.Sprintf("%s, %s, %s, %s, %s", e.Review.Kind, e.Review.Reviewer, e.Review.Role, e.Review.Date, checked)
	case e.Lifecycle != nil:
		return string(e.Lifecycle.State) + day(" since ", e.Lifecycle.Since) + numberText(e.Lifecycle.Sequence)
	case e.Lead != nil:
		return "current from then on" + numberText(e.Lead.Sequence)
	case e.Shadow != nil && e.Shadow.Sample == 0:
		return "no longer compared with the current version" + day(" since ", e.Shadow.Since) + numberText(e.Shadow.Sequence)
	case e.Shadow != nil:
		return e.Shadow.Part() + " compared with the current version" + day(" since ", e.Shadow.Since) + numberText(e.Shadow.Sequence)
	case e.Build != nil:
		return buildText(e.Build)
	}
	return "of this release"
}

// buildText describes the source and the toolchain of a release.
func buildText(b *provenance.Summary) string {
	text := fmt.Sprintf("%s of %s and %s, by %s", b.Source, Count(b.Files, "file"), Count(b.Modules, "module"), b.Toolchain)
	if b.Toolchain == "" {
		text = fmt.Sprintf("%s of a runtime and %s", b.Source, Count(b.Files, "file"))
	}
	if b.Revision != "" {
		text += ", commit " + b.Revision
	}
	return text
}

// numberText returns the sequence number of a statement about a capability in words.
func numberText(sequence uint64) string {
	if sequence == 0 {
		return ""
	}
	return fmt.Sprintf(", statement %d", sequence)
}

// day returns the word and the date of a time, "" if the time is unknown.
func day(word string, at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return word + at.Format(time.DateOnly)
}

func logText(f *audit.Finding) string {
	c, by := f.Log.Checkpoint, f.Log.By
	text := Count(int(c.Size), "entry") + ", root " + c.Root.String()
	if by.By == "" {
		return text + ", not signed by a known key"
	}
	text += fmt.Sprintf(", signed on %s by %s", c.Signed.Format(time.RFC3339), by.By)
	if len(by.Witnesses) > 0 {
		text += ", witnessed by " + strings.Join(by.Witnesses, ", ")
	}
	if !c.Until.IsZero() {
		text += ", until " + c.Until.Format(time.RFC3339)
	}
	return text
}
