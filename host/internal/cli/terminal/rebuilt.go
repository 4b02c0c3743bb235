package terminal

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/slipstick/slipstick/host/internal/release/rebuild"
)

// Rebuilt writes whether a release was rebuilt, and otherwise the first difference. For programs it writes JSON.
func Rebuilt(w io.Writer, r *rebuild.Result, asJSON bool) error {
	if asJSON {
		document := struct {
			Capability string              `json:"capability_id"`
			Version    string              `json:"calculation_version"`
			Same       bool                `json:"same"`
			Source     string              `json:"source"`
			Toolchain  string              `json:"toolchain"`
			Published  map[string]string   `json:"published"`
			Rebuilt    map[string]string   `json:"rebuilt"` // null if the source differs, so that nothing was built
			Difference *rebuild.Difference `json:"difference"`
		}{Capability: r.Capability, Version: r.Version, Same: r.Difference == nil, Source: r.Published.Source(), Toolchain: r.Published.Toolchain, Published: r.Published.Engines, Difference: r.Difference}
		if r.Rebuilt != nil {
			document.Rebuilt = r.Rebuilt.Engines
		}
		return json.NewEncoder(Plain(w)).Encode(document)
	}
	Printf(w, "%s %s, source %s, %s\n", r.Capability, r.Version, r.Published.Source(), cmp.Or(r.Published.Toolchain, "a document"))
	for _, platform := range slices.Sorted(maps.Keys(r.Published.Runtimes)) {
		Printf(w, "  %-13s  runtime %s\n", platform, r.Published.Runtimes[platform])
	}
	if r.Rebuilt != nil {
		for _, platform := range slices.Sorted(maps.Keys(r.Rebuilt.Engines)) {
			outcome := "the published bytes"
			if r.Rebuilt.Engines[platform] != r.Published.Engines[platform] {
				outcome = "other bytes than " + r.Published.Engines[platform]
			}
			Printf(w, "  %-13s  %s  %s\n", platform, r.Rebuilt.Engines[platform], outcome)
		}
	}
	if r.Difference != nil {
		Printf(w, "  first difference: %s\n", differenceText(r.Difference))
		return nil
	}
	_, err := fmt.Fprintf(w, "rebuilt: %s, the same bytes\n", Count(len(r.Rebuilt.Engines), "executable"))
	return err
}

// differenceText describes a difference and its meaning.
func differenceText(d *rebuild.Difference) string {
	published, found := cmp.Or(d.Published, "nothing"), cmp.Or(d.Found, "nothing")
	switch d.Kind {
	case rebuild.ChangedFile:
		return fmt.Sprintf("the file %s has other content than the release was built from; nothing was built", d.Name)
	case rebuild.MissingFile:
		return fmt.Sprintf("the file %s is missing, from which the release was built; nothing was built", d.Name)
	case rebuild.AddedFile:
		return fmt.Sprintf("the file %s is part of this source, and the release was built without it; nothing was built", d.Name)
	case rebuild.Toolchain:
		return fmt.Sprintf("the executable for %s was built by %s, and this one by %s", d.Platform, published, found)
	case rebuild.Program:
		return fmt.Sprintf("the executable for %s is the program %s, and the source makes %s", d.Platform, published, found)
	case rebuild.Module:
		return fmt.Sprintf("the executable for %s has the module %s as %s, and this one as %s", d.Platform, d.Name, published, found)
	case rebuild.Setting:
		return fmt.Sprintf("the executable for %s was built with %s=%s, and this one with %s", d.Platform, d.Name, published, found)
	case rebuild.Function:
		return fmt.Sprintf("in the executable for %s the function %s has other code (%s, and %s of this source). Files, modules, settings and Go are the same. "+
			"Either the published bytes are not of the recorded source, or one of the two Go installations was changed", d.Platform, d.Name, published, found)
	case rebuild.Section:
		return fmt.Sprintf("the executable for %s has other data in the section %s (%s, and %s of this source); the code of all functions is the same", d.Platform, d.Name, published, found)
	}
	return fmt.Sprintf("the executable for %s has other bytes (%s, and %s of this source), and no part of it could be identified", d.Platform, published, found)
}
