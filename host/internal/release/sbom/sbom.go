// Package sbom answers one question: which modules are in the executables of a release? It is
// answered as a document of SPDX 2.3, from the build information that Go leaves in them.
package sbom

import (
	"encoding/json"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/release/tree"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
)

// document is one of SPDX 2.3.
type document struct {
	Version       string         `json:"spdxVersion"`
	License       string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      creation       `json:"creationInfo"`
	Packages      []component    `json:"packages"`
	Relationships []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

// component is a package of SPDX: an executable or a module.
type component struct {
	ID           string      `json:"SPDXID"`
	Name         string      `json:"name"`
	Version      string      `json:"versionInfo,omitempty"`
	Purpose      string      `json:"primaryPackagePurpose"`
	Supplier     string      `json:"supplier"`
	Download     string      `json:"downloadLocation"`
	Analyzed     bool        `json:"filesAnalyzed"`
	Checksums    []checksum  `json:"checksums,omitempty"`
	SourceInfo   string      `json:"sourceInfo,omitempty"`
	ExternalRefs []reference `json:"externalRefs,omitempty"`
}

type checksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

type reference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	Element string `json:"spdxElementId"`
	Type    string `json:"relationshipType"`
	Related string `json:"relatedSpdxElement"`
}

const (
	documentID  = "SPDXRef-DOCUMENT"
	noAssertion = "NOASSERTION"
)

// SPDX writes the document of a release. The same release gives the same bytes, whenever they are
// asked for: its time is that of the publication.
func SPDX(rel *registry.Release) ([]byte, error) {
	if rel.Table != nil {
		return nil, fmt.Errorf("%s %s is a table, which has no executables and no modules", rel.Capability, rel.Version)
	}
	d := &document{
		Version: "SPDX-2.3", License: "CC0-1.0", ID: documentID, Name: rel.Capability + " " + rel.Version,
		Namespace: "https://spdx.org/spdxdocs/slipstick-" + strings.TrimPrefix(rel.Digest, "sha256:"),
		Creation:  creation{rel.Created.UTC().Format(time.RFC3339), []string{"Tool: slipstick"}},
	}
	if rel.Created.IsZero() { // a document needs a time
		d.Creation.Created = time.Unix(0, 0).UTC().Format(time.RFC3339)
	}
	source := ""
	if b, err := evidence.BuildOf(rel.Evidence); err == nil {
		source = strings.TrimSuffix(fmt.Sprintf("built from the source %s, commit %s", b.Source(), b.Revision), ", commit ")
	}
	known := map[string]bool{}
	for _, platform := range rel.Platforms {
		executable, err := rel.EngineFor(platform)
		if err != nil {
			return nil, err
		}
		info, err := tree.Info(executable)
		if err != nil {
			return nil, fmt.Errorf("engine of %s %s for %s: %w", rel.Capability, rel.Version, platform, err)
		}
		program := component{
			ID: idOf("Program", platform), Name: rel.Capability + " for " + platform, Version: rel.Version, Purpose: "APPLICATION",
			Supplier: noAssertion, Download: noAssertion, SourceInfo: source,
			Checksums: []checksum{{"SHA256", strings.TrimPrefix(rel.Engines[platform], "sha256:")}},
		}
		d.Packages = append(d.Packages, program)
		d.relate(documentID, "DESCRIBES", program.ID)
		for _, m := range modulesOf(info) {
			if !known[m.ID] {
				known[m.ID] = true
				d.Packages = append(d.Packages, m)
			}
			d.relate(program.ID, "DEPENDS_ON", m.ID)
		}
	}
	data, err := json.MarshalIndent(d, "", "  ")
	return append(data, '\n'), err
}

func (d *document) relate(element, kind, related string) {
	d.Relationships = append(d.Relationships, relationship{element, kind, related})
}

// modulesOf returns the modules that are linked into a program, with Go's own library.
func modulesOf(info *debug.BuildInfo) []component {
	list := []component{module("stdlib", strings.TrimPrefix(info.GoVersion, "go"), "")}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Replace != nil && m.Replace.Version != "" && m.Replace.Version != local {
			m = m.Replace
		}
		list = append(list, module(m.Path, m.Version, m.Sum))
	}
	return list
}

// local is the version of a module that was built from a directory.
const local = "(devel)"

func module(path, version, sum string) component {
	c := component{Name: path, Purpose: "LIBRARY", Supplier: noAssertion, Download: noAssertion}
	url := "pkg:golang/" + path
	if sum != "" {
		c.SourceInfo = "sum of the module in go.sum: " + sum
	}
	if sum == "" && path != "stdlib" {
		c.SourceInfo = "part of the source of the release"
	} else {
		c.Version, url = version, url+"@"+strings.ReplaceAll(version, "+", "%2B")
	}
	c.ID = idOf("Module", path+"@"+c.Version)
	c.ExternalRefs = []reference{{"PACKAGE-MANAGER", "purl", url}}
	return c
}

var notInID = regexp.MustCompile(`[^A-Za-z0-9.]`)

// idOf makes an identifier of SPDX, which has letters, digits, dots and hyphens alone. Other
// names have other identifiers, since a hyphen of the name is written as -2d- too.
func idOf(kind, name string) string {
	return "SPDXRef-" + kind + "-" + notInID.ReplaceAllStringFunc(name, func(c string) string { return fmt.Sprintf("-%x-", c) })
}
