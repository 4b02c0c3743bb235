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

// attachments are what is said of releases, by the manifest that it is about.
type attachments struct {
	reports   map[digest.Digest][]attachment
	standings standings
}

// report returns the conformance report about an engine of a release, nil if there is
// none: reports about others of its engines are not.
func (a *attachments) report(release, engine digest.Digest, others map[string]v1.Descriptor) ([]byte, error) {
	all := []digest.Digest{}
	for _, d := range others {
		all = append(all, d.Digest)
	}
	list := slices.DeleteFunc(slices.Clone(a.reports[release]), func(r attachment) bool {
		about := amongThem(r.data, all)
		return len(about) > 0 && !slices.Contains(about, engine)
	})
	switch len(list) {
	case 0:
		return nil, nil
	case 1:
		return list[0].data, list[0].err
	default:
		return nil, fmt.Errorf("the release has %d conformance reports: keep the one that was published with it", len(list))
	}
}

// attachments reads the referrers that index.json lists. Of several records of where a
// release stands the last counts. The error is about those that belong to no release
// listed.
func (l *layout) attachments(x *index) (*attachments, error) {
	found, stray := &attachments{map[digest.Digest][]attachment{}, standings{}}, []error(nil)
	for _, d := range x.untagged {
		if d.MediaType != v1.MediaTypeImageManifest || d.ArtifactType != "" && !isOurs(d.ArtifactType) {
			continue
		}
		m, err := l.manifest(d)
		kind := d.ArtifactType
		if err == nil {
			kind = m.ArtifactType
		}
		if kind != "" && !isOurs(kind) {
			continue
		}
		about := subject(x, d, m)
		if about == "" {
			stray = append(stray, errors.Join(fmt.Errorf("index.json lists %.100q, which is about nothing that is published here: restore index.json from a backup", d.Digest), err))
			continue
		}
		if kind == StandingType {
			last := found.standings[about]
			if last.State == Revoked && last.err == nil {
				continue // that is final, in whatever order the records are listed
			}
			if last.err = err; err == nil {
				last.Standing, last.err = l.standing(m)
			}
			found.standings[about] = last
			continue
		}
		a := attachment{err: err}
		if err == nil {
			a.data, a.err = l.report(m)
		}
		found.reports[about] = append(found.reports[about], a)
	}
	return found, errors.Join(stray...)
}

func isOurs(artifactType string) bool {
	return artifactType == ConformanceType || artifactType == StandingType
}

// subject returns the release that an attachment is about, "" if none is listed. Where
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
