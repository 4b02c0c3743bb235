package report

import "strings"

// Subject is what a finding is about. One of Vector, Request and Name is set. Path is a part
// of it, or one of several calls. The document carries a subject as a sentence:
//
//	subject = what [ ", " path ]
//	what    = "vector " id | "generated: " id | name
//
// for example "vector P001, result.delta", "generated: side-max" and "Spec, input side".
// Path is everything after the first comma with a space, so an id with a comma and a space
// cannot be read back. No other code parses a subject.
type Subject struct {
	Vector  string // id of a vector
	Request string // id of a generated request
	Name    string // any other subject, such as "Spec" or "instance 1"
	Path    string // such as "result.delta" or "call 2 of instance 1"
}

const (
	vectorPrefix  = "vector "
	requestPrefix = "generated: "
	pathSeparator = ", "
)

// At returns the subject with another path.
func (s Subject) At(path string) Subject {
	s.Path = path
	return s
}

// String returns the sentence of the document, or "" for the zero Subject.
func (s Subject) String() string {
	if s.Path == "" {
		return s.what()
	}
	return s.what() + pathSeparator + s.Path
}

func (s Subject) what() string {
	switch {
	case s.Vector != "":
		return vectorPrefix + s.Vector
	case s.Request != "":
		return requestPrefix + s.Request
	}
	return s.Name
}

// MarshalText returns the sentence.
func (s Subject) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the sentence.
func (s *Subject) UnmarshalText(text []byte) error {
	*s = Subject{}
	what, path, _ := strings.Cut(string(text), pathSeparator)
	if id, ok := strings.CutPrefix(what, vectorPrefix); ok {
		s.Vector = id
	} else if id, ok := strings.CutPrefix(what, requestPrefix); ok {
		s.Request = id
	} else {
		s.Name = what
	}
	s.Path = path
	return nil
}

// fit makes the subject safe for one line of a terminal. A sentence that is too long is cut
// at its end, so the path is cut before the id or name.
func (s Subject) fit() Subject {
	room := max(0, longest-len(s.what()+pathSeparator))
	s.Vector = fit(s.Vector, longest-len(vectorPrefix))
	s.Request = fit(s.Request, longest-len(requestPrefix))
	s.Name = fit(s.Name, longest)
	if room == 0 {
		s.Path = ""
	}
	s.Path = fit(s.Path, room)
	return s
}
