package text

import (
	"fmt"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/enginefile"
	"github.com/slipstick/slipstick/sdk/preset"
)

// Replaced returns the document of a Spec with another version of a calculation that it calls. That version replaces every
// other version, also in the steps that call it. The tables have at least the tables that the documents use. A file of
// vectors is left out. The error is of type [Mistakes] if a document cannot use that version.
func Replaced(s, with *sdk.Spec, tables []*preset.Table) (*enginefile.Text, error) {
	r := &replacer{with: with, closure: Closure{Tables: tables}}
	r.keep(with)
	source, err := r.document(s)
	if err != nil {
		return nil, err
	}
	return r.bound(s, source)
}

// replacer makes documents again with another version of a calculation.
type replacer struct {
	with    *sdk.Spec
	closure Closure // what is made so far, and what the version uses itself
}

// keep adds a document, and the documents that it uses, as they are published.
func (r *replacer) keep(s *sdk.Spec) {
	if r.closure.document(s.Capability, s.Version) != nil {
		return
	}
	for i := range s.Uses {
		if step := s.Uses[i].Spec; step != nil {
			r.keep(step)
		}
	}
	r.closure.Documents = append(r.closure.Documents, Source{s.Capability, s.Version, s.Document})
}

// document returns the document of a Spec with the version, without digests of what changed.
func (r *replacer) document(s *sdk.Spec) (string, error) {
	d, err := Parse(s.Capability, []byte(s.Document))
	if err != nil {
		return "", err
	}
	if len(d.Uses) != len(s.Uses) {
		return "", fmt.Errorf("%s %s: the description lacks what the document uses", s.Capability, s.Version)
	}
	lines := strings.Split(s.Document, "\n")
	for i := range d.Uses {
		u, step := &d.Uses[i], s.Uses[i].Spec
		if step == nil {
			continue
		}
		version := r.with.Version
		if u.ID.Text != r.with.Capability {
			changed, err := r.step(step)
			if err != nil {
				return "", err
			}
			if !changed {
				continue
			}
			version = u.Version.Text
		}
		lines[u.ID.Line-1] = fmt.Sprintf("- %s%s: %s@%s", useKey, u.Name.Text, u.ID.Text, version)
	}
	return strings.Join(lines, "\n"), nil
}

// step makes a step again, and reports whether it changed.
func (r *replacer) step(s *sdk.Spec) (changed bool, err error) {
	if made := r.closure.document(s.Capability, s.Version); made != nil {
		return made.Text != s.Document, nil
	}
	source, err := r.document(s)
	if err != nil {
		return false, err
	}
	if source == s.Document {
		r.keep(s)
		return false, nil
	}
	t, err := r.bound(s, source)
	if err != nil {
		return false, err
	}
	r.closure.Documents = append(r.closure.Documents, Source{s.Capability, s.Version, string(t.Document)})
	return true, nil
}

// bound pins the changed document of a Spec. Its mistakes are in its own lines.
func (r *replacer) bound(s *sdk.Spec, source string) (t *enginefile.Text, err error) {
	t = new(enginefile.Text)
	t.Document, t.Closure, err = Pin(s.Capability, withoutVectorFile(source), &r.closure)
	if err != nil {
		return nil, err
	}
	_, err = BindWith(s.Capability, t)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// withoutVectorFile returns a document without the line that names its file of vectors.
func withoutVectorFile(source string) []byte {
	d, err := Parse("document", []byte(source))
	if err != nil || d.VectorFile.Text == "" {
		return []byte(source)
	}
	lines := strings.Split(source, "\n")
	at := d.VectorFile.Line - 1
	return []byte(strings.Join(append(lines[:at], lines[at+1:]...), "\n"))
}
