package text

import (
	"strings"

	"github.com/slipstick/slipstick/sdk/internal/pattern"
)

// Vector is a case with its source: what is sent, and what is expected.
type Vector struct {
	ID       Phrase
	Like     Phrase // id of the vector whose inputs it changes, "" without one
	Source   Phrase
	Sent     []Sent
	Expected []Expected
}

// Sent is an input of a vector. Without means that it is not sent.
type Sent struct {
	Name    Phrase
	Without bool
	Value   *Value
}

// Expected is an expectation of a vector.
type Expected struct {
	Phrase
	Kind  ExpectedKind
	Name  Phrase // of an output
	Exact bool   // the same binary64, written ==
	Value *Value
	Code  Phrase // of a rejection or a warning, or the id of a formula
	At    Phrase // input of a rejection, "" if it is not named
	Count int    // of assumptions

	Severity Phrase // of a warning, "" if it is not named
}

// ExpectedKind is the kind of an expectation of a vector.
type ExpectedKind string

// The kinds of expectations.
const (
	Equals  ExpectedKind = "="
	Absent  ExpectedKind = "is absent"
	Warns   ExpectedKind = "warns"
	By      ExpectedKind = "by"
	Assumes ExpectedKind = "assumes"
	Rejects ExpectedKind = "reject"
)

var (
	vectorForm  = pattern.New(`^([A-Za-z][A-Za-z0-9_.-]*)(?:[ ]+like[ ]+([A-Za-z][A-Za-z0-9_.-]*))?[ ]*:(.*)$`)
	sentForm    = pattern.New(`^([A-Za-z][A-Za-z0-9_.]*)[ ]*=([^=].*)?$`)
	withoutForm = pattern.New(`^without[ ]+([A-Za-z][A-Za-z0-9_.]*)$`)
	equalsForm  = pattern.New(`^([A-Za-z][A-Za-z0-9_]*)[ ]*(==?)(.*)$`)
	absentForm  = pattern.New(`^([A-Za-z][A-Za-z0-9_]*)[ ]+is absent$`)
	warnsForm   = pattern.New(`^warns(?:[ ]+([a-z]+))?[ ]+(\S+)$`)
	byForm      = pattern.New(`^by[ ]+([a-z][a-z0-9_]*)$`)
	assumesForm = pattern.New(`^assumes[ ]+([0-9]+)$`)
	rejectsForm = pattern.New(`^reject[ ]+(\S+?)(?:[ ]+at[ ]+(\S+))?$`)
)

// readVectors reads the block of vectors.
func (r *reader) readVectors(b Block) (vectors []Vector) {
	byID := map[string]int{} // to the length of the chain of "like"
	for i := 0; i < len(b.Lines); {
		line := b.line(i)
		if line.Text == "" || strings.HasPrefix(line.Text, "#") {
			i++
			continue
		}
		m := vectorForm.FindStringSubmatchIndex(line.Text)
		if b.Lines[i][0] == ' ' || m == nil {
			r.wrong(line, "a vector starts at the beginning of a line with its id and source: V1: book: the work and the place, or V2 like V1: ...")
			for i++; i < len(b.Lines) && strings.HasPrefix(b.Lines[i], " "); i++ {
			}
			continue
		}
		v := Vector{ID: line.within(m[2], m[3]), Source: line.within(m[6], m[7])}
		if m[4] >= 0 {
			v.Like = line.within(m[4], m[5])
		}
		last := i + 1
		for last < len(b.Lines) && (b.Lines[last] == "" || b.Lines[last][0] == ' ') {
			last++
		}
		r.readVector(&v, &b, i+1, last)
		i = last
		vectors = append(vectors, v)
		r.checkLike(&v, byID)
	}
	return vectors
}

// checkLike checks the id, the source and the chain of a vector.
func (r *reader) checkLike(v *Vector, byID map[string]int) {
	if byID[v.ID.Text] > 0 {
		r.wrong(v.ID, "the vector %s is there twice", v.ID.Text)
	}
	length := 1
	if v.Like.Text != "" {
		length = byID[v.Like.Text] + 1
		switch {
		case length == 1:
			r.wrong(v.Like, "no vector above is called %s", v.Like.Text)
		case length > MaxLike:
			r.wrong(v.Like, "this is the %dth vector in a chain of like: write its inputs out", length)
		}
	}
	byID[v.ID.Text] = length
	if v.Source.Text == "" {
		r.wrong(v.ID, "the source of the vector is missing: write book: and the work with its place, or hand: and the arithmetic")
	}
	if len(v.Expected) == 0 {
		r.wrong(v.ID, "the vector has no expectation: write => and the results")
	}
}

