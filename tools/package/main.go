// Command package creates the packages of a release of Slipstick from built
// programs. The same input gives the same bytes. scripts/package builds the programs and calls it.
package main

import (
	"cmp"
	_ "embed" // of the README of archives
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/alecthomas/kong"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipstick/slipstick/host/tools/package/internal/archive"
	"github.com/slipstick/slipstick/host/tools/package/internal/chart"
	"github.com/slipstick/slipstick/host/tools/package/internal/debian"
	"github.com/slipstick/slipstick/host/tools/package/internal/image"
	"github.com/slipstick/slipstick/host/tools/package/internal/library"
	"github.com/slipstick/slipstick/host/tools/package/internal/licence"
	"github.com/slipstick/slipstick/host/tools/package/internal/program"
	"github.com/slipstick/slipstick/host/tools/package/internal/release"
	"github.com/slipstick/slipstick/host/tools/package/internal/tree"
)

type cli struct {
	Root     string `required:"" help:"Top of the repository." placeholder:"DIR" type:"existingdir"`
	Out      string `required:"" help:"Directory for the packages." placeholder:"DIR" type:"existingdir"`
	Version  string `required:"" help:"Version of the release, such as 1.2.0."`
	Revision string `required:"" help:"Commit of the built programs." placeholder:"REV"`
	Time     int64  `required:"" env:"SOURCE_DATE_EPOCH" help:"Timestamp in all packages, in seconds since 1970." placeholder:"SECONDS"`

	Image    imageCmd    `cmd:"" help:"Make a container image: an OCI layout of all platforms, and an archive of each to load."`
	Deb      debCmd      `cmd:"" help:"Make Debian packages."`
	Chart    chartCmd    `cmd:"" help:"Make the chart for Helm and the manifests for kubectl."`
	MCPB     mcpbCmd     `cmd:"" name:"mcpb" help:"Make a bundle for desktop clients of MCP, and server.json for the registry of MCP servers."`
	Archives archivesCmd `cmd:"" help:"Make an archive for each platform and an archive of the modules."`
	Licence  licenceCmd  `cmd:"" help:"Print the id of the licence."`
	Seal     sealCmd     `cmd:"" help:"Write the provenance and the digests of all packages, and sign the digests."`
}

// archiveReadme is for readers who have no checkout.
//
//go:embed archive-readme.md
var archiveReadme []byte

// run is the state that all commands share.
type run struct {
	*release.Release
	root, out, scratch string
	licence            licence.Licence
}

func main() {
	var c cli
	command := kong.Parse(&c, kong.Name("package"), kong.Description("Makes the packages of a release of Slipstick."), kong.UsageOnError())
	command.FatalIfErrorf(c.run(command))
}

