package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
)

// Release describes one release for people: its inputs, results, rules and evidence.
func Release(w io.Writer, e *catalog.Entry, r *registry.Release) error {
	t := columns(w, 2)
	Printf(t, "%s\n%s\n", r.Spec.Title, r.Spec.Summary)
	Printf(t, "\ninputs\n")
	for i := range r.Spec.Inputs {
		f := &r.Spec.Inputs[i]
		Printf(t, "  %s\t%s\t%s\t%s\n", strings.Join(append([]string{f.Name}, f.Aliases...), ", "), kindOf(f), presence(f), f.Doc)
	}
	Printf(t, "\nresults\n")
	for i := range r.Spec.Outputs {
		f := &r.Spec.Outputs[i]
		Printf(t, "  %s\t%s\t%s\n", f.Name, kindOf(f), f.Doc)
	}
	for _, f := range r.Spec.Formulas {
		Printf(t, "\nformula %s\n  %s\n", f.ID, f.Expression)
	}
	if r.Spec.Changes != "" {
		list(t, "changed in "+r.Version, []string{r.Spec.Changes})
	}
	list(t, "assumptions", r.Spec.Assumptions)
	if r.Spec.SignConvention != "" {
		list(t, "sign convention", []string{r.Spec.SignConvention})
	}
	var references []string
	for _, ref := range r.Spec.References {
		references = append(references, strings.TrimSuffix(ref.Title+", "+ref.Where, ", "))
	}
	list(t, "references", references)
	list(t, "errors", r.Spec.Errors)
	list(t, "warnings", r.Spec.Warnings)
	var published []string
	for _, other := range e.Releases {
		published = append(published, other.Version)
	}
	Printf(t, "\npublished\n  %s %s of %s, tier %s\n  engine %s\n  release %s\n", r.Capability, r.Version,
		strings.Join(published, ", "), r.Verification.Tier, r.EngineDigest, r.Digest)
	if by := evidence.Rebuilders(r.Evidence); len(by) > 0 {
		Printf(t, "  rebuilt from source by %s: %s\n", parties(len(by)), strings.Join(by, ", "))
	}
	return t.Flush()
}

// parties returns the number of parties that rebuilt a release, in words.
func parties(n int) string {
	if n == 1 {
		return "1 party"
	}
	return fmt.Sprintf("%d parties", n)
}

func kindOf(f *sdk.Field) string {
	switch {
	case len(f.Enum) > 0:
		return strings.Join(f.Enum, " | ")
	case f.Unit != "":
		return f.Unit
	case f.UnitBy != nil:
		return f.UnitBy.String()
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
