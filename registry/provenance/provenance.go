// Package provenance describes the source and the settings from which a release was built. Use it
// to record a build, or to build a release again and compare the bytes. A [Build] has the digests
// of the engines, the source files, the modules and the toolchain. [Build.Statement] writes it as a
// Statement of in-toto (v1) with the predicate of SLSA for builds (v1), and [Parse] reads one. So
// common tools that know neither Slipstick nor Go can read it. A Build is a claim: package sign
// checks who made it.
package provenance

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/slipstick/slipstick/sdk/visible"
)

// Build is how the engines of a release were built.
type Build struct {
	Engines   map[string]string // digests of the executables by platform
	Package   string            // import path of the program
	Toolchain string            // such as go1.26.8
	Settings  []string          // flags and environment variables that affect the bytes
	Files     []File            // source of the program and of the modules next to it, sorted by name
	Modules   []Module          // fetched ones, sorted by path
	Revision  string            // commit that has the files, "" if not known

	// Runtimes are the digests of the runtimes by platform if the engines are text engines. Then Files are
	// [Document] and, if there are such files, [Vectors] and [Closure]. Package, Toolchain, Settings and Modules are empty.
	Runtimes map[string]string
}

// Names of the files of a text engine.
const (
	Document = "document"
	Vectors  = "vectors"
	Closure  = "closure"
)

// File is a file of the source, by the path of its module and its place there.
type File struct{ Name, SHA256 string }

// Module is a module with the sum that go.sum has for it.
type Module struct{ Path, Version, Sum string }

// Summary is a build without its lists.
type Summary struct {
	Package   string `json:"package"`
	Toolchain string `json:"toolchain"`
	Source    string `json:"source"` // see [Build.Source]
	Revision  string `json:"revision,omitempty"`
	Files     int    `json:"files"`
	Modules   int    `json:"modules"`
}

// Summary returns the build without its lists.
func (b *Build) Summary() Summary {
	return Summary{b.Package, b.Toolchain, b.Source(), b.Revision, len(b.Files), len(b.Modules)}
}

// Source returns the hash of the files, as go.sum has it for a module with these files.
func (b *Build) Source() string {
	sum := b.sum()
	return hashPrefix + base64.StdEncoding.EncodeToString(sum[:])
}

const hashPrefix = "h1:"

func (b *Build) sum() [sha256.Size]byte {
	var list strings.Builder
	for _, f := range b.Files {
		fmt.Fprintf(&list, "%s  %s\n", f.SHA256, f.Name)
	}
	return sha256.Sum256([]byte(list.String()))
}

// Limits on a build.
const (
	MaxFiles   = 5000
	maxModules = 1000
	maxEngines = 64
	maxText    = 500
)

// Names of the public formats, and of this kind of build.
const (
	statementType = "https://in-toto.io/Statement/v1"
	predicateType = "https://slsa.dev/provenance/v1"
	buildType     = "https://github.com/slipstick/slipstick/go-engine/v1"   // docs/guides/rebuild.md describes both
	textBuildType = "https://github.com/slipstick/slipstick/text-engine/v1" // of a runtime and a document
)

// statement is the document. Its members are defined by in-toto and SLSA.
type statement struct {
	Type          string     `json:"_type"`
	Subject       []resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     predicate  `json:"predicate"`
}

type predicate struct {
	BuildDefinition buildDefinition `json:"buildDefinition"`
	RunDetails      runDetails      `json:"runDetails"`
}

type buildDefinition struct {
	BuildType            string     `json:"buildType"`
	ExternalParameters   parameters `json:"externalParameters"`
	ResolvedDependencies []resource `json:"resolvedDependencies"`
}

type parameters struct {
	Package   string   `json:"package,omitzero"`
	Toolchain string   `json:"toolchain,omitzero"`
	Settings  []string `json:"settings,omitzero"`
}

type runDetails struct {
	Builder struct {
		ID string `json:"id"`
	} `json:"builder"`
}

type resource struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest"`
}

// Names of resources that are not files, and algorithms of digests.
const (
	sourceName   = "source"
	revisionName = "revision"
	modulePrefix = "pkg:golang/" // package URL

	sha256Name  = "sha256"
	dirHashName = "dirHash"
	commitName  = "gitCommit"

	runtimePrefix = "runtime " // before a platform
)

