package program

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/deploy/package/internal/release"
)

// Embedded is a package of npm whose files a program of this repository contains.
type Embedded struct {
	Name, Version string
	Licence       string // the text of its licence
}

// ReadEmbedded reads which version of a package of npm is in a directory of assets.
func ReadEmbedded(name, assets string) (Embedded, error) {
	version, err := os.ReadFile(filepath.Join(assets, "VERSION"))
	if err != nil {
		return Embedded{}, fmt.Errorf("%w: scripts/node/assets gets what the pages contain", err)
	}
	text, err := os.ReadFile(filepath.Join(assets, "LICENSE"))
	return Embedded{name, strings.TrimSpace(string(version)), string(text)}, err
}

// document is an SPDX 2.3 document, as far as it is used here.
type document struct {
	Version   string `json:"spdxVersion"`
	License   string `json:"dataLicense"`
	ID        string `json:"SPDXID"`
	Name      string `json:"name"`
	Namespace string `json:"documentNamespace"`
	Creation  struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	} `json:"creationInfo"`
	Packages      []item     `json:"packages"`
	Relationships []relation `json:"relationships"`
}

type item struct {
	Name      string      `json:"name"`
	ID        string      `json:"SPDXID"`
	Version   string      `json:"versionInfo,omitempty"`
	Download  string      `json:"downloadLocation"`
	Analyzed  bool        `json:"filesAnalyzed"`
	Concluded string      `json:"licenseConcluded"`
	Declared  string      `json:"licenseDeclared"`
	Copyright string      `json:"copyrightText"`
	Purpose   string      `json:"primaryPackagePurpose,omitempty"`
	Checksums []checksum  `json:"checksums,omitempty"`
	Refs      []reference `json:"externalRefs,omitempty"`
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

type relation struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

// nothing is what SPDX has where no statement is made.
const nothing = "NOASSERTION"

// Bill is the bill of materials of what is packaged under a name, as an SPDX 2.3 document in
// JSON: every program with the digest of its file, what each is made of, and the version of Go.
func Bill(name string, r *release.Release, programs []*Program, embedded []Embedded) ([]byte, error) {
	d := &document{Version: "SPDX-2.3", License: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: name + "-" + r.Version}
	d.Creation.Created = r.Time.Format(time.RFC3339)
	d.Creation.Creators = []string{"Tool: slipstick-package-" + r.Version}
	for _, m := range Modules(programs) {
		d.add(m.Path, m.Version, "LIBRARY", "pkg:golang/"+m.Path+"@"+m.Version, "")
	}
	for _, e := range embedded {
		d.add(e.Name, e.Version, "LIBRARY", "pkg:npm/"+strings.Replace(e.Name, "@", "%40", 1)+"@"+e.Version, "")
	}
	for _, p := range programs {
		d.program(p, r, embedded)
	}
	hash := sha256.New()
	if err := json.NewEncoder(hash).Encode(d); err != nil {
		return nil, err
	}
	d.Namespace = release.Source + "/spdx/" + d.Name + "-" + hex.EncodeToString(hash.Sum(nil)[:16])
	text, err := json.MarshalIndent(d, "", " ")
	return append(text, '\n'), err
}

// program adds a program of this repository, and what it contains.
func (d *document) program(p *Program, r *release.Release, embedded []Embedded) {
	id := d.add(p.Name+" "+p.OS+"/"+p.Arch, r.Version, "APPLICATION", "", p.SHA256)
	d.relate("SPDXRef-DOCUMENT", "DESCRIBES", id)
	std := d.add("stdlib", strings.TrimPrefix(p.Go, "go"), "LIBRARY", "pkg:golang/stdlib@"+strings.TrimPrefix(p.Go, "go"), "")
	d.relate(id, "CONTAINS", std)
	for _, m := range p.Modules {
		if !strings.HasPrefix(m.Path, House) {
			d.relate(id, "CONTAINS", ref(m.Path, m.Version, ""))
		}
	}
	if p.Name == "slipstick" {
		for _, e := range embedded {
			d.relate(id, "CONTAINS", ref(e.Name, e.Version, ""))
		}
	}
}

// add adds a package, once, and returns its id.
func (d *document) add(name, version, purpose, purl, sum string) string {
	id := ref(name, version, sum)
	if slices.ContainsFunc(d.Packages, func(i item) bool { return i.ID == id }) {
		return id
	}
	i := item{Name: name, ID: id, Version: version, Download: nothing, Concluded: nothing, Declared: nothing, Copyright: nothing, Purpose: purpose}
	if sum != "" {
		i.Checksums = []checksum{{"SHA256", sum}}
	}
	if purl != "" {
		i.Refs = []reference{{"PACKAGE-MANAGER", "purl", purl}}
	}
	d.Packages = append(d.Packages, i)
	return id
}

func (d *document) relate(from, kind, to string) {
	d.Relationships = append(d.Relationships, relation{from, kind, to})
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// ref is the id of a package. Programs of one name differ in their digest.
func ref(name, version, sum string) string {
	id := fmt.Sprintf("SPDXRef-%s-%s", unfit.ReplaceAllString(name, "-"), unfit.ReplaceAllString(version, "-"))
	if sum != "" {
		id += "-" + sum[:12]
	}
	return id
}
