package strictjson

// Scanner parses many documents, one after the other, in the same memory. The zero Scanner is
// usable. It is not safe for concurrent use.
type Scanner struct {
	members []Member
	kept    []Member
}

// ParseObject is [ParseObject] for a text. The Value is valid until the next call; the texts
// in it stay valid.
func (s *Scanner) ParseObject(text string) (Value, error) {
	if len(text) > MaxBytes {
		return Value{}, tooLarge(len(text))
	}
	s.kept = s.kept[:0]
	p := parser{text: text, members: s.members[:0], kept: &s.kept}
	v, err := p.objectDocument()
	s.members = p.members[:0]
	if cap(s.members) > maxReused || cap(s.kept) > maxReused {
		*s = Scanner{}
	}
	return v, err
}

// maxReused bounds the memory that a Scanner keeps after a large document.
const maxReused = 1024
