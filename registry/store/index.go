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

// CurrentTag is the tag of the release that is meant when no version is asked for.
const CurrentTag = "current"

// promotedNote is the annotation of the entry tagged current that says since when it is so, if
// that is not since it was published. It is not signed, and registries elsewhere do not keep it;
// signed statements have a time of their own.
const promotedNote = "vnd.slipstick.promoted"

// Index is an index.json. It does not change; what lists more is another Index.
type Index struct {
	raw      []byte
	doc      v1.Index
	tags     map[string][]v1.Descriptor
	named    map[digest.Digest]bool // manifests with a tag
	untagged []v1.Descriptor
}

// IndexOf returns the index that lists the entries.
func IndexOf(entries []v1.Descriptor) (*Index, error) {
	return parseIndex(Marshal(v1.Index{Versioned: specs.Versioned{SchemaVersion: 2}, Manifests: entries}))
}

// parseIndex reads an index.json. What is wrong with its entries among themselves is for
// [Index.Check].
func parseIndex(data []byte) (*Index, error) {
	x := &Index{raw: data, tags: map[string][]v1.Descriptor{}, named: map[digest.Digest]bool{}}
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

// Bytes returns the index as it was read.
func (x *Index) Bytes() []byte { return x.raw }

// Entries returns all that is listed.
func (x *Index) Entries() []v1.Descriptor { return x.doc.Manifests }

// Tagged returns the entries with a tag.
func (x *Index) Tagged(tag string) []v1.Descriptor { return x.tags[tag] }

// Untagged returns the entries without a tag: statements about releases.
func (x *Index) Untagged() []v1.Descriptor { return x.untagged }

// Named reports whether a manifest has a tag.
func (x *Index) Named(d digest.Digest) bool { return x.named[d] }

// Versions returns the tags of releases, newest first. Tags that stand for
// referrers where a server does not know them (sha256-...) are none.
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
	if len(entries) != 1 {
		return v1.Descriptor{}, fmt.Errorf("index.json has %d entries tagged %s: keep the one that was published", len(entries), version)
	}
	return entries[0], nil
}

// VersionsOf returns the versions that have exactly this manifest.
func (x *Index) VersionsOf(d digest.Digest) []string {
	return slices.DeleteFunc(x.Versions(), func(version string) bool {
		entry, err := x.Release(version)
		return err != nil || entry.Digest != d
	})
}

// Current returns the version that current points to, "" if there is no
// such tag.
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

// Promoted returns when current was made to point to its release after that was published, zero
// if it never was or nobody noted when.
func (x *Index) Promoted() time.Time {
	for _, d := range x.tags[CurrentTag] {
		t, _ := time.Parse(time.RFC3339Nano, d.Annotations[promotedNote])
		return t
	}
	return time.Time{}
}

// Check returns what is wrong with the entries among themselves.
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

// With returns the index that also lists a release and what is said of it. If the release
// may lead, current points to it unless it points to a newer version.
func (x *Index) With(release v1.Descriptor, said []v1.Descriptor, version string, mayBeCurrent bool) (*Index, error) {
	was, err := x.Current()
	if err != nil {
		return nil, err
	}
	doc := x.doc
	doc.Manifests = append(slices.Clone(doc.Manifests), Tag(release, version))
	doc.Manifests = append(doc.Manifests, said...)
	if mayBeCurrent && (was == "" || versions.Newest([]string{was, version})[0] == version) {
		doc.Manifests = slices.DeleteFunc(doc.Manifests, func(d v1.Descriptor) bool { return tagOf(d) == CurrentTag })
		doc.Manifests = append(doc.Manifests, Tag(release, CurrentTag))
	}
	data := Marshal(doc)
	if len(data) > MaxJSON {
		return nil, fmt.Errorf("index.json would have %d bytes, more than the %d that are read: publish under a new capability id", len(data), MaxJSON)
	}
	return parseIndex(data)
}

// Plus returns the index that also lists an attachment.
func (x *Index) Plus(d v1.Descriptor) *Index {
	doc := x.doc
	doc.Manifests = append(slices.Clone(doc.Manifests), d)
	return x.changed(doc)
}

// Pointing returns the index whose current is the version, since then; there is none for "".
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

// changed is an index made from one that was read.
func (x *Index) changed(doc v1.Index) *Index {
	next, err := parseIndex(Marshal(doc))
	if err != nil {
		panic(err) // schema version and media type are those that were read
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
