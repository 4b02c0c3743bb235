package release

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/scaffold"
	"github.com/slipstick/slipstick/host/internal/release/spreadsheet"
)

// New has the options of slipstick new.
type New struct {
	Capability string
	Dir        string
	Module     string
	Lang       string
	Text       bool
	From       string
	Checkout   string
}

// Run creates the module of a new engine.
func (c *New) Run(ctx context.Context, s command.Streams, program Program) error {
	if c.From != "" {
		return c.importBook(s)
	}
	if c.Text {
		c.Lang = scaffold.Text
	}
	o := scaffold.Options{Capability: c.Capability, Module: c.Module, Dir: c.Dir, Checkout: c.Checkout, Release: program.release(), Language: c.Lang}
	if o.Checkout == "" && o.Release == nil && c.Lang == scaffold.Go {
		o.Checkout = scaffold.OwnCheckout()
	}
	if !strings.Contains(program.Revision, "dirty") {
		o.Revision = program.Revision
	}
	dir, files, err := scaffold.Create(o)
	if err != nil {
		return command.Misuse(err)
	}
	for _, file := range files {
		fmt.Fprintf(s.Out, "%s/%s\n", dir, file)
	}
	if o.Checkout != "" {
		fmt.Fprintf(s.Err, "slipstick: the module needs the checkout %s, and does not build on other machines\n", o.Checkout)
	}
	if c.Lang == scaffold.Text {
		fmt.Fprintf(s.Err, "Next: slipstick dev %s/%s\n", dir, files[0])
		return nil
	}
	next := map[string]string{
		scaffold.Go:     "go test ./... && slipstick dev",
		scaffold.Python: "slipstick-engine build",
	}[c.Lang]
	if c.Lang == scaffold.Go && o.Checkout == "" && len(o.Release.Sums) == 0 {
		_, err := build.Go(ctx, dir, build.Here, nil, "mod", "tidy") // writes the sums of the release
		if err != nil {
			next = "go mod tidy && " + next
		}
	}
	fmt.Fprintf(s.Err, "Next: cd %s && %s\n", dir, next)
	return nil
}

// importBook writes a draft from a workbook, and reports its content and its gaps.
func (c *New) importBook(s command.Streams) error {
	book, err := os.Open(c.From)
	if err != nil {
		return command.Misuse(err)
	}
	contents, err := io.ReadAll(io.LimitReader(book, spreadsheet.MaxFile+1))
	err = errors.Join(err, book.Close())
	if err != nil {
		return command.Misuse(err)
	}
	var draft *spreadsheet.Draft
	o := scaffold.Options{Capability: c.Capability, Dir: c.Dir, Language: scaffold.Text}
	o.Draft = func(title string) ([]byte, error) {
		var err error
		draft, err = spreadsheet.Import(contents, spreadsheet.Options{Capability: c.Capability, Title: title, File: filepath.Base(c.From)})
		if err != nil {
			return nil, command.Refused(fmt.Errorf("%s is not imported:\n%w", c.From, err))
		}
		return draft.Source, nil
	}
	dir, files, err := scaffold.Create(o)
	if failure, isRefused := errors.AsType[*command.Failure](err); isRefused {
		return failure
	}
	if err != nil {
		return command.Misuse(err)
	}
	path := dir + "/" + files[0]
	fmt.Fprintln(s.Out, path)
	reportDraft(s.Err, draft)
	fmt.Fprintf(s.Err, "Next: complete the draft, and run slipstick check %s\n", path)
	if n := len(draft.Refused); n > 0 {
		return command.Refused(fmt.Errorf("refused: %s of %s", terminal.Count(n, "part"), c.From))
	}
	return nil
}

// reportDraft prints the imported cells, the refused cells, and the gaps of the draft.
func reportDraft(w io.Writer, draft *spreadsheet.Draft) {
	for _, group := range []struct {
		name  string
		lines []spreadsheet.Line
	}{{"input", draft.Inputs}, {"constant", draft.Constants}, {"result", draft.Results}} {
		for _, line := range group.lines {
			fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-8s %-20s %-12s %s", group.name, line.Name, line.Cell, line.Unit), " "))
		}
	}
	for _, vector := range draft.Vectors {
		fmt.Fprintln(w, "vector  ", vector)
	}
	for _, refusal := range draft.Refused {
		fmt.Fprintln(w, "refused ", refusal)
	}
	for _, note := range draft.Notes {
		fmt.Fprintln(w, "note    ", note)
	}
	for _, open := range draft.Open {
		fmt.Fprintln(w, "missing ", open)
	}
}
