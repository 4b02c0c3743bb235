package snapshot

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipstick/slipstick/host/internal/platform/durable"
	"github.com/slipstick/slipstick/registry/regular"
)

// keyFile is the name of the nth key in the data directory. The newest key has the highest number.
const keyFile = "snapshot-%04d.key"

// loadSeeds reads the keys of the directory, oldest first. If there is none and needed is true, it
// creates the first.
func loadSeeds(dir string, needed bool) ([]seed, error) {
	names, err := keyFiles(dir)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 && needed {
		first := fmt.Sprintf(keyFile, 1)
		if err := createKey(dir, first, NewSeed()); err != nil && !errors.Is(err, fs.ErrExist) { // another server was faster
			return nil, err
		}
		names = []string{first}
	}
	var seeds []seed
	for _, name := range names {
		file := filepath.Join(dir, name)
		s, err := readKey(file)
		if err != nil {
			return nil, err
		}
		seeds = append(seeds, s)
	}
	return seeds, nil
}

func keyFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for snapshot keys: %w", err)
	}
	var names []string
	for _, e := range entries {
		if matched, _ := filepath.Match("snapshot-[0-9][0-9][0-9][0-9].key", e.Name()); matched {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// readKey reads a key in the form of the configuration.
func readKey(path string) (seed, error) {
	info, err := os.Stat(path)
	if err != nil {
		return seed{}, fmt.Errorf("read snapshot key: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > 1<<10 {
		return seed{}, fmt.Errorf("snapshot key %s is not a small regular file", path)
	}
	if regular.Permits(info, 0o077) != 0 {
		return seed{}, fmt.Errorf("snapshot key %s can be used by others (mode %#o): chmod 600 it, or better, add a new one", path, info.Mode().Perm())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return seed{}, fmt.Errorf("read snapshot key: %w", err)
	}
	s, err := parseSeed(string(bytes.TrimSpace(text)))
	if err != nil {
		return seed{}, fmt.Errorf("snapshot key %s: %w; restore it from a backup, because without it the ids that it signed cannot be read", path, err)
	}
	s.file = path
	return s, nil
}

// createKey writes a key to a new file atomically. It never replaces a file; if the file exists,
// the error is fs.ErrExist. The key has the owner of the directory, so that root can rotate keys for a server.
func createKey(dir, name, text string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("create snapshot key: %w", err)
		}
	}()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	owner, err := os.Stat(dir)
	if err != nil {
		return err
	}
	return durable.Create(filepath.Join(dir, name), 0o600, func(f *os.File) error {
		regular.KeepOwner(f, owner)
		return durable.Bytes([]byte(text + "\n"))(f)
	})
}

// NewSeed returns a random seed for a new key, in the form of the configuration.
func NewSeed() string {
	secret := make([]byte, ed25519.SeedSize)
	rand.Read(secret) // never fails
	return hex.EncodeToString(secret)
}
