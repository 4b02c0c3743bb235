package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"aead.dev/minisign"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/slipstick/slipstick/host/tools/package/internal/image"
	"github.com/slipstick/slipstick/host/tools/package/internal/licence"
	"github.com/slipstick/slipstick/host/tools/package/internal/program"
	"github.com/slipstick/slipstick/host/tools/package/internal/release"
)

// pack creates a release with one part in a directory, like main. It packs the
// program of this test, which Go has built like the command.
func pack(t *testing.T, parts ...part) string {
	t.Helper()
	return packAs(t, licence.Licence{}, parts...)
}

type part interface{ Run(*run) error }

// packAs is pack with a licence.
func packAs(t *testing.T, l licence.Licence, parts ...part) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	r, err := release.New("1.2.3", "0123abc", 1700000000)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	for _, p := range parts {
		if err := p.Run(&run{r, root, out, t.TempDir(), l}); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// self is the program of this test.
func self(t *testing.T) programs {
	t.Helper()
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return programs{Program: []string{file}, Runtime: []string{file}}
}

// small is a program that does nothing. To compress it in a Debian package takes little time.
func small(t *testing.T, env ...string) programs {
	t.Helper()
	dir := t.TempDir()
	source, file := filepath.Join(dir, "main.go"), filepath.Join(dir, "small")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s", "-o", file, source)
	cmd.Env = append(append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return programs{Program: []string{file}, Runtime: []string{file}}
}

// sampleLibrary creates a registry in the form of a library, whose documents the program of this test computes. The
// capability a.elsewhere is for another platform only.
func sampleLibrary(t *testing.T, of programs) programs {
	t.Helper()
	own, err := program.Read(of.Runtime[0])
	if err != nil {
		t.Fatal(err)
	}
	of.Library = t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(of.Library, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(file), 0o700)
		if err == nil {
			err = os.WriteFile(file, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const other = "1111111111111111111111111111111111111111111111111111111111111111"
	runtimeData, err := os.ReadFile(of.Runtime[0])
	if err != nil {
		t.Fatal(err)
	}
	write(".shared/blobs/sha256/"+own.SHA256, string(runtimeData))
	write(".shared/blobs/sha256/"+other, "another")
	write(".lock", "")
	layer := func(os, arch, hex string) string {
		return fmt.Sprintf(`{"digest":"sha256:%s","size":7,"platform":{"os":%q,"architecture":%q}}`, hex, os, arch)
	}
	here, elsewhere := layer(own.OS, own.Arch, own.SHA256), layer("plan9", "mips", other)
	for id, layers := range map[string]string{"a.both": here + "," + elsewhere, "a.elsewhere": elsewhere, "data.table": `{"digest":"sha256:` + other + `","size":7}`} {
		manifest := `{"schemaVersion":2,"layers":[` + layers + `]}`
		digest := fmt.Sprintf("%x", sha256.Sum256([]byte(manifest)))
		write(id+"/blobs/sha256/"+digest, manifest)
		write(id+"/blobs/sha256/"+other, "another")
		write(id+"/index.json", `{"schemaVersion":2,"manifests":[{"digest":"sha256:`+digest+`","size":1}]}`)
	}
	return of
}

// inLibrary checks the files of a library in a package. The program of text engines is a link to the one of the
// package. Engines for other platforms are left out.
func inLibrary(t *testing.T, files map[string]*file, at string, runtime string) {
	t.Helper()
	var blobs, links, manifests int
	for name, f := range files {
		below, is := strings.CutPrefix(name, at+"lib/slipstick/registry/")
		switch {
		case !is || f.Typeflag == tar.TypeDir:
		case strings.Contains(below, "a.elsewhere") || strings.Contains(below, ".lock"):
			t.Errorf("%s is in the package", name)
		case strings.HasPrefix(below, ".shared/"):
			links++
			if f.Typeflag != tar.TypeLink && files[runtime].Typeflag != tar.TypeLink || f.Mode != 0o755 {
				t.Errorf("%+v is not the program of text engines", f.Header)
			}
		case strings.HasSuffix(below, "index.json"):
			manifests++
		default:
			blobs++
		}
	}
	if links != 1 || manifests != 2 || blobs != 3 {
		t.Errorf("%d programs of text engines, %d capabilities, %d blobs", links, manifests, blobs)
	}
}

// documented checks that documentation and examples are in a package.
func documented(t *testing.T, files map[string]*file, at string) {
	t.Helper()
	for _, name := range []string{"docs/guides/install.md", "examples/balancer/haproxy.cfg", "examples/balancer/nginx.conf", "examples/gateway/nginx.conf", "examples/monitoring/alerts.yaml", "examples/monitoring/dashboard.json", "examples/seccomp/slipstick.json", "README.md", "CONTRIBUTING.md", "SECURITY.md"} {
		if f := files[at+name]; f == nil || f.Mode != 0o644 {
			t.Errorf("%s%s: %+v", at, name, f)
		}
	}
	if f := files[at+"README.md"]; f != nil && strings.Contains(string(f.data), "scripts/") {
		t.Errorf("%sREADME.md names scripts of a checkout, which the package lacks", at)
	}
}

// contents lists the files below a directory with their digests.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var list strings.Builder
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(data), name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list.String()
}

// Every part gives the same bytes again, in another directory and with another umask.
func TestReproducible(t *testing.T) {
	key, _ := newKey(t)
	share, modules := extra{t.TempDir()}, t.TempDir()
	for _, file := range []string{share.Share + "/man/man1/sample.1", share.Share + "/fish/sample.fish", modules + "/example.com/@v/list"} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, part := range map[string]part{
		"seal":  &sealCmd{Commit: commitID, Go: "go1.26.0", Key: key},
		"image": &imageCmd{programs: sampleLibrary(t, self(t)), Name: "sample"}, "chart": &chartCmd{},
		"deb":      &debCmd{sampleLibrary(t, small(t)), share, "Maintainer <maintainer@example.org>"},
		"mcpb":     &mcpbCmd{sampleLibrary(t, self(t))},
		"archives": &archivesCmd{programs: self(t), extra: share, Modules: modules},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath("xz"); err != nil && name == "deb" {
				t.Skip("no xz")
			}
			first := contents(t, pack(t, part))
			defer syscall.Umask(syscall.Umask(0o077))
			if again := contents(t, pack(t, part)); first != again || first == "" {
				t.Errorf("two runs:\n%s\n%s", first, again)
			}
		})
	}
}

func TestImage(t *testing.T) {
	out := pack(t, &imageCmd{sampleLibrary(t, self(t)), "sample"})
	made, err := tarball.ImageFromPath(filepath.Join(out, "sample-1.2.3-"+runtime.GOOS+"-"+runtime.GOARCH+".docker.tar"), nil)
	if err != nil {
		t.Fatal(err)
	}
	config, err := made.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c := config.Config
	if c.User != "65532:65532" || c.Healthcheck == nil || strings.Join(c.Healthcheck.Test, " ") != "CMD /usr/bin/slipstick health" ||
		c.Labels["org.opencontainers.image.version"] != "1.2.3" || c.Labels["org.opencontainers.image.revision"] != "0123abc" || !strings.Contains(strings.Join(c.Env, "\n"), "SLIPSTICK_REGISTRY=/var/lib/slipstick/registry") {
		t.Errorf("%+v", c)
	}
	files := filesOf(t, made)
	owned := map[string][2]int64{"tmp/": {0o1777, 0}, "var/lib/slipstick/": {0o750, image.Owner}, "usr/bin/slipstick": {0o755, 0}, "usr/bin/slipstick-text": {0o755, 0}}
	inLibrary(t, files, "usr/", "usr/bin/slipstick-text")
	documented(t, files, "usr/share/doc/slipstick/")
	documented(t, readGzip(t, filepath.Join(out, "sample-1.2.3-examples.tar.gz")), "sample-1.2.3-examples/")
	for name, want := range owned {
		if f := files[name]; f == nil || f.Mode != want[0] || int64(f.Uid) != want[1] || f.ModTime.Unix() != 1700000000 {
			t.Errorf("%s: %+v, want %v", name, f, want)
		}
	}
	if !x509.NewCertPool().AppendCertsFromPEM(files["etc/ssl/certs/ca-certificates.crt"].data) {
		t.Error("no certificates")
	}
	bill, err := os.ReadFile(filepath.Join(out, "sample-1.2.3-"+runtime.GOOS+"-"+runtime.GOARCH+".spdx.json"))
	if err != nil || !bytes.Equal(bill, files["usr/share/doc/slipstick/sbom.spdx.json"].data) {
		t.Errorf("the bill in the image differs from the bill next to it: %v", err)
	}
	sameImage(t, out, config)
}

// sameImage checks that the layout contains the image of the archive.
func sameImage(t *testing.T, out string, archived *v1.ConfigFile) {
	t.Helper()
	index, err := layout.ImageIndexFromPath(filepath.Join(out, "sample.oci"))
	if err != nil {
		t.Fatal(err)
	}
	outer, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	platforms, err := index.ImageIndex(outer.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	list, err := platforms.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	made, err := platforms.Image(list.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	config, err := made.ConfigFile()
	if err != nil || fmt.Sprint(config.RootFS) != fmt.Sprint(archived.RootFS) || list.Manifests[0].Platform.Architecture != runtime.GOARCH {
		t.Errorf("the layout holds %v for %v, the archive %v: %v", config.RootFS, list.Manifests[0].Platform, archived.RootFS, err)
	}
}

type file struct {
	*tar.Header
	data []byte
}

func filesOf(t *testing.T, made v1.Image) map[string]*file {
	t.Helper()
	layers, err := made.Layers()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*file{}
	for _, layer := range layers {
		plain, err := layer.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		maps := readTar(t, plain)
		for name, f := range maps {
			out[name] = f
		}
		plain.Close()
	}
	return out
}

func readTar(t *testing.T, from io.Reader) map[string]*file {
	t.Helper()
	out := map[string]*file{}
	for archive := tar.NewReader(from); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		out[h.Name] = &file{h, data}
	}
}

func readGzip(t *testing.T, name string) map[string]*file {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return readTar(t, plain)
}

// The bill lists every module of the program once, and is complete.
func TestBill(t *testing.T) {
	out := pack(t, &archivesCmd{programs: self(t)})
	text, err := os.ReadFile(filepath.Join(out, "slipstick-1.2.3-"+runtime.GOOS+"-"+runtime.GOARCH+".spdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		SPDXVersion, DocumentNamespace string
		Packages                       []struct {
			Name, VersionInfo, SPDXID string
		}
		Relationships []struct{ SpdxElementID, RelatedSpdxElement string }
	}
	if err := json.Unmarshal(text, &bill); err != nil || bill.SPDXVersion != "SPDX-2.3" || bill.DocumentNamespace == "" {
		t.Fatalf("%v: %s", err, text)
	}
	listed, ids := map[string]int{}, map[string]bool{"SPDXRef-DOCUMENT": true}
	for _, p := range bill.Packages {
		listed[p.Name+" "+p.VersionInfo]++
		ids[p.SPDXID] = true
	}
	me, err := program.Read(self(t).Program[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range me.Modules {
		want := 1
		if strings.HasPrefix(m.Path, program.ModulePrefix) {
			want = 0
		}
		if n := listed[m.Path+" "+m.Version]; n != want {
			t.Errorf("%v is listed %d times, want %d", m, n, want)
		}
	}
	if len(ids) != len(bill.Packages)+1 || listed["stdlib "+strings.TrimPrefix(runtime.Version(), "go")] != 1 {
		t.Errorf("%d ids of %d packages", len(ids), len(bill.Packages))
	}
	for _, r := range bill.Relationships {
		if !ids[r.SpdxElementID] || !ids[r.RelatedSpdxElement] {
			t.Errorf("%v relates what is not listed", r)
		}
	}
}

// The bill of the server lists its embedded npm packages.
func TestBillOfServer(t *testing.T) {
	r := &release.Release{Version: "1.2.3"}
	server := &program.Program{Name: "slipstick", OS: "linux", Arch: "amd64", Go: "go1.26.8"}
	text, err := program.Bill("slipstick", r, []*program.Program{server}, []program.Embedded{{Name: "@fontsource/stix-two-math", Version: "5.3.0"}}, licence.Licence{})
	if err != nil || !strings.Contains(string(text), `"pkg:npm/%40fontsource/stix-two-math@5.3.0"`) {
		t.Errorf("%v: %s", err, text)
	}
}

// newKey creates a minisign key without a password, and returns its files.
func newKey(t *testing.T) (secret, public string) {
	t.Helper()
	dir := t.TempDir()
	pub, key, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	secret, public = filepath.Join(dir, "release.key"), filepath.Join(dir, "release.pub")
	for name, text := range map[string]interface{ MarshalText() ([]byte, error) }{secret: key, public: pub} {
		data, err := text.MarshalText()
		if err == nil {
			err = os.WriteFile(name, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return secret, public
}

// Debian's own programs accept digests and signature, and refuse them after a byte is changed.
func TestSignature(t *testing.T) {
	for _, judge := range []string{"minisign", "sha256sum"} {
		if _, err := exec.LookPath(judge); err != nil {
			t.Skip(err)
		}
	}
	secret, public := newKey(t)
	out := pack(t, &archivesCmd{programs: self(t)}, &chartCmd{}, &sealCmd{Commit: commitID, Go: "go1.26.0", Key: secret})
	sums := filepath.Join(out, "SHA256SUMS")
	judge := func(name string, args ...string) error {
		cmd := exec.Command(name, args...)
		cmd.Dir = out
		text, err := cmd.CombinedOutput()
		t.Logf("%s", text)
		return err
	}
	if err := judge("minisign", "-V", "-p", public, "-m", "SHA256SUMS"); err != nil {
		t.Error(err)
	}
	if err := judge("sha256sum", "--check", "--strict", "SHA256SUMS"); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(sums)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(sums, bytes.Replace(text, []byte("slipstick"), []byte("slipstock"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if judge("minisign", "-V", "-p", public, "-m", "SHA256SUMS") == nil || judge("sha256sum", "--check", "SHA256SUMS") == nil {
		t.Error("a changed file of digests is accepted")
	}
}

const commitID = "0123abc0123abc0123abc0123abc0123abc01230"

// The provenance names each file with its digest, the commit and the version of Go, and is signed with the others.
func TestProvenance(t *testing.T) {
	out := pack(t, &archivesCmd{programs: self(t)}, &chartCmd{}, &sealCmd{Commit: commitID, Go: "go1.26.0"})
	const name = "slipstick-1.2.3.provenance.json"
	var statement struct {
		Subject []struct {
			Name   string
			Digest map[string]string
		}
		PredicateType string
		Predicate     struct {
			BuildDefinition struct {
				ResolvedDependencies []struct{ Digest map[string]string }
			}
		}
	}
	data, err := os.ReadFile(filepath.Join(out, name))
	if err == nil {
		err = json.Unmarshal(data, &statement)
	}
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{name: true}
	for _, s := range statement.Subject {
		listed[s.Name] = true
		content, err := os.ReadFile(filepath.Join(out, s.Name))
		if sum := fmt.Sprintf("%x", sha256.Sum256(content)); err != nil || s.Digest["sha256"] != sum || !strings.Contains(string(sums), sum+"  "+s.Name+"\n") {
			t.Errorf("%s: %v, %v", s.Name, s.Digest, err)
		}
	}
	for file := range strings.FieldsFuncSeq(contents(t, out), func(r rune) bool { return r == '\n' }) {
		if base := filepath.Base(strings.Fields(file)[1]); !listed[base] && base != "SHA256SUMS" {
			t.Errorf("the provenance lacks %s", file)
		}
	}
	if commit := statement.Predicate.BuildDefinition.ResolvedDependencies[0].Digest["gitCommit"]; commit != commitID || statement.PredicateType != "https://slsa.dev/provenance/v1" {
		t.Errorf("commit %s, %s", commit, statement.PredicateType)
	}
}

// licenceOf returns the text of the licence of a module that this test contains.
func licenceOf(t *testing.T, module string) string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"LICENSE", "COPYING"} {
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), name))
		if err == nil {
			return string(text)
		}
	}
	t.Fatalf("%s has no licence", module)
	return ""
}

// A licence that the owner adds later reaches the packages without further work.
func TestLicence(t *testing.T) {
	for text, id := range map[string]string{
		licenceOf(t, "github.com/alecthomas/kong"):     "MIT",
		licenceOf(t, "github.com/hashicorp/go-plugin"): "MPL-2.0",
		"You may use this program on Tuesdays.\n":      "LicenseRef-Slipstick",
		"": "",
	} {
		root := t.TempDir()
		if text != "" {
			if err := os.WriteFile(filepath.Join(root, "LICENSE"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		l, err := licence.Find(root)
		if err != nil || l.ID != id {
			t.Fatalf("licence %q, %v, want %q", l.ID, err, id)
		}
		out := packAs(t, l, &archivesCmd{programs: self(t)}, &imageCmd{programs: self(t), Name: "sample"}, &debCmd{small(t), extra{}, "Maintainer <maintainer@example.org>"}, &mcpbCmd{sampleLibrary(t, self(t))})
		name := "slipstick-1.2.3-" + runtime.GOOS + "-" + runtime.GOARCH
		files := readGzip(t, filepath.Join(out, name+".tar.gz"))
		first := strings.SplitN(strings.TrimSpace(text), "\n", 2)[0]
		if has := files[name+"/LICENSE"]; (has != nil) != (text != "") || has != nil && !strings.Contains(string(has.data), first) {
			t.Errorf("%q: LICENSE of the archive: %v", id, has)
		}
		terms := first
		if text == "" {
			terms = "The owner has not chosen a licence yet"
		}
		if copyright := string(files[name+"/COPYRIGHT"].data); !strings.Contains(copyright, terms) {
			t.Errorf("%q: COPYRIGHT is %s", id, copyright)
		}
		var bill struct {
			Packages []struct{ LicenseDeclared, PrimaryPackagePurpose string }
			Texts    []struct{ LicenseID string } `json:"hasExtractedLicensingInfos"`
		}
		if err := json.Unmarshal(files[name+"/sbom.spdx.json"].data, &bill); err != nil || bill.Packages[0].LicenseDeclared != id || (len(bill.Texts) == 1) != (id == "LicenseRef-Slipstick") {
			t.Errorf("%q: the bill of materials has %+v, %v", id, bill.Packages[0], err)
		}
		made, err := tarball.ImageFromPath(filepath.Join(out, "sample-1.2.3-"+runtime.GOOS+"-"+runtime.GOARCH+".docker.tar"), nil)
		if err != nil {
			t.Fatal(err)
		}
		config, err := made.ConfigFile()
		if err != nil || config.Config.Labels["org.opencontainers.image.licenses"] != id {
			t.Errorf("%q: labels %v, %v", id, config.Config.Labels, err)
		}
		if _, err := exec.LookPath("dpkg-deb"); err == nil {
			list, err := exec.Command("sh", "-c", "dpkg-deb --fsys-tarfile "+filepath.Join(out, "slipstick_1.2.3_"+runtime.GOARCH+".deb")+" | tar xO ./usr/share/doc/slipstick/copyright").CombinedOutput()
			if err != nil || !strings.Contains(string(list), terms) {
				t.Errorf("%q: copyright of the Debian package: %s %v", id, list, err)
			}
		}
		bundle, err := zip.OpenReader(filepath.Join(out, "slipstick-mcp-1.2.3-"+runtime.GOOS+"-"+runtime.GOARCH+".mcpb"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bundle.Open("LICENSE"); (err == nil) != (text != "") {
			t.Errorf("%q: LICENSE of the bundle: %v", id, err)
		}
		bundle.Close()
	}
}

// The archive has the unchanged command, and the licences of its modules.
func TestArchive(t *testing.T) {
	out := pack(t, &archivesCmd{programs: sampleLibrary(t, self(t))})
	name := "slipstick-1.2.3-" + runtime.GOOS + "-" + runtime.GOARCH
	files := readGzip(t, filepath.Join(out, name+".tar.gz"))
	me, err := os.ReadFile(self(t).Program[0])
	if err != nil || files[name+"/slipstick"] == nil || files[name+"/slipstick"].Mode != 0o755 {
		t.Fatalf("the archive has no command: %v", err)
	}
	for _, program := range []string{"/slipstick", "/slipstick-text"} {
		f := files[name+program]
		for f != nil && f.Typeflag == tar.TypeLink {
			f = files[f.Linkname]
		}
		if f == nil || f.Mode != 0o755 || !bytes.Equal(f.data, me) {
			t.Errorf("%s is not as it was built", program)
		}
	}
	inLibrary(t, files, name+"/", name+"/slipstick-text")
	documented(t, files, name+"/share/doc/slipstick/")
	for _, text := range []string{"github.com/google/go-containerregistry", "Apache License", "swagger-ui-dist", "@fontsource/stix-two-math", "SIL OPEN FONT LICENSE", "the Go standard library"} {
		if !bytes.Contains(files[name+"/NOTICES"].data, []byte(text)) {
			t.Errorf("the notices say nothing of %s", text)
		}
	}
}

// A file that is not a Go program cannot be packed, because its content is unknown.
func TestForeignProgram(t *testing.T) {
	if _, err := (&programs{Program: []string{"/bin/sh"}}).read(); err == nil || !strings.Contains(err.Error(), "/bin/sh is not a Go program") {
		t.Errorf("%v", err)
	}
}

// A command without the program of text engines is not packed: it could publish no document.
func TestMissingRuntime(t *testing.T) {
	if _, err := (&programs{Program: self(t).Program}).read(); err == nil || !strings.Contains(err.Error(), "the program of text engines for "+runtime.GOOS+"/"+runtime.GOARCH+" is missing") {
		t.Errorf("%v", err)
	}
}

// Debian's own program reads the package. It has the command and the program of text engines in one directory, where the
// command looks for it, and the library and the documentation.
func TestDebian(t *testing.T) {
	for _, program := range []string{"dpkg-deb", "xz"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	out := pack(t, &debCmd{sampleLibrary(t, small(t)), extra{}, "Maintainer <maintainer@example.org>"})
	deb := filepath.Join(out, "slipstick_1.2.3_"+runtime.GOARCH+".deb")
	plain, err := exec.Command("dpkg-deb", "--fsys-tarfile", deb).Output()
	if err != nil {
		t.Fatal(err)
	}
	files := readTar(t, bytes.NewReader(plain))
	for _, name := range []string{"./usr/bin/slipstick", "./usr/bin/slipstick-text", "./lib/systemd/system/slipstick.service"} {
		if files[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
	inLibrary(t, files, "./usr/", "./usr/bin/slipstick-text")
	documented(t, files, "./usr/share/doc/slipstick/")
	dir := t.TempDir()
	about, err := exec.Command("sh", "-c", `dpkg-deb --raw-extract "$1" "$2" && dpkg-deb --field "$1" Package Version Installed-Size && cd "$2" && md5sum --check --strict --quiet DEBIAN/md5sums`, "sh", deb, dir+"/all").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(about), "Package: slipstick\nVersion: 1.2.3\nInstalled-Size: ") {
		t.Errorf("%v: %s", err, about)
	}
}

// The archive for Windows is a zip file, with names that Windows starts. Two runs make the same bytes.
func TestArchiveForWindows(t *testing.T) {
	built := small(t, "GOOS=windows", "GOARCH=amd64")
	out := pack(t, &archivesCmd{programs: built})
	if again := pack(t, &archivesCmd{programs: built}); contents(t, out) != contents(t, again) {
		t.Errorf("two runs:\n%s\n%s", contents(t, out), contents(t, again))
	}
	name := "slipstick-1.2.3-windows-amd64"
	made, err := zip.OpenReader(filepath.Join(out, name+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	want, err := os.ReadFile(built.Program[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"slipstick.exe", "slipstick-text.exe"} {
		got, err := fs.ReadFile(made, name+"/"+file)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not as it was built: %v", file, err)
		}
	}
	for _, file := range []string{"README.md", "NOTICES", "sbom.spdx.json"} {
		if _, err := fs.Stat(made, name+"/"+file); err != nil {
			t.Error(err)
		}
	}
}