// texts returns all texts that people read.
func (b *Build) texts() []string {
	list := append([]string{b.Package, b.Toolchain, b.Revision}, b.Settings...)
	for _, f := range b.Files {
		list = append(list, f.Name)
	}
	for _, m := range b.Modules {
		list = append(list, m.Path, m.Version)
	}
	return list
}

// Statement writes a build as a document. The signature names the party that built, so the
// builder in the document is the program. The same build always gives the same bytes.
func (b *Build) Statement() ([]byte, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	for _, text := range b.texts() {
		if err := visible.Check(text); err != nil {
			return nil, err
		}
	}
	s := statement{Type: statementType, PredicateType: predicateType}
	for _, platform := range slices.Sorted(maps.Keys(b.Engines)) {
		s.Subject = append(s.Subject, resource{Name: platform, Digest: map[string]string{sha256Name: strings.TrimPrefix(b.Engines[platform], digestPrefix)}})
	}
	d := &s.Predicate.BuildDefinition
	d.BuildType, d.ExternalParameters = b.kind(), parameters{b.Package, b.Toolchain, b.Settings}
	sum := b.sum()
	add := func(r resource) { d.ResolvedDependencies = append(d.ResolvedDependencies, r) }
	add(resource{Name: sourceName, Digest: map[string]string{dirHashName: hex.EncodeToString(sum[:])}})
	if b.Revision != "" {
		add(resource{Name: revisionName, Digest: map[string]string{commitName: b.Revision}})
	}
	for _, f := range b.Files {
		add(resource{Name: f.Name, Digest: map[string]string{sha256Name: f.SHA256}})
	}
	for _, m := range b.Modules {
		sum, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, hashPrefix)) // it was checked before
		add(resource{URI: modulePrefix + m.Path + "@" + m.Version, Digest: map[string]string{dirHashName: hex.EncodeToString(sum)}})
	}
	for _, platform := range slices.Sorted(maps.Keys(b.Runtimes)) {
		add(resource{Name: runtimePrefix + platform, Digest: map[string]string{sha256Name: strings.TrimPrefix(b.Runtimes[platform], digestPrefix)}})
	}
	s.Predicate.RunDetails.Builder.ID = d.BuildType
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	value := jsontext.Value(data)
	err = value.Canonicalize()
	return value, err
}

// kind returns the build type.
func (b *Build) kind() string {
	if len(b.Runtimes) > 0 {
		return textBuildType
	}
	return buildType
}

// Parse reads a document. It ignores members that it does not know, as SLSA asks.
func Parse(data []byte) (*Build, error) {
	var s statement
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("the provenance cannot be read: %w", err)
	}
	d := &s.Predicate.BuildDefinition
	if s.Type != statementType || s.PredicateType != predicateType || d.BuildType != buildType && d.BuildType != textBuildType {
		return nil, fmt.Errorf("the provenance is a %.100q with the predicate %.100q of a build %.100q, not a %q, %q, %q or %q",
			s.Type, s.PredicateType, d.BuildType, statementType, predicateType, buildType, textBuildType)
	}
	b := &Build{Engines: map[string]string{}, Package: d.ExternalParameters.Package, Toolchain: d.ExternalParameters.Toolchain, Settings: d.ExternalParameters.Settings}
	for _, r := range s.Subject {
		if b.Engines[r.Name] != "" {
			return nil, fmt.Errorf("the provenance names %.100q twice", r.Name)
		}
		b.Engines[r.Name] = digestPrefix + r.Digest[sha256Name]
	}
	source := ""
	for _, r := range d.ResolvedDependencies {
		on, isRuntime := strings.CutPrefix(r.Name, runtimePrefix)
		switch id, fetched := strings.CutPrefix(r.URI, modulePrefix); {
		case isRuntime && d.BuildType == textBuildType:
			if b.Runtimes == nil {
				b.Runtimes = map[string]string{}
			}
			b.Runtimes[on] = digestPrefix + r.Digest[sha256Name]
		case fetched:
			path, version, _ := strings.Cut(id, "@")
			sum, err := hex.DecodeString(r.Digest[dirHashName])
			if err != nil {
				return nil, fmt.Errorf("the provenance has no dirHash of the module %.200q", id)
			}
			b.Modules = append(b.Modules, Module{path, version, hashPrefix + base64.StdEncoding.EncodeToString(sum)})
		case r.Name == sourceName:
			source = r.Digest[dirHashName]
		case r.Name == revisionName:
			b.Revision = r.Digest[commitName]
		default:
			b.Files = append(b.Files, File{r.Name, r.Digest[sha256Name]})
		}
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	if b.kind() != d.BuildType {
		return nil, errors.New("the provenance of a text engine has no runtime")
	}
	if sum := b.sum(); source != hex.EncodeToString(sum[:]) {
		return nil, errors.New("the provenance has another hash of the source than its files give")
	}
	return b, nil
}

