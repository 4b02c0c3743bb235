// Package released records the source of each released version of this repository's engines. It builds
// releases again from this source, and detects changes in the work tree. Start with
// [Repository.Releases] and [Repository.BuildAll].
//
// A release is built from archived source. The engine's own source is in one archive, and the SDK is in
// another. The build needs neither the work tree nor the history of Git. So an edit of the SDK does not
// change any release, and an old version does not need its own directory.
package released

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/platform/durable"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/versions"
)

// Release is one released version, a line of plugins/released.lock.
type Release struct {
	Capability string            `json:"capability_id"`
	Version    string            `json:"calculation_version"`
	Package    string            `json:"package"`   // directory of the engine in plugins, such as mechanical/torsion/hollow_shaft
	Source     string            `json:"source"`    // hash of its source files in plugins
	Archive    string            `json:"archive"`   // name of the archive with these files, in plugins/released
	SDK        string            `json:"sdk"`       // name of the archive of the SDK, in the same directory
	Toolchain  string            `json:"toolchain"` // such as go1.26.8
	Revision   string            `json:"revision"`  // commit of the release
	Engines    map[string]string `json:"engines"`   // digests of the executables by platform
}

// Name returns the name of the release on command lines.
func (r *Release) Name() string { return r.Package + "@" + r.Version }

// Repository is a checkout of this repository. The value is its absolute path.
type Repository string

// LockFile is the file that lists the releases.
func (r Repository) LockFile() string { return r.path("plugins", "released.lock") }

func (r Repository) archive(name string) string { return r.path("plugins", "released", name+".zip") }

func (r Repository) path(elements ...string) string {
	return filepath.Join(append([]string{string(r)}, elements...)...)
}

// format is the version of the lock file's format.
const format = 1

type header struct {
	Format int `json:"released_format"`
}

// Releases reads the lock file. Without the file there are no releases. The error names the invalid line
// and the reason.
func (r Repository) Releases() ([]Release, error) {
	data, err := readFile(r.LockFile(), maxLock)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.LockFile(), err)
	}
	return list, nil
}

// parse parses the lines of a lock file: a header, and then a release each.
func parse(data []byte) ([]Release, error) {
	text, ended := strings.CutSuffix(string(data), "\n")
	if !ended {
		return nil, errors.New("the last line is cut off: restore the file from Git")
	}
	lines := strings.Split(text, "\n")
	var h header
	if err := decode(lines[0], &h); err != nil || h.Format != format {
		return nil, fmt.Errorf("line 1 is not {\"released_format\":%d}, so this program cannot read the file", format)
	}
	list := make([]Release, len(lines)-1)
	for i, line := range lines[1:] {
		err := decode(line, &list[i])
		if err == nil {
			err = list[i].check()
		}
		if err == nil && i > 0 && compare(&list[i-1], &list[i]) >= 0 {
			err = errors.New("it is a duplicate or out of order: sort by capability, and oldest first")
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
	}
	return list, nil
}

func decode(line string, into any) error {
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return errors.New("more than one object")
	}
	return nil
}

// Formats of the members of a release. Several of them become parts of paths and command lines.
var (
	packageForm   = regexp.MustCompile(`^[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)*$`)
	sourceForm    = regexp.MustCompile(`^h1:[A-Za-z0-9+/]{43}=$`)
	archiveForm   = regexp.MustCompile(`^(plugins|sdk)-[0-9a-f]{16}$`)
	toolchainForm = regexp.MustCompile(`^go1\.[0-9]{1,3}(\.[0-9]{1,3}|rc[0-9]{1,2})?$`)
	revisionForm  = regexp.MustCompile(`^[0-9a-f]{40,64}$`)
	platformForm  = regexp.MustCompile(`^[a-z0-9]{1,16}/[a-z0-9]{1,16}$`)
	digestForm    = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
)

func (r *Release) check() error {
	if _, err := versions.Parse(r.Version); err != nil {
		return err
	}
	if !sdk.IsCapability(r.Capability) {
		return fmt.Errorf("capability_id %.100q is none, such as electrical.basic.ohms_law", r.Capability)
	}
	for _, m := range []struct {
		name, text string
		form       *regexp.Regexp
	}{
		{"package", r.Package, packageForm}, {"source", r.Source, sourceForm},
		{"archive", r.Archive, archiveForm}, {"sdk", r.SDK, archiveForm}, {"toolchain", r.Toolchain, toolchainForm}, {"revision", r.Revision, revisionForm},
	} {
		if len(m.text) > maxText || !m.form.MatchString(m.text) {
			return fmt.Errorf("%s %.100q is not of the form %s", m.name, m.text, m.form)
		}
	}
	if len(r.Engines) == 0 {
		return errors.New("it has no engines")
	}
	for platform, digest := range r.Engines {
		if !platformForm.MatchString(platform) || !digestForm.MatchString(digest) {
			return fmt.Errorf("engine %.100q of %.40q is not a digest for a platform such as linux/amd64", digest, platform)
		}
	}
	return nil
}

// Limits of files.
const (
	maxLock     = 8 << 20 // bytes
	maxText     = 200
	maxArchive  = 16 << 20 // bytes
	maxUnpacked = 64 << 20
	maxFiles    = 20_000
)

// compare orders releases by capability and version, oldest first.
func compare(a, b *Release) int {
	if c := strings.Compare(a.Capability, b.Capability); c != 0 {
		return c
	}
	v, _ := versions.Parse(a.Version) // both were checked
	w, _ := versions.Parse(b.Version)
	return cmp.Or(v.Compare(w), strings.Compare(a.Version, b.Version))
}

// Write replaces the lock file. Equal releases give byte-identical files.
func (r Repository) Write(list []Release) error {
	slices.SortFunc(list, func(a, b Release) int { return compare(&a, &b) })
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(header{format}); err != nil {
		return err
	}
	for i := range list {
		if err := encoder.Encode(&list[i]); err != nil {
			return err
		}
	}
	if _, err := parse(text.Bytes()); err != nil {
		return err
	}
	return durable.Replace(r.LockFile(), 0o644, durable.Bytes(text.Bytes()))
}

// Newest returns the newest release of the engine in a package, or nil if there is none.
func Newest(list []Release, pkg string) *Release {
	var newest *Release
	for i := range list {
		if r := &list[i]; r.Package == pkg && (newest == nil || compare(newest, r) < 0) {
			newest = r
		}
	}
	return newest
}

// platforms returns the platforms of a release, sorted.
func (r *Release) platforms() []string { return slices.Sorted(maps.Keys(r.Engines)) }
