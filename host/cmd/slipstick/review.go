package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/slipstick/slipstick/host/internal/cli/setting"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk/verification"
)

// attaching is a release of which something is said.
type attaching struct {
	Release setting.Release `arg:"" complete:"release" help:"Release, as CAPABILITY@VERSION."`

	origin
}

// attach lets f attach something, signed with the key, and says what it was.
func (a *attaching) attach(ctx context.Context, s streams, what, key string, f func(reg *registry.Registry, capability string) (digest string, err error)) error {
	reg, err := a.signed(ctx, s, signing{key})
	if err != nil {
		return err
	}
	defer reg.Close()
	var capability, digest string
	err = reg.Change(ctx, a.Release.ID, func(reg *registry.Registry, id string) (err error) {
		capability = id
		digest, err = f(reg, id)
		return err
	})
	if err == nil {
		fmt.Fprintf(s.out, "%s %s %s (%s)\n", what, capability, a.Release.Version, digest)
	}
	return err
}

type signCmd struct {
	attaching
	Key string `required:"" help:"Secret key of a publisher (NAME.key)." placeholder:"FILE"`
}

func (c *signCmd) Run(ctx context.Context, s streams) error {
	return c.attach(ctx, s, "signed", c.Key, func(reg *registry.Registry, capability string) (string, error) {
		return reg.SignRelease(ctx, capability, c.Release.Version)
	})
}

type attachReportCmd struct {
	attaching
	Report string `arg:"" type:"existingfile" help:"Conformance report, as slipstick check --json prints it."`
	signing
}

func (c *attachReportCmd) Run(ctx context.Context, s streams) error {
	report, err := os.ReadFile(c.Report)
	if err != nil {
		return &failure{exitMisuse, err}
	}
	return c.attach(ctx, s, "reported", c.Sign, func(reg *registry.Registry, capability string) (string, error) {
		return reg.AttachReport(ctx, capability, c.Release.Version, report)
	})
}

type reviewCmd struct {
	attaching
	Key string `required:"" help:"Secret key of the reviewer (NAME.key)." placeholder:"FILE"`

	Reviewer string   `help:"Name of who reviewed." placeholder:"NAME"`
	Role     string   `help:"What makes the reviewer one, such as \"structural engineer\"." placeholder:"TEXT"`
	Kind     string   `help:"internal (of the house) or expert (independent)." placeholder:"KIND"`
	Date     string   `help:"Day of the review. Default: today." placeholder:"YYYY-MM-DD"`
	Source   []string `name:"source-checked" sep:"none" help:"A source that the formulas were compared with: \"reference; edition; table, case or page\". Once for each. Without any the sources count as not checked." placeholder:"TEXT"`
	Notes    string   `help:"What was looked at, and what was not." placeholder:"TEXT"`
	Trust    string   `env:"SLIPSTICK_TRUST" help:"Trust file of the hosts, to say whether the review counts for them." placeholder:"FILE"`
}

func (c *reviewCmd) Run(ctx context.Context, s streams) error {
	if err := terminal.Ask(s.in, s.err, []terminal.Question{
		{Flag: "--reviewer", Text: "Who reviewed?", Answer: &c.Reviewer},
		{Flag: "--role", Text: "What is their role?", Answer: &c.Role},
		{Flag: "--kind", Text: "internal or expert?", Answer: &c.Kind},
	}); err != nil {
		return &failure{exitMisuse, err}
	}
	review, err := c.review()
	if err != nil {
		return &failure{exitMisuse, err}
	}
	var id, digest string
	if err := c.attach(ctx, s, "reviewed", c.Key, func(reg *registry.Registry, capability string) (string, error) {
		id = capability
		digest, err = reg.AttachReview(ctx, capability, c.Release.Version, review)
		return digest, err
	}); err != nil {
		return err
	}
	return c.tell(ctx, s, id, digest)
}

// tell says whether the review counts for hosts with the trust file, and if not, why and what to do.
func (c *reviewCmd) tell(ctx context.Context, s streams, capability, digest string) error {
	list, err := c.capabilities(ctx, s.err, false, trusting{Trust: c.Trust})
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
				fmt.Fprintf(s.err, "slipstick: %s\n", weigh(&rel.Evidence[at], rel.Verification.Tier))
			}
		}
	}
	return nil
}

// weigh says what a review is worth for a release of the tier.
func weigh(review *evidence.Evidence, tier verification.Tier) string {
	switch {
	case review.Unchecked:
		return "it counts for hosts whose trust file has this key with the role review, or expert for a review of that kind. " +
			"None was given here, so whether yours have it is not known: --trust FILE looks. slipstick keys --help has the entry"
	case !review.Counts:
		return "it does not count for hosts with this trust file: " + review.Why
	case !review.Review.SourceChecked():
		return fmt.Sprintf("it counts, and lifts no tier: it names no source that was compared, as --source-checked does. The release is %s", tier)
	}
	return fmt.Sprintf("it counts: the release is %s", tier)
}

func (c *reviewCmd) review() (evidence.Review, error) {
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
