// Package debian builds the Debian package that installs a program as a service. It compresses with the xz of
// Debian. See [Build].
package debian

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"github.com/slipstick/slipstick/host/tools/package/internal/release"
	"github.com/slipstick/slipstick/host/tools/package/internal/tree"
)

// Content is the content of a package.
type Content struct {
	Deploy     string     // the directory of this repository with debian/ and systemd/
	Share      string     // directory of further files for /usr/share: manual and completions; "" if there are none
	Program    string     // the file of the command
	Runtime    string     // the file of the program of text engines
	Files      *tree.Tree // further files to install: library and documentation
	Arch       string     // in Go and Debian: amd64, arm64
	Maintainer string     // name and address
	Bill       []byte
	Notices    []byte
	Copyright  []byte
}

const docs = "usr/share/doc/slipstick/"

// conffiles are the files that an upgrade does not overwrite.
var conffiles = []string{"/etc/default/slipstick", "/etc/slipstick/settings.json"}

// Build writes the package into a directory and returns its file.
func Build(dir string, r *release.Release, c *Content) (string, error) {
	t, err := c.installed(r)
	if err != nil {
		return "", err
	}
	size, sums, err := weigh(t)
	if err != nil {
		return "", err
	}
	control, err := c.control(r, size)
	if err != nil {
		return "", err
	}
	about := tree.New(r.Time)
	about.Format = tree.Debian
	about.Text("control", control)
	about.Text("md5sums", sums)
	about.Text("conffiles", []byte(strings.Join(conffiles, "\n")+"\n"))
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		about.Add(script, tree.File{Mode: 0o755, From: filepath.Join(c.Deploy, "debian", script)})
	}
	file := filepath.Join(dir, fmt.Sprintf("slipstick_%s_%s.deb", r.Debian(), c.Arch))
	return file, write(file, r.Time, about, t)
}

// installed returns the files that the package installs.
func (c *Content) installed(r *release.Release) (*tree.Tree, error) {
	t := c.Files
	t.Format = tree.Debian
	t.Add("usr/bin/slipstick", tree.File{Mode: 0o755, From: c.Program})
	t.Add("usr/bin/"+release.Runtime, tree.File{Mode: 0o755, From: c.Runtime})
	for name, from := range map[string]string{
		"lib/systemd/system/slipstick.service":  "systemd/slipstick.service",
		"etc/slipstick/settings.json":           "debian/settings.json",
		"usr/share/lintian/overrides/slipstick": "debian/lintian-overrides",
		docs + "README.Debian":                  "debian/README.Debian",
	} {
		t.Add(name, tree.File{Mode: 0o644, From: filepath.Join(c.Deploy, from)})
	}
	t.Add("etc/default/slipstick", tree.File{Mode: 0o640, From: filepath.Join(c.Deploy, "debian/default")})
	if err := c.addShare(t); err != nil {
		return nil, err
	}
	for name, text := range map[string][]byte{
		docs + "changelog.gz":      c.changelog(r),
		docs + "NOTICES.gz":        c.Notices,
		docs + "sbom.spdx.json.gz": c.Bill,
	} {
		t.Text(name, packed(text))
	}
	t.Text(docs+"copyright", c.Copyright)
	return t, nil
}

// addShare adds the files below /usr/share. Pages of the manual are compressed.
func (c *Content) addShare(t *tree.Tree) error {
	if c.Share == "" {
		return nil
	}
	return fs.WalkDir(os.DirFS(c.Share), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(c.Share, name))
		if strings.HasPrefix(name, "man/") {
			name, text = name+".gz", packed(text)
		}
		t.Text("usr/share/"+name, text)
		return err
	})
}

// changelog returns the changelog of the package, which has the version of the release.
func (c *Content) changelog(r *release.Release) []byte {
	return fmt.Appendf(nil, "slipstick (%s) unstable; urgency=medium\n\n  * Release of revision %s.\n  * The changes are in CHANGELOG.md of the sources.\n\n -- %s  %s\n",
		r.Debian(), r.Revision, c.Maintainer, r.Time.Format(time.RFC1123Z))
}

// packed compresses as the policy requires: as small as possible, without a name and a time.
func packed(text []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		panic(err) // the level exists
	}
	w.Write(text) // a buffer never fails
	w.Close()
	return out.Bytes()
}

// weigh returns the size of the files in KiB, as dpkg counts it. It also returns the MD5 sums for dpkg
// --verify, without conffiles.
func weigh(t *tree.Tree) (kib int64, sums []byte, err error) {
	err = t.Each(func(name string, content io.Reader, again bool) error {
		if content == nil {
			kib++
			return nil
		}
		hash := md5.New()
		size, err := io.Copy(hash, content)
		if !again {
			kib += (size + 1023) / 1024
		}
		if !strings.HasPrefix(name, "etc/") {
			sums = fmt.Appendf(sums, "%x  %s\n", hash.Sum(nil), name)
		}
		return err
	})
	return kib, sums, err
}

func (c *Content) control(r *release.Release, kib int64) ([]byte, error) {
	form, err := template.ParseFiles(filepath.Join(c.Deploy, "debian", "control"))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = form.Execute(&out, map[string]any{"Version": r.Debian(), "Arch": c.Arch, "Maintainer": c.Maintainer, "KiB": kib, "Homepage": release.Source})
	return out.Bytes(), err
}

// write writes the package: an ar archive of the version of the format, of the control files and of the installed
// files.
func write(file string, at time.Time, about, installed *tree.Tree) error {
	var out bytes.Buffer
	out.WriteString("!<arch>\n")
	add := func(name string, data []byte) {
		fmt.Fprintf(&out, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", name, at.Unix(), 0, 0, 0o100644, len(data))
		out.Write(data)
		if len(data)%2 == 1 {
			out.WriteByte('\n')
		}
	}
	add("debian-binary", []byte("2.0\n"))
	for _, part := range []struct {
		name string
		tree *tree.Tree
	}{{"control.tar.xz", about}, {"data.tar.xz", installed}} {
		data, err := compressed(part.tree)
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		add(part.name, data)
	}
	return os.WriteFile(file, out.Bytes(), 0o644)
}

// compressed returns the tree as an archive that xz has compressed. With two threads or more, the bytes depend on the
// size of blocks, and not on the number of processors.
func compressed(t *tree.Tree) ([]byte, error) {
	cmd := exec.Command("xz", "--threads=2", "--block-size=8MiB", "--stdout", "--quiet")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")} // without XZ_DEFAULTS and XZ_OPT
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	plain, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	err = errors.Join(t.Tar(plain), plain.Close())
	if failed := cmd.Wait(); failed != nil {
		return nil, fmt.Errorf("xz: %w: %s", failed, complaints.String())
	}
	return out.Bytes(), err
}
