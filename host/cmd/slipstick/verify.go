package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/snapshot"
	"github.com/slipstick/slipstick/host/internal/terminal"
	"github.com/slipstick/slipstick/registry"
)

type verifyCmd struct {
	Target string `arg:"" optional:"" help:"CAPABILITY, CAPABILITY@VERSION, the file of a snapshot, or the id or address of one that carries itself (cx_e1_...). Default: the whole registry."`
	JSON   bool   `help:"Print one object with every finding."`
	Again  bool   `name:"run" help:"Compute a snapshot again and compare, bit for bit."`

	Data        string   `default:"${data}" env:"SLIPSTICK_DATA" help:"Directory of the keys that sign snapshots." placeholder:"DIR"`
	SnapshotKey []string `env:"SLIPSTICK_SNAPSHOT_KEY" help:"Seed of the key that signs snapshots, as for serve." placeholder:"SEED"`

	origin
	trusting
	checkpointing
	confinement
}

func (c *verifyCmd) Help() string {
	return `Says line by line what holds, what does not, and what could not be checked, from files alone:
of a release the manifest, the Spec, every engine, the vectors, what is said of it and who signed
that, and the tier that follows; of a snapshot that it is as it was frozen, by whom, and that
the release that computed it is the one in the registry.

  holds      it was compared, and is so
  fails      it is not so
  unchecked  it could not be compared, and why
  ignored    it does not count, and nothing rests on it

The exit code is 0 if nothing fails, 1 if something does, and 3 if something could not be
checked, such as signatures without --trust.`
}

// Outcomes of a check.
const (
	holds     = "holds"
	fails     = "fails"
	unchecked = "unchecked"
	ignored   = "ignored"
)

// verified is one thing that was looked at.
type verified struct {
	Subject string `json:"subject"` // release or snapshot
	What    string `json:"what"`
	Outcome string `json:"outcome"`
	Detail  string `json:"detail"`
}

// verification collects what was looked at.
type verification struct {
	Findings []verified     `json:"findings"`
	Count    map[string]int `json:"count"`
	subject  string
}

func (v *verification) add(what, outcome, format string, args ...any) {
	v.Findings = append(v.Findings, verified{v.subject, what, outcome, fmt.Sprintf(format, args...)})
	v.Count[outcome]++
}

// check adds what holds if err is nil, and fails if not.
func (v *verification) check(what string, err error, format string, args ...any) {
	if err != nil {
		v.add(what, fails, "%v", err)
		return
	}
	v.add(what, holds, format, args...)
}

func (c *verifyCmd) Run(ctx context.Context, s streams) error {
	v := &verification{Count: map[string]int{}}
	if err := c.verify(ctx, s, v); err != nil {
		return err
	}
	if err := v.write(s, c.JSON); err != nil {
		return err
	}
	switch {
	case v.Count[fails] > 0:
		return &failure{exitFailed, fmt.Errorf("%d of %d do not hold", v.Count[fails], len(v.Findings))}
	case v.Count[unchecked] > 0:
		return &failure{exitInternal, fmt.Errorf("%d of %d could not be checked", v.Count[unchecked], len(v.Findings))}
	}
	return nil
}

func (v *verification) write(s streams, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(terminal.Plain(s.out)).Encode(v)
	}
	subject := ""
	for _, f := range v.Findings {
		if f.Subject != subject {
			subject = f.Subject
			terminal.Printf(s.out, "%s\n", subject)
		}
		terminal.Printf(s.out, "  %-9s  %-20s  %s\n", f.Outcome, f.What, f.Detail)
	}
	_, err := fmt.Fprintf(s.out, "%d hold, %d fail, %d could not be checked, %d ignored\n", v.Count[holds], v.Count[fails], v.Count[unchecked], v.Count[ignored])
	return err
}

// embeddedID finds an embedded id, also in an address.
var embeddedID = regexp.MustCompile(`cx_e1_[A-Za-z0-9_-]+`)

// shortID is an id, or an address with one, that names a record in a store.
var shortID = regexp.MustCompile(`(^|/)cx_[a-z2-7]{26}$`)

func (c *verifyCmd) verify(ctx context.Context, s streams, v *verification) error {
	catalog, err := c.catalog(ctx, s.err, true, c.trusting)
	if err != nil {
		return err
	}
	if c.Checkpoint != "" {
		var published []registry.Capability
		for _, e := range catalog.Entries() {
			published = append(published, e.Capability)
		}
		state, err := c.checkpointing.check(c.trusting, c.Data, published)
		var misuse *failure
		if errors.As(err, &misuse) {
			return err
		}
		v.subject = "checkpoint"
		v.check("not behind", err, "number %d of %s, until %s", state.Number, state.Time.Format(time.RFC3339), state.Expires.Format(time.RFC3339))
	}
	target := c.Target
	switch _, statErr := os.Stat(target); {
	case target == "":
		return c.releases(v, catalog.Entries(), "")
	case statErr == nil:
		data, err := os.ReadFile(target)
		if err != nil {
			return err
		}
		record, err := snapshot.ReadRecord(data)
		return c.snapshot(ctx, s, v, catalog, filepath.Base(target), record, err)
	case embeddedID.MatchString(target):
		id := embeddedID.FindString(target)
		record, err := snapshot.ReadEmbedded(id)
		return c.snapshot(ctx, s, v, catalog, "snapshot "+id[:min(len(id), 20)]+"...", record, err)
	case shortID.MatchString(target):
		return errors.New("a short id names a record in the host's store: fetch it (curl HOST/s/ID > snapshot.json) and verify the file")
	}
	id, version, _ := strings.Cut(target, "@")
	entry, err := catalog.Find(id)
	if err != nil {
		return describeProblem(calc.ProblemOf(err))
	}
	return c.releases(v, []*calc.Entry{entry}, version)
}

