package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// place is the place of a change: a function, or the formula, and a line of its source.
type place struct{ in, line string }

// reasons explain why some mutants of a package need not be noticed.
type reasons struct {
	engines []string // engines that exercise a shared package
	tests   []string // other packages with tests of this one
	sample  int      // one in so many mutants is checked; 0 for all
	open    int      // number of survivors without an explanation
	entries map[entry]*use
	groups  map[group]*use
}

// entry is one change.
type entry struct {
	at     place
	change string
}

// group is the set of changes of a kind in a function, or all of its changes.
type group struct{ in, kind string }

// use counts the changes of an explanation, and the changes that it must have.
type use struct{ found, want, line int }

// readReasons reads the file of a package. Without the file there are no reasons.
//
// A reason starts at the beginning of one or several lines. The changes that it
// explains follow it: the function after one tab, the line of its source after two, and the changes after
// three. If a reason explains all changes of a kind in a function, the kind and their number follow the
// function:
//
//	Where fewer terms leave the bound too wide, the loan is computed with all digits.
//		boundedLoan.excess
//			for k := 1; k <= terms; k++ {
//				terms -> terms + 1
//			* comparison: 3
//
// The number is checked, so that no later change is included by mistake. The kinds are number, sign, operation,
// order, comparison, logic, operand and text, or any. For changes of the text, the function is "the formula".
// The first lines of the file of a shared package name the engines that exercise it, and
// the packages with further tests of it:
//
//	engines: units/convert/length units/convert/angle
//	tests: internal/adaptive
//
// A line such as "sample: 8" there means that only the first of every eight changes is made. A line such as
// "open: 20" is the number of changes without a reason. The command lists them, and
// does not fail while the number is the same.
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

// reader is the state of reading a file.
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

// stale returns the entries of the file without a matching change, or with another number of changes.
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

// entry returns the lines of a mutant in the format of the file, after an entry at another place.
func (m *mutant) entry(last place) (lines []string) {
	if m.at.in != last.in {
		lines = append(lines, "\t"+m.at.in)
	}
	if m.at != last {
		lines = append(lines, "\t\t"+m.at.line)
	}
	return append(lines, "\t\t\t"+m.change)
}

// number distinguishes equal changes of the same line by numbers.
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
