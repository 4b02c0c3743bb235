package store

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

// CurrentTag is the tag of the release for calls without a version.
const CurrentTag = "current"

// promotedNote is the annotation of the entry tagged current that has the time since which the
// release is current. It is absent if the release is current since its publication. It is not
// signed, and remote registries do not keep it. Signed statements have a time of their own.
const promotedNote = "vnd.slipstick.promoted"

// Index is an index.json. It does not change; methods that add entries return another Index.
type Index struct {
	raw      []byte
	doc      v1.Index
	tags     map[string][]v1.Descriptor
	named    map[digest.Digest]bool // manifests with a tag
	untagged []v1.Descriptor
}

// IndexOf returns the index that lists the entries.
func IndexOf(entries []v1.Descriptor) (*Index, error) {
	return ParseIndex(Marshal(v1.Index{Versioned: specs.Versioned{SchemaVersion: 2}, Manifests: entries}))
}

// ParseIndex reads an index.json. It does not check the entries against each other;
// [Index.Check] does.
func ParseIndex(data []byte) (*Index, error) {
	x := &Index{raw: data, tags: map[string][]v1.Descriptor{}, named: map[digest.Digest]bool{}}
	if err := json.Unmarshal(data, &x.doc); err != nil {
		return nil, fmt.Errorf("not an OCI index: %w: restore it from a backup", err)
	}
	if x.doc.SchemaVersion != 2 || x.doc.MediaType != "" && x.doc.MediaType != v1.MediaTypeImageIndex {
		return nil, fmt.Errorf("schema version %d and media type %.100q do not belong to an OCI index: restore it from a backup", x.doc.SchemaVersion, x.doc.MediaType)
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

// Bytes returns the index as it was read.
func (x *Index) Bytes() []byte { return x.raw }

// Entries returns all entries.
func (x *Index) Entries() []v1.Descriptor { return x.doc.Manifests }

// Tagged returns the entries with a tag.
func (x *Index) Tagged(tag string) []v1.Descriptor { return x.tags[tag] }

// Untagged returns the entries without a tag: statements about releases.
func (x *Index) Untagged() []v1.Descriptor { return x.untagged }

// Named reports whether a manifest has a tag.
func (x *Index) Named(d digest.Digest) bool { return x.named[d] }

// Versions returns the tags of releases, newest first. It skips the tags sha256-..., which
// represent referrers on servers that do not support them.
func (x *Index) Versions() []string {
	var list []string
	for tag := range maps.Keys(x.tags) {
		if tag != CurrentTag && !strings.HasPrefix(tag, "sha256-") {
			list = append(list, tag)
		}
	}
	return versions.Newest(list)
}

// Release returns the entry of a version.
func (x *Index) Release(version string) (v1.Descriptor, error) {
	if _, err := versions.Parse(version); err != nil {
		return v1.Descriptor{}, fmt.Errorf("tag in index.json: %w: remove that entry", err)
	}
	entries := x.tags[version]
	switch len(entries) {
	case 0:
		return v1.Descriptor{}, fmt.Errorf("version %s is not published", version)
	case 1:
	default:
		return v1.Descriptor{}, fmt.Errorf("index.json has %d entries tagged %s: keep the one that was published", len(entries), version)
	}
	return entries[0], nil
}

// VersionsOf returns the versions that have this manifest.
func (x *Index) VersionsOf(d digest.Digest) []string {
	return slices.DeleteFunc(x.Versions(), func(version string) bool {
		entry, err := x.Release(version)
		return err != nil || entry.Digest != d
	})
}

// Current returns the version of the tag current, or "" if there is no such tag.
func (x *Index) Current() (string, error) {
	entries := x.tags[CurrentTag]
	switch len(entries) {
	case 0:
		return "", nil
	case 1:
	default:
		return "", fmt.Errorf("index.json has %d entries tagged current: keep the one that was published", len(entries))
	}
	list := x.VersionsOf(entries[0].Digest)
	if len(list) != 1 {
		return "", fmt.Errorf("current in index.json points to %.100q, which is the release of %d versions: point it to one that is listed", entries[0].Digest, len(list))
	}
	if v, err := versions.Parse(list[0]); err != nil || v.Prerelease() != "" {
		return "", fmt.Errorf("current in index.json points to the pre-release %s: point it to a release", list[0])
	}
	return list[0], nil
}

// Promoted returns when current moved to its release after the publication of that release. It
// is zero if that never happened, or if the time is not recorded.
func (x *Index) Promoted() time.Time {
	for _, d := range x.tags[CurrentTag] {
		t, _ := time.Parse(time.RFC3339Nano, d.Annotations[promotedNote])
		return t
	}
	return time.Time{}
}

// Check returns an error if the entries contradict each other.
func (x *Index) Check() error {
	_, err := x.Current()
	errs := []error{err}
	for _, v := range x.Versions() {
		_, err := x.Release(v)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Lists reports whether a manifest is listed, under any tag or none.
func (x *Index) Lists(d digest.Digest) bool {
	return slices.ContainsFunc(x.doc.Manifests, func(e v1.Descriptor) bool { return e.Digest == d })
}

// Records counts the statements about a version.
func (x *Index) Records(version string) (n int) {
	for _, d := range x.untagged {
		if d.Annotations[v1.AnnotationVersion] == version {
			n++
		}
	}
	return n
}

// emptyIndex returns an index.json that lists nothing.
func emptyIndex() []byte {
	return Marshal(v1.Index{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageIndex, Manifests: []v1.Descriptor{},
	})
}

// With returns the index that also lists a release and the statements about it. If
// mayBeCurrent is true, current points to the release unless it points to a newer version.
func (x *Index) With(release v1.Descriptor, statements []v1.Descriptor, version string, mayBeCurrent bool) (*Index, error) {
	was, err := x.Current()
	if err != nil {
		return nil, err
	}
	doc := x.doc
	doc.Manifests = append(slices.Clone(doc.Manifests), Tag(release, version))
	doc.Manifests = append(doc.Manifests, statements...)
	if mayBeCurrent && (was == "" || versions.Newest([]string{was, version})[0] == version) {
		doc.Manifests = slices.DeleteFunc(doc.Manifests, func(d v1.Descriptor) bool { return tagOf(d) == CurrentTag })
		doc.Manifests = append(doc.Manifests, Tag(release, CurrentTag))
	}
	data := Marshal(doc)
	if len(data) > MaxJSON {
		return nil, fmt.Errorf("index.json would have %d bytes, more than the %d that are read: publish under a new capability id", len(data), MaxJSON)
	}
	return ParseIndex(data)
}

// Plus returns the index that also lists an attachment.
func (x *Index) Plus(d v1.Descriptor) *Index {
	doc := x.doc
	doc.Manifests = append(slices.Clone(doc.Manifests), d)
	return x.changed(doc)
}

// Pointing returns the index in which the version is current since a time. If version is "",
// none is current.
func (x *Index) Pointing(version string, since time.Time) (*Index, error) {
	doc := x.doc
	doc.Manifests = slices.DeleteFunc(slices.Clone(doc.Manifests), func(d v1.Descriptor) bool { return tagOf(d) == CurrentTag })
	if version != "" {
		entry, err := x.Release(version)
		if err != nil {
			return nil, err
		}
		entry = Tag(entry, CurrentTag)
		if !since.IsZero() {
			entry.Annotations[promotedNote] = since.UTC().Format(time.RFC3339Nano)
		}
		doc.Manifests = append(doc.Manifests, entry)
	}
	return x.changed(doc), nil
}

// changed returns an index with another document.
func (x *Index) changed(doc v1.Index) *Index {
	next, err := ParseIndex(Marshal(doc))
	if err != nil {
		panic(err) // schema version and media type are unchanged
	}
	return next
}

func tagOf(d v1.Descriptor) string { return d.Annotations[v1.AnnotationRefName] }

// Tag returns the entry under a tag.
func Tag(d v1.Descriptor, tag string) v1.Descriptor {
	d.Annotations = maps.Clone(d.Annotations)
	d.Annotations[v1.AnnotationRefName] = tag
	return d
}

// Created returns the time at which an entry was made, zero if it is not known.
func Created(d v1.Descriptor) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, d.Annotations[v1.AnnotationCreated])
	return t
}
