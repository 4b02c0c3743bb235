// Command mutants says which mistakes in engines nobody would notice. It changes one sign,
// operation, comparison, constant or operand of the code at a time, and then of the text of the
// formula, and looks who notices:
//
//	go run ./mutants ../plugins/mechanical/springs/helical_compression
//	go run ./mutants ../plugins/...        every engine, and what they share
//
// A changed engine is asked what the vectors and the generated requests ask: as it computes, and
// with its quick ways closed, so that both ways of computing have to be right. A number counts as
// changed if it differs by more than 1e-12, which is what the rule formula-values allows beside
// the formula of an engine, or at all where a vector has it to the last digit. A change that is
// not noticed so goes through the tests of the package. A changed text is computed for the same
// requests. Drawings and the words of warnings are left out: nothing is computed from them.
//
// What is still not noticed must be explained in the file survivors.txt of the package, see
// [readReasons]. The command fails where it is not, and where the file explains a change that does
// not exist or is noticed after all. It prints the entries that are missing as they are written
// there, and how many there are.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

func main() {
	flag.Parse()
	if err := run(os.Stdout, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, patterns []string) error {
	packages, err := load(patterns)
	if err != nil {
		return err
	}
	results := make([]chan *result, len(packages))
	for i := range results {
		results[i] = make(chan *result, 1)
	}
	var judging errgroup.Group
	judging.SetLimit(cap(processors) + 1) // one prepares what the others wait for
	go func() {
		for i, p := range packages {
			judging.Go(func() error {
				results[i] <- judge(p)
				return nil
			})
		}
	}()
	return report(w, packages, results)
}

// report writes a line for each package, and what is wrong with it below.
func report(w io.Writer, packages []*pkg, results []chan *result) error {
	var code, text count
	wrong := 0
	fmt.Fprintf(w, "%-76s %s  %s\n", "noticed + explained of all changes", "      of the code", "      of the text")
	for i, p := range packages {
		r := <-results[i]
		name := strings.TrimPrefix(p.ImportPath, module)
		if p.reasons.sample > 1 {
			name += fmt.Sprintf(", one in %d", p.reasons.sample)
		}
		if r.err != nil {
			return fmt.Errorf("%s: %w", name, r.err)
		}
		fmt.Fprintf(w, "%-76s %v  %v\n", name, r.code, r.text)
		code.add(r.code)
		text.add(r.text)
		for _, line := range slices.Concat(r.missing, r.wrong) {
			fmt.Fprintln(w, line)
		}
		wrong += min(1, len(r.wrong))
	}
	fmt.Fprintf(w, "%-76s %v  %v\n", "all", code, text)
	if open := code.open() + text.open(); open > 0 {
		fmt.Fprintf(w, "%d changes, those that are listed, are neither noticed nor explained\n", open)
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d packages have changes that nobody notices or explains, or reasons for none: complete their survivors.txt, or better give them vectors or tests", wrong, len(packages))
	}
	return nil
}

// count is how many of some mutants were noticed, and how many of the others are explained.
type count struct{ noticed, explained, all int }

func (c *count) add(d count) {
	c.noticed, c.explained, c.all = c.noticed+d.noticed, c.explained+d.explained, c.all+d.all
}

// open is how many nobody notices or explains.
func (c count) open() int { return c.all - c.noticed - c.explained }

func (c count) String() string {
	return fmt.Sprintf("%5d +%4d of %5d", c.noticed, c.explained, c.all)
}

var errNoPackage = errors.New("nothing that computes is named: name directories, such as ../plugins/mechanical/statics")
