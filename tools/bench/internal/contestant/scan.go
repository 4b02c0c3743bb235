package contestant

import (
	"strconv"

	"github.com/slipstick/slipstick/host/tools/bench/internal/beam"
)

// scanner reads the JSON of one calculation, and no other JSON. Its methods report
// whether the text continues with the element in their name.
type scanner struct {
	text []byte
	at   int
}

// space skips white space.
func (s *scanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\n', '\r', '\t':
			s.at++
		default:
			return
		}
	}
}

// end reports whether the text ends.
func (s *scanner) end() bool {
	s.space()
	return s.at == len(s.text)
}

func (s *scanner) take(c byte) bool {
	s.space()
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

// word reads a string without escapes.
func (s *scanner) word() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	from := s.at
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return s.text[from : s.at-1], true
		case c == '\\' || c < ' ':
			return nil, false
		}
	}
	return nil, false
}

func (s *scanner) number() (float64, bool) {
	s.space()
	from := s.at
	for ; s.at < len(s.text); s.at++ {
		if c := s.text[s.at]; (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			break
		}
	}
	f, err := strconv.ParseFloat(string(s.text[from:s.at]), 64)
	return f, err == nil
}

// all is the bits of the eight inputs.
const all = 1<<8 - 1

// inputs reads the object of the inputs. Each input must occur once.
func (s *scanner) inputs(in *beam.Input) bool {
	if !s.take('{') {
		return false
	}
	seen := 0
	for {
		name, ok := s.word()
		if !ok || !s.take(':') {
			return false
		}
		f, ok := s.number()
		if !ok {
			return false
		}
		bit := set(in, name, f)
		if bit == 0 || seen&bit != 0 {
			return false
		}
		seen |= bit
		if !s.take(',') {
			return s.take('}') && seen == all && in.Valid()
		}
	}
}

// set sets the input of the name and returns its bit, or 0 if there is none.
func set(in *beam.Input, name []byte, f float64) int {
	switch string(name) {
	case "span":
		in.Span = f
		return 1
	case "width":
		in.Width = f
		return 2
	case "depth":
		in.Depth = f
		return 4
	case "modulus":
		in.Modulus = f
		return 8
	case "load":
		in.Load = f
		return 16
	case "force":
		in.Force = f
		return 32
	case "couple":
		in.Couple = f
		return 64
	case "axial":
		in.Axial = f
		return 128
	}
	return 0
}

// row reads a line of a batch: the given id, and the inputs.
func (s *scanner) row(id string, in *beam.Input) bool {
	if !s.take('{') {
		return false
	}
	named, given := false, false
	for {
		name, ok := s.word()
		if !ok || !s.take(':') {
			return false
		}
		switch string(name) {
		case "id":
			value, ok := s.word()
			if !ok || string(value) != id {
				return false
			}
			named = true
		case "inputs":
			if !s.inputs(in) {
				return false
			}
			given = true
		default:
			return false
		}
		if !s.take(',') {
			return s.take('}') && named && given
		}
	}
}
