package sbom

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/release/spdx"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

// document has the members of SPDX 2.3 that tools need, with the names of its JSON schema.
type document struct {
	SPDXVersion       string `json:"spdxVersion"`
	DataLicense       string `json:"dataLicense"`
	SPDXID            string `json:"SPDXID"`
	Name              string `json:"name"`
	DocumentNamespace string `json:"documentNamespace"`
	CreationInfo      struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	} `json:"creationInfo"`
	Packages []struct {
		SPDXID                string `json:"SPDXID"`
		Name                  string `json:"name"`
		VersionInfo           string `json:"versionInfo"`
		PrimaryPackagePurpose string `json:"primaryPackagePurpose"`
		Supplier              string `json:"supplier"`
		DownloadLocation      string `json:"downloadLocation"`
		FilesAnalyzed         bool   `json:"filesAnalyzed"`
		SourceInfo            string `json:"sourceInfo"`
		Checksums             []struct {
			Algorithm     string `json:"algorithm"`
			ChecksumValue string `json:"checksumValue"`
		} `json:"checksums"`
		ExternalRefs []struct {
			ReferenceCategory string `json:"referenceCategory"`
			ReferenceType     string `json:"referenceType"`
			ReferenceLocator  string `json:"referenceLocator"`
		} `json:"externalRefs"`
	} `json:"packages"`
	Relationships []struct {
		SpdxElementID      string `json:"spdxElementId"`
		RelationshipType   string `json:"relationshipType"`
		RelatedSpdxElement string `json:"relatedSpdxElement"`
	} `json:"relationships"`
}

var (
	idForm  = regexp.MustCompile(`^SPDXRef-[a-zA-Z0-9.-]+$`)
	urlForm = regexp.MustCompile(`^pkg:golang/[a-z0-9][A-Za-z0-9._~/-]*(@[A-Za-z0-9.%-]+)?$`)
)

// The test program is a Go program, so it can be the engine of a release.
func TestSPDX(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	executable, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	platform := runtime.GOOS + "/" + runtime.GOARCH
	rel := release(t, map[string][]byte{platform: executable})
	data, err := SPDX(rel)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := SPDX(rel); err != nil || !bytes.Equal(data, again) {
		t.Errorf("the second document differs (%v)", err)
	}
	var d document
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		t.Fatal(err)
	}
	if d.SPDXVersion != "SPDX-2.3" || d.DataLicense != "CC0-1.0" || d.SPDXID != "SPDXRef-DOCUMENT" || d.Name == "" ||
		!strings.HasSuffix(d.DocumentNamespace, strings.TrimPrefix(rel.Digest, "sha256:")) || d.CreationInfo.Created != "2027-01-15T08:00:00Z" || len(d.CreationInfo.Creators) == 0 {
		t.Errorf("the head is %+v", d)
	}
	versions, ids := map[string]string{}, map[string]bool{d.SPDXID: true}
	for _, p := range d.Packages {
		if !idForm.MatchString(p.SPDXID) || ids[p.SPDXID] || p.Name == "" || p.Supplier == "" || p.DownloadLocation == "" || p.FilesAnalyzed {
			t.Errorf("the package %+v", p)
		}
		for _, r := range p.ExternalRefs {
			if r.ReferenceCategory != "PACKAGE-MANAGER" || r.ReferenceType != "purl" || !urlForm.MatchString(r.ReferenceLocator) {
				t.Errorf("the reference %+v", r)
			}
		}
		ids[p.SPDXID], versions[p.Name] = true, p.VersionInfo
	}
	if p := d.Packages[0]; p.PrimaryPackagePurpose != "APPLICATION" || len(p.Checksums) != 1 || p.Checksums[0].Algorithm != "SHA256" || "sha256:"+p.Checksums[0].ChecksumValue != rel.EngineDigest {
		t.Errorf("the program is %+v", p)
	}
	if versions["stdlib"] != strings.TrimPrefix(runtime.Version(), "go") {
		t.Errorf("the modules are %v", versions)
	}
	related := map[string]bool{}
	for _, r := range d.Relationships {
		if !ids[r.SpdxElementID] || !ids[r.RelatedSpdxElement] || r.RelationshipType != "DESCRIBES" && r.RelationshipType != "DEPENDS_ON" {
			t.Errorf("the relationship %+v", r)
		}
		related[r.RelatedSpdxElement] = true
	}
	if len(related) != len(d.Packages) {
		t.Errorf("%d of %d packages have a relationship", len(related), len(d.Packages))
	}
}

func TestModulesAreTheLinkedModules(t *testing.T) {
	const sum = "h1:BPBCfuVRQ1qvBhKDOq9uvQllMvO59rKsYhXpp7Dd8vw="
	var got []string
	ids := map[string]bool{}
	d := spdx.New("beams", "slipstick", time.Time{})
	d.Add(spdx.Program{Name: "beams"}, modulesOf(&debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: "example.org/beams", Version: "(devel)"}, Deps: []*debug.Module{
		{Path: "example.org/kit", Version: "v0.0.0", Replace: &debug.Module{Path: "../kit", Version: "(devel)"}},
		{Path: "example.org/fork", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/own", Version: "v2.0.0+incompatible", Sum: sum}},
		{Path: "example.org/a-2f-b", Version: "v1.0.0", Sum: sum},
		{Path: "example.org/a/b", Version: "v1.0.0", Sum: sum},
	}}))
	for _, m := range d.Packages[1:] {
		if !urlForm.MatchString(m.ExternalRefs[0].Locator) || ids[m.ID] {
			t.Errorf("%+v", m)
		}
		ids[m.ID] = true
		got = append(got, m.ExternalRefs[0].Locator)
	}
	want := "pkg:golang/stdlib@1.26.8 pkg:golang/example.org/beams pkg:golang/example.org/kit pkg:golang/example.org/own@v2.0.0%2Bincompatible " +
		"pkg:golang/example.org/a-2f-b@v1.0.0 pkg:golang/example.org/a/b@v1.0.0"
	if strings.Join(got, " ") != want {
		t.Errorf("%q", got)
	}
}

func TestProgramWithoutBuildInformation(t *testing.T) {
	rel := release(t, map[string][]byte{"linux/s390x": []byte("\x7fELF\x02\x02\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x16\x00\x00\x00\x01" +
		strings.Repeat("\x00", 28) + "\x00\x40" + strings.Repeat("\x00", 10))})
	if _, err := SPDX(rel); err == nil || !strings.Contains(err.Error(), "no build information") {
		t.Errorf("the error is %v", err)
	}
}

func release(t *testing.T, engines map[string][]byte) *registry.Release {
	t.Helper()
	reg, err := registry.Open(filepath.Join(t.TempDir(), "registry"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reg.Publish(t.Context(), registry.Candidate{
		Spec: sdk.Spec{
			Contract: sdk.ContractVersion, Capability: "mechanical.statics.strut", Version: "1.0.0", Tool: "strut", Group: "statics",
			Title: "Strut", Summary: "A strut.", Outputs: []sdk.Field{{Name: "force", Type: sdk.TypeNumber, Unit: "N", Required: true}},
		},
		Engines: engines, Created: time.Unix(1_800_000_000, 0),
	}); err != nil {
		t.Fatal(err)
	}
	rel, err := reg.Release(t.Context(), "mechanical.statics.strut", "1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	return rel
}