// line returns a line of a block.
func (b *Block) line(i int) Phrase {
	p := Phrase{Place{b.Line + i, 1}, b.Lines[i]}
	return p.within(0, len(p.Text))
}

// readVector reads the inputs and expectations of a vector in the lines from first to before last. Lines
// with open brackets, and lines after =>, go on in the next line.
func (r *reader) readVector(v *Vector, b *Block, first, last int) {
	expecting := false
	for i := first; i < last; i++ {
		line := b.line(i)
		if line.Text == "" {
			continue
		}
		if rest, ok := strings.CutPrefix(line.Text, "=>"); ok {
			if expecting {
				r.wrong(line, "a vector has one =>")
			}
			expecting = true
			line = line.within(len(line.Text)-len(rest), len(line.Text))
		}
		for _, item := range r.items(b, &i, line, last) {
			if expecting {
				r.readExpected(v, item)
			} else {
				r.readSent(v, item)
			}
		}
	}
}

// items returns the items of a line and of the lines that its open brackets include.
func (r *reader) items(b *Block, i *int, line Phrase, last int) (items []Phrase) {
	for depth(line.Text) > 0 && *i+1 < last {
		*i++
		line.Text += " " + b.line(*i).Text
	}
	for _, item := range splitAt(line, ',') {
		if item.Text != "" {
			items = append(items, item)
		}
	}
	return items
}

// depth returns how many brackets are open at the end of a text.
func depth(text string) (n int) {
	for _, c := range text {
		switch c {
		case '[', '{', '(':
			n++
		case ']', '}', ')':
			n--
		}
	}
	return n
}

func (r *reader) readSent(v *Vector, item Phrase) {
	if m := withoutForm.FindStringSubmatchIndex(item.Text); m != nil {
		v.Sent = append(v.Sent, Sent{Name: item.within(m[2], m[3]), Without: true})
		return
	}
	m := sentForm.FindStringSubmatchIndex(item.Text)
	if m == nil || m[4] < 0 {
		r.wrong(item, "an input of a vector is NAME = VALUE, or without NAME")
		return
	}
	if value := r.readValue(item.within(m[4], m[5])); value != nil {
		v.Sent = append(v.Sent, Sent{Name: item.within(m[2], m[3]), Value: value})
	}
}

func (r *reader) readExpected(v *Vector, item Phrase) {
	e := Expected{Phrase: item}
	text := item.Text
	if m := absentForm.FindStringSubmatchIndex(text); m != nil {
		e.Kind, e.Name = Absent, item.within(m[2], m[3])
	} else if m := warnsForm.FindStringSubmatchIndex(text); m != nil {
		e.Kind, e.Code = Warns, item.within(m[4], m[5])
		if m[2] >= 0 {
			e.Severity = r.readSeverity(item.within(m[2], m[3]))
		}
	} else if m := byForm.FindStringSubmatchIndex(text); m != nil {
		e.Kind, e.Code = By, item.within(m[2], m[3])
	} else if m := assumesForm.FindStringSubmatchIndex(text); m != nil {
		e.Kind = Assumes
		for _, digit := range text[m[2]:m[3]] {
			e.Count = min(1000, 10*e.Count+int(digit-'0'))
		}
	} else if m := rejectsForm.FindStringSubmatchIndex(text); m != nil {
		e.Kind, e.Code = Rejects, item.within(m[2], m[3])
		if m[4] >= 0 {
			e.At = item.within(m[4], m[5])
		}
	} else if m := equalsForm.FindStringSubmatchIndex(text); m != nil {
		e.Kind, e.Name, e.Exact = Equals, item.within(m[2], m[3]), text[m[4]:m[5]] == "=="
		e.Value = r.readValue(item.within(m[6], m[7]))
		if e.Value == nil {
			return
		}
	} else {
		r.wrong(item, "write NAME = VALUE, NAME == VALUE or NAME is absent, or warns CODE, assumes 2, by FORMULA or reject CODE at INPUT")
		return
	}
	v.Expected = append(v.Expected, e)
}
