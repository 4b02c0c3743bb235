package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/versions"
)

type listCmd struct {
	JSON     bool `help:"Print one object per release." xor:"form"`
	Markdown bool `help:"Print an index for people, a table per domain and group." xor:"form"`

	origin
	trusting
}

func (c *listCmd) Run(ctx context.Context, s streams) error {
	catalog, err := c.origin.catalog(ctx, s.err, false, c.trusting)
	if err != nil {
		return err
	}
	if c.Markdown {
		return writeIndex(s.out, catalog)
	}
	t := tabwriter.NewWriter(s.out, 0, 8, 2, ' ', 0)
	defer t.Flush()
	if !c.JSON {
		fmt.Fprintln(t, "CAPABILITY\tTOOL\tVERSION\tTIER\tENGINE\tSTATE")
	}
	for _, e := range catalog.Entries() {
		for _, row := range listRows(e) {
			if c.JSON {
				if err := json.NewEncoder(plain(s.out)).Encode(row); err != nil {
					return err
				}
				continue
			}
			engine := row.EngineDigest
			printLine(t, "%s\t%s\t%s\t%s\t%s\t%s\n", row.Capability, row.Tool, row.Version, row.Tier, engine[:min(19, len(engine))], row.state())
		}
	}
	return nil
}

// listRow is one release, or one capability that cannot be read.
type listRow struct {
	Capability   string   `json:"capability_id"`
	Tool         string   `json:"tool,omitempty"`
	Version      string   `json:"calculation_version,omitempty"`
	Tier         sdk.Tier `json:"tier,omitempty"`
	EngineDigest string   `json:"engine_digest,omitempty"`
	Current      bool     `json:"current"`
	State        string   `json:"state,omitempty"`
	Reason       string   `json:"reason,omitempty"`
	Problem      string   `json:"problem,omitempty"`
}

func (r listRow) state() string {
	switch {
	case r.Problem != "":
		return "out of service: " + r.Problem
	case r.State != string(registry.Active):
		return r.State + ": " + r.Reason
	case r.Current:
		return "current"
	}
	return ""
}

func listRows(e *calc.Entry) []listRow {
	if e.Problem != nil {
		return []listRow{{Capability: e.ID, Problem: e.Problem.Error()}}
	}
	var rows []listRow
	for _, r := range e.Releases {
		row := listRow{
			Capability: e.ID, Tool: e.Tool, Version: r.Version, Tier: r.Verification.Tier,
			EngineDigest: r.EngineDigest, Current: r.Version == e.Current,
			State: string(r.State()), Reason: r.Standing.Reason,
		}
		if r.Problem != nil {
			row.Problem = r.Problem.Error()
		}
		rows = append(rows, row)
	}
	return rows
}

type showCmd struct {
	ID   string `arg:"" help:"Capability or tool."`
	Pin  string `help:"Describe this published version instead of the current one." placeholder:"VERSION"`
	JSON bool   `help:"Print the Spec as published."`

	origin
	trusting
}

func (c *showCmd) Run(ctx context.Context, s streams) error {
	catalog, err := c.origin.catalog(ctx, s.err, false, c.trusting)
	if err != nil {
		return err
	}
	entry, err := catalog.Find(c.ID)
	if err != nil {
		return describeProblem(calc.ProblemOf(err))
	}
	var pins []versions.Pin
	if c.Pin != "" {
		pins = []versions.Pin{{Place: versions.InCommand, Name: "--pin", Value: c.Pin}}
	}
	release, err := entry.Release(pins)
	if err != nil {
		return describeProblem(calc.ProblemOf(err))
	}
	if c.JSON {
		_, err := plain(s.out).Write(append(release.SpecJSON, '\n'))
		return err
	}
	return printRelease(s.out, entry, release)
}

func printRelease(w io.Writer, e *calc.Entry, r *registry.Release) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	printLine(t, "%s\n%s\n", r.Spec.Title, r.Spec.Summary)
	printLine(t, "\ninputs\n")
	for i := range r.Spec.Inputs {
		f := &r.Spec.Inputs[i]
		printLine(t, "  %s\t%s\t%s\t%s\n", strings.Join(append([]string{f.Name}, f.Aliases...), ", "), kindOf(f), presence(f), f.Doc)
	}
	printLine(t, "\nresults\n")
	for i := range r.Spec.Outputs {
		f := &r.Spec.Outputs[i]
		printLine(t, "  %s\t%s\t%s\n", f.Name, kindOf(f), f.Doc)
	}
	for _, f := range r.Spec.Formulas {
		printLine(t, "\nformula %s\n  %s\n", f.ID, f.Expression)
	}
	printList(t, "assumptions", r.Spec.Assumptions)
	if r.Spec.SignConvention != "" {
		printList(t, "sign convention", []string{r.Spec.SignConvention})
	}
	var references []string
	for _, ref := range r.Spec.References {
		references = append(references, strings.TrimSuffix(ref.Title+", "+ref.Where, ", "))
	}
	printList(t, "references", references)
	printList(t, "errors", r.Spec.Errors)
	printList(t, "warnings", r.Spec.Warnings)
	var published []string
	for _, other := range e.Releases {
		published = append(published, other.Version)
	}
	printLine(t, "\npublished\n  %s %s of %s, tier %s\n  engine %s\n  release %s\n", r.Capability, r.Version,
		strings.Join(published, ", "), r.Verification.Tier, r.EngineDigest, r.Digest)
	return t.Flush()
}

func kindOf(f *sdk.Field) string {
	switch {
	case len(f.Enum) > 0:
		return strings.Join(f.Enum, " | ")
	case f.Unit != "":
		return f.Unit
	}
	return string(f.Type)
}

func presence(f *sdk.Field) string {
	switch {
	case f.Required:
		return "required"
	case f.Default != "":
		return "default " + f.Default
	}
	return "optional"
}