func (c *cli) run(command *kong.Context) error {
	r, err := release.New(c.Version, c.Revision, c.Time)
	if err != nil {
		return err
	}
	own, err := licence.Find(c.Root)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(c.Out, ".making-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	return command.Run(&run{r, c.Root, c.Out, scratch, own})
}

// deploy returns a path below host/deploy.
func (r *run) deploy(elements ...string) string {
	return filepath.Join(append([]string{r.root, "host", "deploy"}, elements...)...)
}

// embedded returns the npm packages with files in the command.
func (r *run) embedded() ([]program.Embedded, error) {
	var out []program.Embedded
	for _, e := range []struct{ name, pkg, folder string }{
		{"swagger-ui-dist", "http/apidocs", "assets"}, {"@fontsource/stix-two-math", "page/formula", "font"},
	} {
		one, err := program.ReadEmbedded(e.name, filepath.Join(r.root, "host", "internal", filepath.FromSlash(e.pkg), e.folder))
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// addLicence adds the copyright, and the licence if there is one, to the files of a package.
func (r *run) addLicence(t *tree.Tree, below string) {
	t.Text(below+"COPYRIGHT", r.licence.Copyright())
	if r.licence.Exists() {
		t.Text(below+licence.File, []byte(r.licence.Text))
	}
}

// bill writes the bill of materials of the programs next to their package, and returns
// it with the notices.
func (r *run) bill(name string, programs []*program.Program) (bill, notices []byte, err error) {
	embedded, err := r.embedded()
	if err != nil {
		return nil, nil, err
	}
	bill, err = program.Bill(name, r.Release, programs, embedded, r.licence)
	if err != nil {
		return nil, nil, err
	}
	notices, err = program.Notices(programs, embedded)
	if err != nil {
		return nil, nil, err
	}
	return bill, notices, os.WriteFile(filepath.Join(r.out, name+".spdx.json"), bill, 0o644)
}

type programs struct {
	Library string   `help:"Registry of the library, with engines for all platforms." placeholder:"DIR" type:"existingdir"`
	Program []string `required:"" help:"The command, built for one platform. May be repeated." placeholder:"FILE" type:"existingfile"`
	Runtime []string `required:"" help:"The program of text engines, for each platform of the command." placeholder:"FILE" type:"existingfile"`
}

// installed is what a package installs: the command, and the program of text engines for the same platform.
type installed struct {
	*program.Program
	runtime *program.Program
}

// all returns both programs.
func (i *installed) all() []*program.Program { return []*program.Program{i.Program, i.runtime} }

// read reads the programs in the order of their platforms.
func (p *programs) read() ([]*installed, error) {
	runtimes := map[string]*program.Program{}
	for _, file := range p.Runtime {
		one, err := program.Read(file)
		if err != nil {
			return nil, err
		}
		one.Name = release.Runtime
		runtimes[one.OS+"/"+one.Arch] = one
	}
	var out []*installed
	for _, file := range p.Program {
		one, err := program.Read(file)
		if err != nil {
			return nil, err
		}
		both := &installed{one, runtimes[one.OS+"/"+one.Arch]}
		if both.runtime == nil {
			return nil, fmt.Errorf("the program of text engines for %s/%s is missing: name it with --runtime", one.OS, one.Arch)
		}
		out = append(out, both)
	}
	slices.SortFunc(out, func(a, b *installed) int { return cmp.Or(cmp.Compare(a.OS, b.OS), cmp.Compare(a.Arch, b.Arch)) })
	return out, nil
}

// addTo adds the library for the platform, and the documentation, to the files of a package below a directory. It
// returns the programs of the package.
func (c *programs) addTo(t *tree.Tree, at string, r *run, p *installed) ([]*program.Program, error) {
	contents := p.all()
	if c.Library != "" {
		engines, err := library.Add(t, path.Join(at, library.Registry), &library.Content{Registry: c.Library, Runtime: p.runtime})
		if err != nil {
			return nil, err
		}
		contents = append(contents, engines...)
	}
	return contents, library.AddDocumentation(t, path.Join(at, library.Documentation), r.root)
}

type imageCmd struct {
	programs
	Name string `default:"slipstick" help:"Name of the image."`
}

// Run creates an image for every platform of the programs.
func (c *imageCmd) Run(r *run) error {
	list, err := c.read()
	if err != nil {
		return err
	}
	var images []v1.Image
	for _, p := range list {
		made, err := c.one(r, p)
		if err != nil {
			return err
		}
		images = append(images, made)
	}
	digest, err := image.Write(r.out, c.Name, r.Release, images)
	if err != nil {
		return err
	}
	fmt.Printf("%s.oci %s\n", c.Name, digest)
	return c.examples(r)
}

// examples writes the documentation and the examples next to the image, because its users have no package.
func (c *imageCmd) examples(r *run) error {
	name := fmt.Sprintf("%s-%s-examples", c.Name, r.Version)
	t := tree.New(r.Time)
	if err := library.AddDocumentation(t, name, r.root); err != nil {
		return err
	}
	file, err := archive.Tarball(r.out, name, t)
	fmt.Println(filepath.Base(file))
	return err
}

func (c *imageCmd) one(r *run, p *installed) (v1.Image, error) {
	files := tree.New(r.Time)
	contents, err := c.addTo(files, "usr", r, p)
	if err != nil {
		return nil, err
	}
	bill, notices, err := r.bill(fmt.Sprintf("%s-%s-%s-%s", c.Name, r.Version, p.OS, p.Arch), contents)
	if err != nil {
		return nil, err
	}
	return image.New(r.Release, &image.Content{
		Name: c.Name, Title: release.Summary, OS: p.OS, Arch: p.Arch, Program: p.Path, Runtime: p.runtime.Path, Files: files,
		Bill: bill, Notices: notices, Copyright: r.licence.Copyright(), Licence: r.licence, Scratch: r.scratch,
	})
}

// extra is the option for the manual and the shell completions.
type extra struct {
	Share string `help:"Manual and completions for /usr/share." placeholder:"DIR" type:"existingdir"`
}

type debCmd struct {
	programs
	extra
	Maintainer string `default:"Slipstick maintainers <slipstick@users.noreply.github.com>" help:"Name and address of the maintainer." placeholder:"NAME <ADDRESS>"`
}

// Run creates a package for every program.
func (c *debCmd) Run(r *run) error {
	list, err := c.read()
	if err != nil {
		return err
	}
	for _, p := range list {
		files := tree.New(r.Time)
		contents, err := c.addTo(files, "usr", r, p)
		if err != nil {
			return err
		}
		bill, notices, err := r.bill(fmt.Sprintf("slipstick-deb-%s-%s", r.Version, p.Arch), contents)
		if err != nil {
			return err
		}
		file, err := debian.Build(r.out, r.Release, &debian.Content{
			Deploy: r.deploy(), Share: c.Share, Program: p.Path, Runtime: p.runtime.Path, Files: files, Arch: p.Arch, Maintainer: c.Maintainer,
			Bill: bill, Notices: notices, Copyright: r.licence.Copyright(),
		})
		if err != nil {
			return err
		}
		fmt.Println(filepath.Base(file))
	}
	return nil
}

type chartCmd struct{}

// Run creates the chart and the manifests.
func (c *chartCmd) Run(r *run) error {
	packed, err := chart.Pack(r.out, r.deploy("chart"), r.Release)
	if err != nil {
		return err
	}
	manifests, err := chart.Manifests(r.out, r.deploy("manifests"), r.Release)
	for _, file := range append([]string{packed}, manifests...) {
		fmt.Println(filepath.Base(file))
	}
	return err
}

type archivesCmd struct {
	programs
	extra
	Modules string `help:"Proxy of the modules of the release. It is packed too if it has modules." placeholder:"DIR" type:"existingdir"`
}

// Run creates an archive for every program.
func (c *archivesCmd) Run(r *run) error {
	list, err := c.read()
	if err != nil {
		return err
	}
	for _, p := range list {
		file, err := c.one(r, p)
		if err != nil {
			return err
		}
		fmt.Println(filepath.Base(file))
	}
	if c.Modules == "" {
		return nil
	}
	file, err := c.modules(r)
	if err != nil || file == "" {
		return err
	}
	fmt.Println(filepath.Base(file))
	return nil
}

type licenceCmd struct{}

// Run prints the id of the licence in SPDX, or nothing.
func (licenceCmd) Run(r *run) error {
	if r.licence.Exists() {
		fmt.Println(r.licence.ID)
	}
	return nil
}

type sealCmd struct {
	Commit string `required:"" help:"Complete id of the commit." placeholder:"COMMIT"`
	Go     string `required:"" help:"Version of Go that built the programs." placeholder:"VERSION"`
	Key    string `help:"Secret key of minisign that signs the digests. Without one they are not signed." placeholder:"FILE" type:"existingfile"`

	Password string `hidden:"" env:"MINISIGN_PASSWORD"`
}

// Run writes the provenance and the digests of all files in the directory.
func (c *sealCmd) Run(r *run) error {
	_, err := archive.Provenance(r.out, r.Release, archive.Build{Commit: c.Commit, Go: c.Go})
	if err != nil {
		return err
	}
	sums, err := archive.Digests(r.out)
	if err != nil || c.Key == "" {
		return err
	}
	key, err := archive.Key(c.Key, c.Password)
	if err != nil {
		return fmt.Errorf("--key %s: %w", c.Key, err)
	}
	return archive.Sign(r.out, r.Release, key, sums)
}

// modules packs the proxy of the modules. It returns "" if there is no proxy.
func (c *archivesCmd) modules(r *run) (string, error) {
	entries, err := os.ReadDir(c.Modules)
	if err != nil || len(entries) == 0 {
		return "", err
	}
	name := fmt.Sprintf("slipstick-%s-modules", r.Version)
	t := tree.New(r.Time)
	if err := t.AddDir(name, c.Modules, all); err != nil {
		return "", err
	}
	return archive.Tarball(r.out, name, t)
}

func (c *archivesCmd) one(r *run, p *installed) (string, error) {
	name := fmt.Sprintf("slipstick-%s-%s-%s", r.Version, p.OS, p.Arch)
	t := tree.New(r.Time)
	contents, err := c.addTo(t, name, r, p)
	if err != nil {
		return "", err
	}
	bill, notices, err := r.bill(name, contents)
	if err != nil {
		return "", err
	}
	suffix, pack := "", archive.Tarball
	if p.OS == "windows" {
		suffix, pack = ".exe", archive.Zip
	}
	t.Add(name+"/slipstick"+suffix, tree.File{Mode: 0o755, From: p.Path})
	t.Add(name+"/"+release.Runtime+suffix, tree.File{Mode: 0o755, From: p.runtime.Path})
	t.Text(name+"/sbom.spdx.json", bill)
	t.Text(name+"/NOTICES", notices)
	t.Text(name+"/README.md", archiveReadme)
	t.Add(name+"/CHANGELOG.md", tree.File{Mode: 0o644, From: filepath.Join(r.root, "CHANGELOG.md")})
	r.addLicence(t, name+"/")
	if c.Share != "" {
		if err := t.AddDir(name+"/share", c.Share, all); err != nil {
			return "", err
		}
	}
	return pack(r.out, name, t)
}

func all(string) bool { return true }
