package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	specs "github.com/opencontainers/image-spec/specs-go"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/versions"
)

// index is an index.json.
type index struct {
	raw      []byte
	doc      v1.Index
	tags     map[string][]v1.Descriptor
	named    map[digest.Digest]bool // manifests with a tag
	untagged []v1.Descriptor
}

func parseIndex(data []byte) (*index, error) {
	x := &index{raw: data, tags: map[string][]v1.Descriptor{}, named: map[digest.Digest]bool{}}
	if err := json.Unmarshal(data, &x.doc); err != nil {
		return nil, fmt.Errorf("not an OCI index: %w: restore it from a backup", err)
	}
	if x.doc.SchemaVersion != 2 || x.doc.MediaType != "" && x.doc.MediaType != v1.MediaTypeImageIndex {
		return nil, fmt.Errorf("schema version %d and media type %.100q are not those of an OCI index: restore it from a backup", x.doc.SchemaVersion, x.doc.MediaType)
	}
	for _, d := range x.doc.Manifests {
		if tag := tagOf(d); tag != "" {
			x.tags[tag] = append(x.tags[tag], d)
			x.named[d.Digest] = true
		} else {
			x.untagged = append(x.untagged, d)
		}
	}
	return x, nil
}

// versions returns the tags of releases, newest first. Tags that stand for
// referrers where a server does not know them (sha256-...) are none.
func (x *index) versions() []string {
	var list []string
	for tag := range maps.Keys(x.tags) {
		if tag != CurrentTag && !strings.HasPrefix(tag, "sha256-") {
			list = append(list, tag)
		}
	}
	return versions.Newest(list)
}

// release returns the entry of a version.
func (x *index) release(version string) (v1.Descriptor, error) {
	if _, err := versions.Parse(version); err != nil {
		return v1.Descriptor{}, fmt.Errorf("tag in index.json: %w: remove that entry", err)
	}
	entries := x.tags[version]
	if len(entries) != 1 {
		return v1.Descriptor{}, fmt.Errorf("index.json has %d entries tagged %s: keep the one that was published", len(entries), version)
	}
	return entries[0], nil
}

// versionsOf returns the versions that have exactly this manifest.
func (x *index) versionsOf(d digest.Digest) []string {
	return slices.DeleteFunc(x.versions(), func(version string) bool {
		entry, err := x.release(version)
		return err != nil || entry.Digest != d
	})
}

// current returns the version that current points to, "" if there is no
// such tag.
func (x *index) current() (string, error) {
	entries := x.tags[CurrentTag]
	switch len(entries) {
	case 0:
		return "", nil
	case 1:
	default:
		return "", fmt.Errorf("index.json has %d entries tagged current: keep the one that was published", len(entries))
	}
	list := x.versionsOf(entries[0].Digest)
	if len(list) != 1 {
		return "", fmt.Errorf("current in index.json points to %.100q, which is the release of %d versions: point it to one that is listed", entries[0].Digest, len(list))
	}
	if v, err := versions.Parse(list[0]); err != nil || v.Prerelease() != "" {
		return "", fmt.Errorf("current in index.json points to the pre-release %s: point it to a release", list[0])
	}
	return list[0], nil
}

// check returns what is wrong with the entries among themselves.
func (x *index) check() error {
	_, err := x.current()
	errs := []error{err}
	for _, v := range x.versions() {
		_, err := x.release(v)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// lists reports whether a manifest is listed, under any tag or none.
func (x *index) lists(d digest.Digest) bool {
	return slices.ContainsFunc(x.doc.Manifests, func(e v1.Descriptor) bool { return e.Digest == d })
}

// records counts what is said of a version.
func (x *index) records(version string) (n int) {
	for _, d := range x.untagged {
		if d.Annotations[v1.AnnotationVersion] == version {
			n++
		}
	}
	return n
}

// emptyIndex returns an index.json that lists nothing.
func emptyIndex() []byte {
	return marshal(v1.Index{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageIndex, Manifests: []v1.Descriptor{},
	})
}

// with returns the index that also lists a release, which current points to if it
// may.
func (x *index) with(a *artifact, version string) (*index, error) {
	was, err := x.current()
	if err != nil {
		return nil, err
	}
	doc := x.doc
	doc.Manifests = append(slices.Clone(doc.Manifests), tagged(a.release, version))
	doc.Manifests = append(doc.Manifests, a.attached...)
	if a.mayLead && (was == "" || versions.Newest([]string{was, version})[0] == version) {
		doc.Manifests = slices.DeleteFunc(doc.Manifests, func(d v1.Descriptor) bool { return tagOf(d) == CurrentTag })
		doc.Manifests = append(doc.Manifests, tagged(a.release, CurrentTag))
	}
	data := marshal(doc)
	if len(data) > MaxJSON {
		return nil, fmt.Errorf("index.json would have %d bytes, more than the %d that are read: publish under a new capability id", len(data), MaxJSON)
	}
	return parseIndex(data)
}

// plus returns the index that also lists an attachment.
func (x *index) plus(d v1.Descriptor) *index {
	doc := x.doc
	doc.Manifests = append(slices.Clone(doc.Manifests), d)
	return x.changed(doc)
}

// pointing returns the index whose current is the version; there is none for "".
func (x *index) pointing(version string) (*index, error) {
	doc := x.doc
	doc.Manifests = slices.DeleteFunc(slices.Clone(doc.Manifests), func(d v1.Descriptor) bool { return tagOf(d) == CurrentTag })
	if version != "" {
		entry, err := x.release(version)
		if err != nil {
			return nil, err
		}
		doc.Manifests = append(doc.Manifests, tagged(entry, CurrentTag))
	}
	return x.changed(doc), nil
}

// changed is an index made from one that was read.
func (x *index) changed(doc v1.Index) *index {
	next, err := parseIndex(marshal(doc))
	if err != nil {
		panic(err) // schema version and media type are those that were read
	}
	return next
}

func tagOf(d v1.Descriptor) string { return d.Annotations[v1.AnnotationRefName] }

func tagged(d v1.Descriptor, tag string) v1.Descriptor {
	d.Annotations = maps.Clone(d.Annotations)
	d.Annotations[v1.AnnotationRefName] = tag
	return d
}

// created returns the time at which an entry was made, zero if it is not known.
func created(d v1.Descriptor) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, d.Annotations[v1.AnnotationCreated])
	return t
}
