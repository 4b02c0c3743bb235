// Package spdx writes SPDX 2.3 documents, which list the components of programs. Start with [New], add programs
// and their modules with [Document.Add], and write the document with [Document.JSON].
package spdx

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Document is a list of components in the form of SPDX 2.3.
type Document struct {
	Version       string         `json:"spdxVersion"`
	License       string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"` // a URI that no other document has
	Creation      creation       `json:"creationInfo"`
	Packages      []component    `json:"packages"`
	Extracted     []extracted    `json:"hasExtractedLicensingInfos,omitempty"`
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
	Declared     string      `json:"licenseDeclared,omitempty"`
	SourceInfo   string      `json:"sourceInfo,omitempty"`
	ExternalRefs []reference `json:"externalRefs,omitempty"`
}

// extracted is the text of a licence that SPDX does not list.
type extracted struct {
	ID   string `json:"licenseId"`
	Text string `json:"extractedText"`
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

// New returns a document without components, with the tool and the time of its creation.
func New(name, tool string, created time.Time) *Document {
	return &Document{
		Version: "SPDX-2.3", License: "CC0-1.0", ID: documentID, Name: name,
		Creation: creation{created.UTC().Format(time.RFC3339), []string{"Tool: " + tool}},
	}
}

// Program is an executable.
type Program struct {
	Name, Version, Platform string
	SHA256                  string // digest of the file, in hex
	Source                  string // description of its source, or empty
	Licence                 string // SPDX id, or empty
}

// Module is a library of Go or npm.
type Module struct {
	Ecosystem     string // the type of its package URL: "golang" or "npm"
	Path, Version string // a module without a version is part of the source of the program
	Source        string // description of its source, or empty
}

// Extract adds the text of a licence with an id such as LicenseRef-Own.
func (d *Document) Extract(id, text string) { d.Extracted = append(d.Extracted, extracted{id, text}) }

// Add adds a program and the modules that are linked into it. Several programs can share a module.
func (d *Document) Add(p Program, modules []Module) {
	program := component{
		ID: idOf("Program", p.Platform), Name: p.Name + " for " + p.Platform, Version: p.Version, Purpose: "APPLICATION",
		Supplier: noAssertion, Download: noAssertion, Declared: p.Licence, SourceInfo: p.Source, Checksums: []checksum{{"SHA256", p.SHA256}},
	}
	for d.has(program.ID) { // another program for the platform
		program.ID = idOf("Program", p.Name+" "+p.Platform)
	}
	d.Packages = append(d.Packages, program)
	d.relate(documentID, "DESCRIBES", program.ID)
	for _, m := range modules {
		c := m.component()
		if !d.has(c.ID) {
			d.Packages = append(d.Packages, c)
		}
		d.relate(program.ID, "DEPENDS_ON", c.ID)
	}
}

func (m Module) component() component {
	url := "pkg:" + m.Ecosystem + "/" + strings.ReplaceAll(m.Path, "@", "%40")
	if m.Version != "" {
		url += "@" + strings.ReplaceAll(m.Version, "+", "%2B")
	}
	return component{
		ID: idOf("Module", m.Path+"@"+m.Version), Name: m.Path, Version: m.Version, Purpose: "LIBRARY", Supplier: noAssertion, Download: noAssertion,
		SourceInfo: m.Source, ExternalRefs: []reference{{"PACKAGE-MANAGER", "purl", url}},
	}
}

func (d *Document) has(id string) bool {
	return slices.ContainsFunc(d.Packages, func(c component) bool { return c.ID == id })
}

func (d *Document) relate(element, kind, related string) {
	d.Relationships = append(d.Relationships, relationship{element, kind, related})
}

// JSON returns the text of the document.
func (d *Document) JSON() ([]byte, error) {
	data, err := json.MarshalIndent(d, "", "  ")
	return append(data, '\n'), err
}

var notInID = regexp.MustCompile(`[^A-Za-z0-9.]`)

// idOf returns an SPDX identifier, which has only letters, digits, dots and hyphens. Different names have
// different identifiers, because a hyphen of the name also becomes -2d-.
func idOf(kind, name string) string {
	return "SPDXRef-" + kind + "-" + notInID.ReplaceAllStringFunc(name, func(c string) string { return fmt.Sprintf("-%x-", c) })
}
