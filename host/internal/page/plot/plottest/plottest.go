// Package plottest finds labels in plots that readers cannot read, for tests. [Collisions] reads the finished SVG and
// returns each label that meets a line or another label.
package plottest

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Collision is a text of a picture that meets a line or another text.
type Collision struct {
	Text string
	With string // the other text, or the class of the line
	Line bool
}

// String implements fmt.Stringer.
func (c Collision) String() string {
	if c.Line {
		return fmt.Sprintf("%q meets a line of class %s", c.Text, c.With)
	}
	return fmt.Sprintf("%q meets %q", c.Text, c.With)
}

// drawn is a text, or a path, of a picture.
type drawn struct {
	class, text, anchor string
	x, y                float64
	pieces              []piece
	half                float64 // half of the width of the line
}

// piece is a straight piece of a path.
type piece struct{ ax, ay, bx, by float64 }

// box is the place of the letters of a text.
type box struct{ left, top, right, bottom float64 }

// Collisions returns the collisions of the texts in an SVG of package plot. A label can meet the thin lines of a background,
// and the grid.
func Collisions(svg string) ([]Collision, error) {
	list, err := read(svg)
	if err != nil {
		return nil, err
	}
	var found []Collision
	for i := range list {
		label := &list[i]
		if label.text == "" {
			continue
		}
		at := label.box()
		for k := range list {
			other := &list[k]
			switch {
			case other.text != "" && k < i && at.meets(other.box()):
				found = append(found, Collision{Text: label.text, With: other.text})
			case other.text == "" && slices.ContainsFunc(other.pieces, func(p piece) bool { return p.meets(at.wider(other.half)) }):
				found = append(found, Collision{label.text, other.class, true})
			}
		}
	}
	return found, nil
}

// lines are the classes of lines that no text can meet, with half of their width in pixels. These are the lines of data and
// of drawn objects.
var lines = map[string]float64{"curve": 1, "shape": 0.9, "arrow": 0.9, "load": 0.6, "dimension": 0.45}

// width returns half of the width of a line, and whether texts must not meet the line.
func width(class string) (half float64, counts bool) {
	words := strings.Fields(class)
	if len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return w == "context" || w == "centre" }) {
		return 0, false
	}
	if slices.Contains(words, "member") {
		return 3, true
	}
	half, counts = lines[words[0]]
	return half, counts
}

func read(svg string) (list []drawn, err error) {
	depth := 0 // in a text
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		switch e := token.(type) {
		case xml.StartElement:
			of := map[string]string{}
			for _, a := range e.Attr {
				of[a.Name.Local] = a.Value
			}
			half, counts := width(of["class"])
			switch {
			case e.Name.Local == "text":
				one := drawn{class: of["class"], anchor: of["text-anchor"]}
				one.x, err = strconv.ParseFloat(of["x"], 64)
				if err == nil {
					one.y, err = strconv.ParseFloat(of["y"], 64)
				}
				list = append(list, one)
				depth++
			case e.Name.Local == "path" && counts:
				one := drawn{class: of["class"], half: half}
				one.pieces, err = pieces(of["d"])
				list = append(list, one)
			}
			if err != nil {
				return nil, err
			}
		case xml.EndElement:
			if e.Name.Local == "text" {
				depth--
			}
		case xml.CharData:
			if depth > 0 {
				list[len(list)-1].text += string(e)
			}
		}
	}
}

// pieces reads the commands M, L, A and Z of a path, which package plot writes. An arc counts as its chord.
func pieces(d string) (list []piece, err error) {
	var first, last [2]float64
	for d != "" {
		command := d[0]
		end := 1 + strings.IndexAny(d[1:]+"M", "MLAZ")
		fields := strings.Fields(d[1:end])
		d = d[end:]
		numbers := make([]float64, len(fields))
		for i, text := range fields {
			numbers[i], err = strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, err
			}
		}
		if command == 'Z' {
			list, last = append(list, piece{last[0], last[1], first[0], first[1]}), first
			continue
		}
		if command == 'A' && len(numbers) == 7 {
			numbers = numbers[5:]
		}
		if !strings.ContainsRune("MLA", rune(command)) || len(numbers)%2 != 0 {
			return nil, fmt.Errorf("path command %c with %d numbers", command, len(numbers))
		}
		for i := 0; i < len(numbers); i += 2 {
			to := [2]float64{numbers[i], numbers[i+1]}
			if command == 'M' {
				first = to
			} else {
				list = append(list, piece{last[0], last[1], to[0], to[1]})
			}
			last = to
		}
	}
	return list, nil
}

const fontSize = 13 // as in the style of package plot

// wide and narrow are letters that are wider or narrower than a digit in the usual fonts without serifs.
const (
	widest = "mwMW%@"
	narrow = "iljIft.,:;'|!()[]/ \u00a0·"
)

// box returns the place of the letters. The font of the reader is unknown, and this is a wide one.
func (t *drawn) box() box {
	ems := 0.0
	for _, r := range t.text {
		switch {
		case strings.ContainsRune(widest, r):
			ems += 0.92
		case strings.ContainsRune(narrow, r):
			ems += 0.36
		case r >= 'A' && r <= 'Z':
			ems += 0.70
		default:
			ems += 0.60
		}
	}
	wide := ems * fontSize
	if slices.Contains(strings.Fields(t.class), "value") {
		wide *= 1.13 // bold
	}
	left := t.x
	switch t.anchor {
	case "middle":
		left -= wide / 2
	case "end":
		left -= wide
	}
	return box{left, t.y - 9.5, left + wide, t.y + 2.5}
}

func (a box) meets(b box) bool {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

func (a box) wider(by float64) box { return box{a.left - by, a.top - by, a.right + by, a.bottom + by} }

// meets reports whether a piece of a line goes through the box.
func (p piece) meets(b box) bool {
	if max(p.ax, p.bx) <= b.left || min(p.ax, p.bx) >= b.right || max(p.ay, p.by) <= b.top || min(p.ay, p.by) >= b.bottom {
		return false
	}
	side := func(x, y float64) float64 { return (p.bx-p.ax)*(y-p.ay) - (p.by-p.ay)*(x-p.ax) }
	corners := []float64{side(b.left, b.top), side(b.right, b.top), side(b.left, b.bottom), side(b.right, b.bottom)}
	return slices.Min(corners) < 0 && slices.Max(corners) > 0
}
