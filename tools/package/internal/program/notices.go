package program

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// licenceFile matches the names of licence files of modules.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|copyright)([-._].*)?$`)

// Notices returns the licences of everything that the programs contain. It reads them from
// Go's module cache, which contains them after the programs were built.
func Notices(programs []*Program, embedded []Embedded) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "Slipstick contains the following software of others.\n")
	root, cache, err := goDirs()
	if err != nil {
		return nil, err
	}
	if err := notice(&out, "the Go standard library", root); err != nil {
		return nil, err
	}
	for _, m := range Modules(programs) {
		dir, err := dirOf(cache, m)
		if err == nil {
			err = notice(&out, m.Path+" "+m.Version, dir)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, e := range embedded {
		title(&out, e.Name+" "+e.Version)
		fmt.Fprintf(&out, "%s\n", strings.TrimSpace(e.Licence))
	}
	return out.Bytes(), nil
}

// goDirs returns the directories of the Go installation and of its module cache.
func goDirs() (root, cache string, err error) {
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return "", "", fmt.Errorf("go env: %w", err)
	}
	root, cache, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	return root, cache, nil
}

func dirOf(cache string, m Module) (string, error) {
	path, err := module.EscapePath(m.Path)
	version, also := module.EscapeVersion(m.Version)
	if err := errors.Join(err, also); err != nil {
		return "", err
	}
	return filepath.Join(cache, filepath.FromSlash(path)+"@"+version), nil
}

// notice writes the licence files at the top of a directory. It returns an error for a module without
// any, because it may not be shipped.
func notice(out *bytes.Buffer, name, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("the licence of %s: %w", name, err)
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return e.IsDir() || !licenceFile.MatchString(e.Name()) })
	if len(entries) == 0 {
		return fmt.Errorf("%s has no licence file in %s", name, dir)
	}
	title(out, name)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n", bytes.TrimSpace(text))
	}
	return nil
}

func title(out *bytes.Buffer, name string) {
	fmt.Fprintf(out, "\n%s\n%s\n\n", name, strings.Repeat("=", len(name)))
}