const digestPrefix = "sha256:"

// Forms of texts in a document. Some of them become parts of command lines.
var (
	packageForm   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~/-]*$`)
	toolchainForm = regexp.MustCompile(`^go1\.[0-9]{1,3}(\.[0-9]{1,3}|rc[0-9]{1,2})?$`)
	settingForm   = regexp.MustCompile(`^[!-~]+$`)
	revisionForm  = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	platformForm  = regexp.MustCompile(`^[a-z0-9]{1,16}/[a-z0-9]{1,16}$`)
	sumForm       = regexp.MustCompile(`^[0-9a-f]{64}$`)
	moduleSumForm = regexp.MustCompile(`^h1:[A-Za-z0-9+/]{43}=$`)
)

// IsRevision reports whether a text is a whole commit id.
func IsRevision(text string) bool { return revisionForm.MatchString(text) }

// check returns an error unless the build is complete and within its bounds.
func (b *Build) check() error {
	if len(b.Engines) == 0 || len(b.Engines) > maxEngines || len(b.Files) == 0 || len(b.Files) > MaxFiles || len(b.Modules) > maxModules || len(b.Settings) > maxEngines {
		return fmt.Errorf("the provenance has %d executables of %d files and %d modules: between 1 and %d, 1 and %d, 0 and %d are read",
			len(b.Engines), len(b.Files), len(b.Modules), maxEngines, MaxFiles, maxModules)
	}
	type text struct {
		what, text string
		form       *regexp.Regexp
	}
	var all []text
	if len(b.Runtimes) > 0 {
		if err := b.checkText(); err != nil {
			return err
		}
	} else {
		all = append(all, text{"package", b.Package, packageForm}, text{"toolchain", b.Toolchain, toolchainForm})
	}
	for _, runtime := range b.Runtimes {
		all = append(all, text{"digest of a runtime", strings.TrimPrefix(runtime, digestPrefix), sumForm})
	}
	if b.Revision != "" {
		all = append(all, text{"revision", b.Revision, revisionForm})
	}
	for _, s := range b.Settings {
		all = append(all, text{"setting", s, settingForm})
	}
	for platform, engine := range b.Engines {
		all = append(all, text{"platform", platform, platformForm}, text{"digest", strings.TrimPrefix(engine, digestPrefix), sumForm})
	}
	for _, f := range b.Files {
		all = append(all, text{"digest of a file", f.SHA256, sumForm})
	}
	for _, m := range b.Modules {
		all = append(all, text{"module", m.Path, packageForm}, text{"version", m.Version, settingForm}, text{"sum", m.Sum, moduleSumForm})
	}
	for _, t := range all {
		if len(t.text) > maxText || !t.form.MatchString(t.text) {
			return fmt.Errorf("the provenance has the %s %.100q, which is none", t.what, t.text)
		}
	}
	for i, f := range b.Files {
		if len(f.Name) > maxText || !fs.ValidPath(f.Name) || strings.ContainsAny(f.Name, "\n\\") {
			return fmt.Errorf("the provenance has the file %.100q, which is not a path", f.Name)
		}
		if i > 0 && b.Files[i-1].Name >= f.Name {
			return fmt.Errorf("the provenance has the file %.100q twice or out of order", f.Name)
		}
	}
	return nil
}

// checkText returns an error unless the build has the parts of a text engine, and no others.
func (b *Build) checkText() error {
	for platform := range b.Engines {
		if b.Runtimes[platform] == "" {
			return fmt.Errorf("the provenance has no runtime for %.100q", platform)
		}
	}
	names := []string{}
	for _, f := range b.Files {
		names = append(names, f.Name)
	}
	known := slices.Contains(names, Document)
	for _, name := range names {
		known = known && slices.Contains([]string{Closure, Document, Vectors}, name)
	}
	if !known || len(b.Runtimes) != len(b.Engines) || b.Package != "" || b.Toolchain != "" || len(b.Settings)+len(b.Modules) > 0 {
		return fmt.Errorf("the provenance of a text engine has the files %.200q, or parts of another build: write runtimes, a document, vectors and a closure only", names)
	}
	return nil
}
