package registry

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk/verification"
)

// Sign has the options of slipstick sign.
type Sign struct {
	command.ReleaseFlags
	Key string
}

// Run signs a release.
func (c *Sign) Run(ctx context.Context, s command.Streams) error {
	return c.Attach(ctx, s, "signed", c.Key, func(reg *registry.Registry, capability string) (string, error) {
		return reg.SignRelease(ctx, capability, c.Release.Version)
	})
}

// AttachReport has the options of slipstick attach-report.
type AttachReport struct {
	command.ReleaseFlags
	Report string
	command.SigningFlag
}

// Run attaches a conformance report to a release.
func (c *AttachReport) Run(ctx context.Context, s command.Streams) error {
	report, err := os.ReadFile(c.Report)
	if err != nil {
		return command.Misuse(err)
	}
	return c.Attach(ctx, s, "reported", c.Sign, func(reg *registry.Registry, capability string) (string, error) {
		return reg.AttachReport(ctx, capability, c.Release.Version, report)
	})
}

// Review has the options of slipstick review.
type Review struct {
	command.ReleaseFlags
	Key string

	Reviewer string
	Role     string
	Kind     string
	Date     string
	Source   []string
	Notes    string
	Trust    string
}

// Run attaches a review to a release, and prints whether it counts.
func (c *Review) Run(ctx context.Context, s command.Streams) error {
	if err := terminal.Ask(s.In, s.Err, []terminal.Question{
		{Flag: "--reviewer", Text: "Name of the reviewer?", Answer: &c.Reviewer},
		{Flag: "--role", Text: "Qualification of the reviewer?", Answer: &c.Role},
		{Flag: "--kind", Text: "Kind of the review, internal or expert?", Answer: &c.Kind},
	}); err != nil {
		return command.Misuse(err)
	}
	review, err := c.review()
	if err != nil {
		return command.Misuse(err)
	}
	var id, digest string
	if err := c.Attach(ctx, s, "reviewed", c.Key, func(reg *registry.Registry, capability string) (string, error) {
		id = capability
		digest, err = reg.AttachReview(ctx, capability, c.Release.Version, review)
		return digest, err
	}); err != nil {
		return err
	}
	return c.printEffect(ctx, s, id, digest)
}

// printEffect prints whether the review counts for servers with the trust file. If it does not count, it prints why.
func (c *Review) printEffect(ctx context.Context, s command.Streams, capability, digest string) error {
	list, err := c.Capabilities(ctx, s.Err, false, command.TrustFlags{Trust: c.Trust})
	if err != nil {
		return fmt.Errorf("the review is attached, but whether it counts could not be read: %w", err)
	}
	for _, one := range list {
		for _, rel := range one.Releases {
			if one.ID != capability || rel.Version != c.Release.Version {
				continue
			}
			at := slices.IndexFunc(rel.Evidence, func(e evidence.Evidence) bool { return e.Digest == digest })
			if at >= 0 {
				fmt.Fprintf(s.Err, "slipstick: %s\n", weigh(&rel.Evidence[at], rel.Verification.Tier))
			}
		}
	}
	return nil
}

// weigh describes the effect of a review on a release of the tier.
func weigh(review *evidence.Evidence, tier verification.Tier) string {
	switch {
	case review.Unchecked:
		return "it counts for servers with this key in their trust file, with the role review, or expert for an expert review. " +
			"Use --trust FILE to check a trust file. slipstick keys --help describes the entry"
	case !review.Counts:
		return "it does not count for servers with this trust file: " + review.Why
	case !review.Review.SourceChecked():
		return fmt.Sprintf("it counts, but does not raise the tier, because it has no --source-checked. The release is %s", tier)
	}
	return fmt.Sprintf("it counts: the release is %s", tier)
}

func (c *Review) review() (evidence.Review, error) {
	r := evidence.Review{Reviewer: c.Reviewer, Role: c.Role, Kind: evidence.ReviewKind(c.Kind), Date: c.Date, Notes: c.Notes}
	if r.Date == "" {
		r.Date = time.Now().UTC().Format(time.DateOnly)
	}
	for _, text := range c.Source {
		source, err := evidence.ParseSource(text)
		if err != nil {
			return r, fmt.Errorf("--source-checked is %w", err)
		}
		r.Sources = append(r.Sources, source)
	}
	return r, r.Check()
}
