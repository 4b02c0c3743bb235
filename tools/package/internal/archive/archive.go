// Package archive creates the files of a release for downloads: archives, provenance, digests and their signature. See [Write], [Provenance], [Digests] and [Sign].
package archive

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"aead.dev/minisign"

	"github.com/slipstick/slipstick/host/tools/package/internal/release"
	"github.com/slipstick/slipstick/host/tools/package/internal/tree"
)

// Sums is the name of the file of digests.
const Sums = "SHA256SUMS"

// Tarball writes the tree to DIR/NAME.tar.gz, below a directory NAME.
func Tarball(dir, name string, t *tree.Tree) (file string, err error) {
	file = filepath.Join(dir, name+".tar.gz")
	return file, Write(file, t)
}

// Zip writes the tree to DIR/NAME.zip, below a directory NAME.
func Zip(dir, name string, t *tree.Tree) (file string, err error) {
	file = filepath.Join(dir, name+".zip")
	f, err := os.Create(file)
	if err != nil {
		return "", err
	}
	return file, errors.Join(t.Zip(f), f.Close())
}

// Write writes the tree to a compressed archive.
func Write(file string, t *tree.Tree) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	squeeze := gzip.NewWriter(f) // without a name and a time
	err = t.Tar(squeeze)
	if err == nil {
		err = squeeze.Close()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

// Digests writes the SHA-256 digests of all files in a directory, in the format of sha256sum, and returns the text.
func Digests(dir string) ([]byte, error) {
	all, err := digests(dir)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, d := range all {
		fmt.Fprintf(&out, "%s  %s\n", d.Digest.SHA256, d.Name)
	}
	return out.Bytes(), os.WriteFile(filepath.Join(dir, Sums), out.Bytes(), 0o644)
}

// digests returns the digests of all files below a directory, by name. Digests of earlier runs, their signature and
// hidden files are left out.
func digests(dir string) (all []subject, err error) {
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(e.Name(), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir() || strings.HasPrefix(name, Sums):
			return nil
		}
		sum, err := Digest(filepath.Join(dir, filepath.FromSlash(name)))
		all = append(all, subjectOf(name, sum))
		return err
	})
	return all, err
}

// Digest returns the SHA-256 of a file in hex.
func Digest(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, f)
	return hex.EncodeToString(hash.Sum(nil)), err
}

// Key reads a secret key of minisign. The password is for an encrypted key.
func Key(file, password string) (minisign.PrivateKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return minisign.PrivateKey{}, err
	}
	var key minisign.PrivateKey
	if minisign.IsEncrypted(text) {
		if password == "" {
			return key, errors.New("the key is encrypted: give its password in MINISIGN_PASSWORD")
		}
		return minisign.DecryptKey(password, text)
	}
	return key, key.UnmarshalText(text)
}

// Sign writes the signature of the digests next to them.
func Sign(dir string, r *release.Release, key minisign.PrivateKey, sums []byte) error {
	reader := minisign.NewReader(bytes.NewReader(sums))
	if _, err := io.Copy(io.Discard, reader); err != nil {
		return err
	}
	signature := reader.SignWithComments(key, "slipstick "+r.Version+", "+Sums, "signature of a slipstick release")
	return os.WriteFile(filepath.Join(dir, Sums+".minisig"), signature, 0o644)
}
