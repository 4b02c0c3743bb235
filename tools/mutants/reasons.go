package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// place is where a change is: in a function, or the formula, and in a line of its source.
type place struct{ in, line string }

// reasons are why nobody need notice some mutants of a package.
type reasons struct {
	engines []string // that are asked in place of a shared package
	tests   []string // packages whose tests are of it, too
	sample  int      // one of so many mutants is judged; 0 for all
	open    int      // how many survivors are neither explained nor noticed yet
	entries map[entry]*use
	groups  map[group]*use
}

// entry is one change.
type entry struct {
	at     place
	change string
}

// group are the changes of a kind in a function, or all of them.
type group struct{ in, kind string }

// use is how often an explanation was of use, and how often it must be.
type use struct{ found, want, line int }

// readReasons reads the file of a package. There are none without a file.
//
// A reason stands at the beginning of a line, or of several. Below it come the changes that it
// explains: the function after one tab, the line of its source after two, and the changes after
// three. Where a reason is one for all changes of a kind in a function, these follow the function
// with their number:
//
//	Where fewer terms leave the bound too wide, the loan is computed with all digits.
//		boundedLoan.excess
//			for k := 1; k <= terms; k++ {
//				terms -> terms + 1
//			* comparison: 3
//
// The number is checked, so that no later change slips in. The kinds are number, sign, operation,
// order, comparison, logic, operand and text, or any. The function is "the formula" for those of
// the text. The file of a shared package says in its first lines which engines it is tried with, and
// which packages have more tests of it:
//
//	engines: units/convert/length units/convert/angle
//	tests: internal/adaptive
//
// A line such as "sample: 8" there says that only the first of each eight changes is made. One such as
// "open: 20" says how many changes have no reason yet: the command lists them, and
// does not fail as long as there are just as many.
func readReasons(path string) (*reasons, error) {
	r := &reasons{entries: map[entry]*use{}, groups: map[group]*use{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	p := reader{reasons: r}
	for i, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		if err := p.read(line, i+1); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
	}
	return r, nil
}

// reader has read a part of a file.
type reader struct {
	*reasons
	explained bool // there is a reason
	at        place
}

func (p *reader) read(line string, number int) error {
	text := strings.TrimLeft(line, "\t")
	switch depth := len(line) - len(text); {
	case text == "":
	case depth == 0:
		key, of, _ := strings.Cut(text, ": ")
		switch key {
		case "engines":
			p.engines = packages(of)
		case "tests":
			p.tests = packages(of)
		case "sample":
			return countOf(of, &p.sample)
		case "open":
			return countOf(of, &p.open)
		default:
			p.explained, p.at = true, place{}
		}
	case !p.explained:
		return errors.New("there is no reason above it")
	case depth == 1:
		p.at = place{in: text}
	case p.at.in == "":
		return errors.New("there is no function above it")
	case depth == 2:
		if of, ok := strings.CutPrefix(text, "* "); ok {
			return p.group(of, number)
		}
		p.at.line = text
	case depth == 3 && p.at.line != "":
		e := entry{p.at, text}
		if p.entries[e] != nil {
			return errors.New("it is there already")
		}
		p.entries[e] = &use{want: 1, line: number}
	default:
		return errors.New("a change has three tabs, and a line of source above it")
	}
	return nil
}

func countOf(text string, n *int) (err error) {
	*n, err = strconv.Atoi(text)
	return err
}

func packages(names string) (paths []string) {
	for name := range strings.FieldsSeq(names) {
		paths = append(paths, module+name)
	}
	return paths
}

func (p *reader) group(text string, number int) error {
	kind, count, _ := strings.Cut(text, ": ")
	want, err := strconv.Atoi(count)
	if err != nil || want < 1 {
		return errors.New(`want a kind and a number, such as "* comparison: 3"`)
	}
	g := group{p.at.in, kind}
	if p.groups[g] != nil {
		return errors.New("it is there already")
	}
	p.groups[g] = &use{want: want, line: number}
	return nil
}

// explain reports whether there is a reason for a survivor.
func (r *reasons) explain(m *mutant) bool {
	u := r.entries[entry{m.at, m.change}]
	if u == nil {
		u = r.groups[group{m.at.in, m.kind}]
	}
	if u == nil {
		u = r.groups[group{m.at.in, "any"}]
	}
	if u != nil {
		u.found++
	}
	return u != nil
}

// stale returns what the file has of which there is nothing, or another number.
func (r *reasons) stale() (lines []string) {
	for e, u := range r.entries {
		if u.found != u.want {
			lines = append(lines, fmt.Sprintf("survivors.txt:%d: in %s: %s: this change does not exist, or is noticed", u.line, e.at.in, e.change))
		}
	}
	for g, u := range r.groups {
		if u.found != u.want {
			lines = append(lines, fmt.Sprintf("survivors.txt:%d: in %s: %d changes of kind %s survive, not %d", u.line, g.in, u.found, g.kind, u.want))
		}
	}
	return lines
}

// entry writes a mutant as it stands in the file, after one at another place.
func (m *mutant) entry(last place) (lines []string) {
	if m.at.in != last.in {
		lines = append(lines, "\t"+m.at.in)
	}
	if m.at != last {
		lines = append(lines, "\t\t"+m.at.line)
	}
	return append(lines, "\t\t\t"+m.change)
}

// number tells equal changes of one line apart.
func number(mutants []*mutant) {
	seen := map[entry]int{}
	for _, m := range mutants {
		e := entry{m.at, m.change}
		seen[e]++
		if seen[e] > 1 {
			m.change += fmt.Sprintf(" #%d", seen[e])
		}
	}
}
