// Package image creates the container image of a program. Images are made from scratch: they contain no
// shell, no packages, and only an unprivileged user. See [New] and [Write].
package image

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipstick/slipstick/host/tools/package/internal/licence"
	"github.com/slipstick/slipstick/host/tools/package/internal/release"
	"github.com/slipstick/slipstick/host/tools/package/internal/roots"
	"github.com/slipstick/slipstick/host/tools/package/internal/tree"
)

// Owner is the user and the group of the server in an image. Distroless images use the same number for
// their user nonroot.
const Owner = 65532

// Paths in an image.
const (
	Program  = "usr/bin/slipstick"
	Data     = "var/lib/slipstick" // writable, a volume
	Registry = Data + "/registry"  // below the volume, so that one can publish
	Docs     = "usr/share/doc/slipstick"
)

// Content is the content of an image.
type Content struct {
	Name      string
	Title     string
	OS, Arch  string
	Program   string     // the file of the command
	Runtime   string     // the file of the program of text engines
	Files     *tree.Tree // further files: library and documentation
	Bill      []byte     // SPDX
	Notices   []byte
	Scratch   string // a directory for compressed layers, which must exist until the image is written
	Copyright []byte
	Licence   licence.Licence
}

// New creates the image of a release. Equal content gives equal bytes.
func New(r *release.Release, c *Content) (v1.Image, error) {
	layers := []*tree.Tree{system(r.Time), command(c)}
	made := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	made = mutate.ConfigMediaType(made, types.OCIConfigJSON)
	made, err := mutate.ConfigFile(made, config(r, c))
	if err != nil {
		return nil, err
	}
	for i, t := range layers {
		layer, err := compress(t, filepath.Join(c.Scratch, fmt.Sprintf("%s-%s-%d.tar.gz", c.Name, c.Arch, i)))
		if err != nil {
			return nil, err
		}
		made, err = mutate.Append(made, mutate.Addendum{Layer: layer, History: v1.History{
			Created: v1.Time{Time: r.Time}, CreatedBy: "scripts/package image", Comment: []string{"directories and certificates", "slipstick and its library"}[i],
		}})
		if err != nil {
			return nil, err
		}
	}
	return made, nil
}

// system returns the files that programs expect on every system.
func system(at time.Time) *tree.Tree {
	t := tree.New(at)
	t.Add("tmp", tree.File{Mode: fs.ModeDir | fs.ModeSticky | 0o777})
	t.Add(Data, tree.File{Mode: fs.ModeDir | 0o750, Owner: Owner})
	t.Text("etc/passwd", fmt.Appendf(nil, "root:x:0:0:root:/:/nologin\nslipstick:x:%d:%[1]d:slipstick:/%s:/nologin\n", Owner, Data))
	t.Text("etc/group", fmt.Appendf(nil, "root:x:0:\nslipstick:x:%d:\n", Owner))
	t.Text("etc/nsswitch.conf", []byte("hosts: files dns\n"))
	t.Text("etc/ssl/certs/ca-certificates.crt", roots.PEM())
	return t
}

func command(c *Content) *tree.Tree {
	t := c.Files
	t.Add(Program, tree.File{Mode: 0o755, From: c.Program})
	t.Add("usr/bin/"+release.Runtime, tree.File{Mode: 0o755, From: c.Runtime})
	t.Text(Docs+"/sbom.spdx.json", c.Bill)
	t.Text(Docs+"/NOTICES", c.Notices)
	t.Text(Docs+"/copyright", c.Copyright)
	return t
}

// config returns the run configuration of the image. Each setting is an environment variable, so that
// each can be overridden separately.
func config(r *release.Release, c *Content) *v1.ConfigFile {
	env := []string{
		"PATH=/usr/bin", "SLIPSTICK_ADDR=0.0.0.0:8080", "SLIPSTICK_DATA=/" + Data, "SLIPSTICK_MIRROR=/" + Data + "/mirror",
		"SLIPSTICK_REGISTRY=/" + Registry,
	}
	created := v1.Time{Time: r.Time}
	return &v1.ConfigFile{
		OS: c.OS, Architecture: c.Arch, Created: created, RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User: fmt.Sprintf("%d:%[1]d", Owner), Env: env, WorkingDir: "/" + Data,
			Entrypoint: []string{"/" + Program}, Cmd: []string{"serve"},
			ExposedPorts: map[string]struct{}{"8080/tcp": {}}, Volumes: map[string]struct{}{"/" + Data: {}}, StopSignal: "SIGTERM",
			Healthcheck: &v1.HealthConfig{
				Test:     []string{"CMD", "/" + Program, "health"},
				Interval: 10 * time.Second, Timeout: 5 * time.Second, StartPeriod: 30 * time.Second, Retries: 3,
			},
			Labels: labels(r, c),
		},
	}
}

func labels(r *release.Release, c *Content) map[string]string {
	all := map[string]string{
		"org.opencontainers.image.title": c.Name, "org.opencontainers.image.description": c.Title,
		"org.opencontainers.image.version": r.Version, "org.opencontainers.image.revision": r.Revision,
		"org.opencontainers.image.created": r.Time.Format(time.RFC3339), "org.opencontainers.image.source": release.Source,
		"org.opencontainers.image.vendor": "Slipstick",
	}
	if c.Licence.Exists() {
		all["org.opencontainers.image.licenses"] = c.Licence.ID
	}
	return all
}

// blob is a compressed layer in a file. Its digests are known from writing it, so that it is never
// compressed or unpacked again.
type blob struct {
	file         string
	digest, diff v1.Hash
	size         int64
}

func (b *blob) Digest() (v1.Hash, error)            { return b.digest, nil }
func (b *blob) DiffID() (v1.Hash, error)            { return b.diff, nil }
func (b *blob) Size() (int64, error)                { return b.size, nil }
func (b *blob) MediaType() (types.MediaType, error) { return types.OCILayer, nil }
func (b *blob) Compressed() (io.ReadCloser, error)  { return os.Open(b.file) }

// counter counts and hashes the written bytes.
type counter struct {
	hash.Hash
	size int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.size += int64(len(p))
	return c.Hash.Write(p)
}

func (c *counter) sum() v1.Hash {
	return v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(c.Sum(nil))}
}

// compress writes the tree as a layer into a file.
func compress(t *tree.Tree, file string) (v1.Layer, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	packed, plain := &counter{Hash: sha256.New()}, &counter{Hash: sha256.New()}
	squeeze, err := gzip.NewWriterLevel(io.MultiWriter(f, packed), gzip.DefaultCompression)
	if err == nil {
		err = t.Tar(io.MultiWriter(squeeze, plain))
	}
	if err == nil {
		err = squeeze.Close()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, err
	}
	return partial.CompressedToLayer(&blob{file, packed.sum(), plain.sum(), packed.size})
}
