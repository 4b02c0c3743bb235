package registry

import (
	"errors"
	"fmt"
	"slices"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
)

// attachment is a conformance report, or why it cannot be read.
type attachment struct {
	data []byte
	err  error
}

// attachments are the conformance reports by the manifest that they are about.
type attachments map[digest.Digest][]attachment

// of returns the report about a release, nil if there is none.
func (a attachments) of(release digest.Digest) ([]byte, error) {
	switch list := a[release]; len(list) {
	case 0:
		return nil, nil
	case 1:
		return list[0].data, list[0].err
	default:
		return nil, fmt.Errorf("the release has %d conformance reports: keep the one that was published with it", len(list))
	}
}

// attachments reads the referrers that index.json lists. The error is about those
// that belong to no release listed.
func (l *layout) attachments(x *index) (attachments, error) {
	found, stray := attachments{}, []error(nil)
	for _, d := range x.untagged {
		if d.MediaType != v1.MediaTypeImageManifest || d.ArtifactType != "" && d.ArtifactType != ConformanceType {
			continue
		}
		m, err := l.manifest(d)
		if err == nil && m.ArtifactType != ConformanceType {
			continue
		}
		about := subject(x, d, m)
		if about == "" {
			stray = append(stray, errors.Join(fmt.Errorf("index.json lists %.100q, a conformance report about nothing that is published here: restore index.json from a backup", d.Digest), err))
			continue
		}
		a := attachment{err: err}
		if err == nil {
			a.data, a.err = l.report(m)
		}
		found[about] = append(found[about], a)
	}
	return found, errors.Join(stray...)
}

// subject returns the release that a report is about, "" if none is listed. Where
// its manifest cannot be read (nil), index.json tells the version.
func subject(x *index, d v1.Descriptor, m *v1.Manifest) digest.Digest {
	if m != nil {
		if m.Subject == nil || !x.named[m.Subject.Digest] {
			return ""
		}
		return m.Subject.Digest
	}
	if entry, err := x.release(d.Annotations[v1.AnnotationVersion]); err == nil {
		return entry.Digest
	}
	return ""
}

func (l *layout) report(m *v1.Manifest) ([]byte, error) {
	i := slices.IndexFunc(m.Layers, func(d v1.Descriptor) bool { return d.MediaType == ReportType })
	if i < 0 {
		return nil, errors.New("the conformance report has no " + ReportType + " layer: run the suite again")
	}
	return l.read(m.Layers[i], MaxJSON)
}
