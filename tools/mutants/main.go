// Command mutants finds mistakes in engines that no check would notice. It changes one sign, operation,
// comparison, constant or operand of the code at a time, and then of the text of the formula. For each
// change it checks whether a test fails:
//
//	go run ./mutants ../plugins/mechanical/springs/helical_compression
//	go run ./mutants ../plugins/...        all engines and their shared packages
//
// A changed engine computes the vectors and the generated requests. It does so twice, the second time
// without shortcuts, so that both ways of computing must be right. A number counts as changed if it
// differs by more than 1e-12, the tolerance of the rule formula-values. If a vector has the number to its
// last digit, any difference counts. A change without a difference is checked with the tests of the
// package. A changed text is evaluated for the same requests. Drawings and warnings are not changed,
// because no results depend on them.
//
// All other changes must be explained in the file survivors.txt of the package, see [readReasons]. The
// command fails if an explanation is missing. It also fails if the file explains a change that does not
// exist, or that a check notices. It prints the missing entries in the format of the file, and their
// number.
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

// report writes a line for each package, followed by its errors.
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
		fmt.Fprintf(w, "%d changes are neither noticed nor explained, see the list above\n", open)
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d packages have changes without a failing check or a reason, or superfluous reasons: add vectors or tests, or complete their survivors.txt", wrong, len(packages))
	}
	return nil
}

// count is the number of noticed mutants, of explained mutants, and of all mutants.
type count struct{ noticed, explained, all int }

func (c *count) add(d count) {
	c.noticed, c.explained, c.all = c.noticed+d.noticed, c.explained+d.explained, c.all+d.all
}

// open returns the number of mutants that are neither noticed nor explained.
func (c count) open() int { return c.all - c.noticed - c.explained }

func (c count) String() string {
	return fmt.Sprintf("%5d +%4d of %5d", c.noticed, c.explained, c.all)
}

var errNoPackage = errors.New("nothing that computes is named: name directories, such as ../plugins/mechanical/statics")