// releases verifies the releases of the capabilities, or only one version.
func (c *verifyCmd) releases(v *verification, entries []*calc.Entry, version string) error {
	found := version == ""
	for _, e := range entries {
		if e.Problem != nil {
			v.subject = e.ID
			v.add("index", fails, "%v", e.Problem)
		}
		for _, r := range e.Releases {
			if version == "" || r.Version == version {
				found = true
				c.release(v, r)
			}
		}
	}
	if !found {
		return &failure{exitFailed, fmt.Errorf("%s %s is not published", entries[0].ID, version)}
	}
	return nil
}

// release verifies one release.
func (c *verifyCmd) release(v *verification, r *registry.Release) {
	v.subject = r.Capability + " " + r.Version
	if r.Digest != "" {
		v.add("release", holds, "manifest %s", r.Digest)
	}
	for _, platform := range r.Platforms {
		v.check("engine "+platform, r.CheckEngine(platform), "%s", r.Engines[platform])
	}
	var elsewhere *registry.PlatformError
	switch {
	case errors.As(r.Problem, &elsewhere):
		v.add("may be served", ignored, "not here: %v", r.Problem)
	case r.Problem != nil:
		v.add("may be served", fails, "%v", r.Problem)
	}
	if r.SpecJSON != nil {
		v.add("Spec", holds, "%d bytes", len(r.SpecJSON))
	}
	if r.Vectors != nil {
		v.add("vectors", holds, "%d bytes", len(r.Vectors))
	}
	signed := false
	for _, e := range r.Evidence {
		signed = signed || e.Signature != nil
		v.evidence(r, &e)
	}
	if !signed {
		v.add("signatures", ignored, "nobody has signed anything: the digests tell that nothing was damaged, not who published it")
	}
	if r.Problem == nil {
		v.check("tier", r.Verification.Check(), "%s%s", r.Verification.Tier, sources(r))
	}
	v.add("standing", holds, "%s", standingText(r))
}

func sources(r *registry.Release) string {
	if r.Verification.SourceChecked {
		return ", compared with its sources"
	}
	return ", sources not checked"
}

func standingText(r *registry.Release) string {
	if r.State() == registry.Active {
		return string(registry.Active)
	}
	return fmt.Sprintf("%s: %s", r.State(), r.Standing.Reason)
}

// evidence says whether one thing that is said of a release counts.
func (v *verification) evidence(r *registry.Release, e *registry.Evidence) {
	text := []string{describeEvidence(r, e)}
	if e.Signature != nil {
		by := "key " + e.Signature.KeyID
		if e.Signature.Key != "" {
			by = fmt.Sprintf("%s (%s)", e.Signature.Key, e.Signature.KeyID)
		}
		if len(e.Signature.Via) > 0 {
			by += ", who took over from " + strings.Join(e.Signature.Via, " and ")
		}
		text = append(text, "signed by "+by+day(" on ", e.Signature.Time))
	}
	if e.Why != "" {
		text = append(text, e.Why)
	}
	outcome := ignored
	switch {
	case e.Broken:
		outcome = fails
	case e.Unchecked:
		outcome = unchecked
	case e.Counts:
		outcome = holds
	}
	v.add(evidenceNames[string(e.Kind)], outcome, "%s", strings.Join(text, "; "))
}

var evidenceNames = map[string]string{"release": "publisher's signature", "report": "conformance report", "review": "review", "standing": "standing record", "current": "current"}

// numberText is the place of a statement in the life of a capability.
func numberText(sequence uint64) string {
	if sequence == 0 {
		return ""
	}
	return fmt.Sprintf(", statement %d", sequence)
}

func describeEvidence(r *registry.Release, e *registry.Evidence) string {
	switch {
	case e.Report != nil:
		about := "other bytes"
		for _, platform := range r.Platforms {
			for _, digest := range e.Report.EngineDigests {
				if digest == r.Engines[platform] {
					about = "the engine for " + platform
				}
			}
		}
		return fmt.Sprintf("%d of %d vectors, about %s", e.Report.Vectors.Passed, e.Report.Vectors.Total, about)
	case e.Review != nil:
		checked := "sources not checked"
		if e.Review.SourceChecked() {
			checked = "compared with " + e.Review.Sources[0].Reference + ", " + e.Review.Sources[0].Where
		}
		return fmt.Sprintf("%s, %s, %s, %s, %s", e.Review.Kind, e.Review.Reviewer, e.Review.Role, e.Review.Date, checked)
	case e.Standing != nil:
		return string(e.Standing.State) + day(" since ", e.Standing.Since) + numberText(e.Standing.Sequence)
	case e.Lead != nil:
		return "current from then on" + numberText(e.Lead.Sequence)
	}
	return "of this release"
}

// day is the word and the day of a time, "" for one that is not known.
func day(word string, at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return word + at.Format(time.DateOnly)
}
