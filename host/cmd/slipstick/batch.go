package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/terminal"
)

// batchFlags are those of slipstick calc --batch.
type batchFlags struct {
	Batch  string `help:"Compute every row of this file, - for stdin." placeholder:"FILE"`
	Format string `enum:",ndjson,csv" default:"" help:"How the file is written, ndjson or csv. Default: as its name ends; ndjson for stdin." placeholder:"FORMAT"`
	Output string `enum:"full,result,csv" default:"full" help:"What to write: full answers or only each result, as NDJSON; or csv, the columns of a CSV file and those of the results." placeholder:"full|result|csv"`
	Out    string `help:"Write to this file, which appears when it is complete. Default: stdout." placeholder:"FILE"`
}

// Formats of batches.
const (
	formatNDJSON = "ndjson"
	formatCSV    = "csv"
	outputResult = "result"
)

// format is how the file is written, "" if that is not known.
func (f *batchFlags) format() string {
	byName := map[string]string{".csv": formatCSV, ".ndjson": formatNDJSON, ".jsonl": formatNDJSON}
	if f.Batch == "-" {
		return cmp.Or(f.Format, formatNDJSON)
	}
	return cmp.Or(f.Format, byName[strings.ToLower(filepath.Ext(f.Batch))])
}

func (f *batchFlags) check(id string) error {
	switch {
	case f.Batch == "" && (f.Format != "" || f.Output != "full" || f.Out != ""):
		return errors.New("--format, --output and --out go with --batch")
	case f.Batch == "":
		return nil
	case f.format() == "":
		return fmt.Errorf("%s ends neither in .ndjson, .jsonl nor .csv; tell how it is written with --format", f.Batch)
	case f.format() == formatCSV && id == "":
		return errors.New("name the capability of the CSV file, such as slipstick calc --batch beams.csv cantilever-deflection")
	case f.format() != formatCSV && f.Output == formatCSV:
		return errors.New("--output csv goes with a CSV file; for NDJSON there are full and result")
	}
	return nil
}

// runBatch answers every row of the file.
func (c *calcCmd) runBatch(ctx context.Context, s streams, service *calc.Service) error {
	m := terminal.NewMeter(s.err)
	source, err := c.open(s.in, m)
	if err != nil {
		return &failure{exitMisuse, err}
	}
	defer source.Close()
	out, err := c.create(terminal.Plain(s.out))
	if err != nil {
		return err
	}
	defer out.abandon()
	if err := c.answerRows(ctx, service, m.Reader(source), out, m); err != nil {
		m.Clear()
		return err
	}
	m.Clear()
	if err := out.commit(); err != nil {
		return &failure{exitInternal, err}
	}
	return verdict(s.err, m)
}

// open opens the file, and tells the meter how large it is.
func (f *batchFlags) open(stdin io.Reader, m *terminal.Meter) (io.ReadCloser, error) {
	if f.Batch == "-" {
		return io.NopCloser(stdin), nil
	}
	file, err := os.Open(f.Batch)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		m.SetSize(info.Size())
	}
	return file, nil
}

func (c *calcCmd) answerRows(ctx context.Context, service *calc.Service, source io.Reader, w io.Writer, m *terminal.Meter) error {
	output := service.FullLine
	if c.Output == outputResult {
		output = service.LeanLine
	}
	var input calc.Input = calc.NewLines(source, c.ID)
	if c.format() == formatCSV {
		table, err := c.openTable(ctx, service, source)
		if err != nil {
			return err
		}
		input = table
		if c.Output == formatCSV {
			output = table.appendRecord
			if _, err := w.Write(table.head()); err != nil {
				return &failure{exitInternal, err}
			}
		}
	}
	err := service.Batch(ctx, input, output, w, &calc.BatchOptions{Pins: c.pins(), Observe: m.Add})
	if err != nil {
		return &failure{exitInternal, fmt.Errorf("the batch ended after %s: %w", terminal.Count(int(m.Rows()), "calculation"), err)}
	}
	return nil
}

// openTable reads the header of the CSV file.
func (c *calcCmd) openTable(ctx context.Context, service *calc.Service, source io.Reader) (*table, error) {
	release, err := c.release(service)
	if err != nil {
		return nil, describeProblem(calc.ProblemOf(err))
	}
	t, err := newTable(c.ID, &release.Spec, source)
	if err != nil {
		return nil, &failure{exitFailed, fmt.Errorf("%s: %w", c.Batch, err)}
	}
	if unknown := t.unknown(); len(unknown.Inputs.Members) > 0 {
		unknown.Pins = c.pins()
		_, err := service.Calculate(ctx, unknown) // knows how to say it
		return nil, describeProblem(calc.ProblemOf(err))
	}
	return t, nil
}

// outFile is a file that is there only once it is complete; without a path, it is the
// stream.
type outFile struct {
	io.Writer
	file *os.File
	path string
}

func (f *batchFlags) create(stdout io.Writer) (*outFile, error) {
	if f.Out == "" {
		return &outFile{Writer: stdout}, nil
	}
	name := fmt.Sprintf("%s.%d.partial", f.Out, os.Getpid())
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	var refused *fs.PathError
	if errors.As(err, &refused) {
		return nil, &failure{exitMisuse, fmt.Errorf("--out %s: it cannot be written: %w", f.Out, refused.Err)}
	}
	if err != nil {
		return nil, err
	}
	return &outFile{file, file, f.Out}, nil
}

// commit gives the file its name.
func (o *outFile) commit() error {
	if o.file == nil {
		return nil
	}
	file := o.file
	o.file = nil
	err := errors.Join(file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), o.path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(file.Name()))
	}
	return err
}

// abandon removes what was not committed.
func (o *outFile) abandon() {
	if o.file != nil {
		_ = o.file.Close()
		_ = os.Remove(o.file.Name())
	}
}

// verdict says how the batch went, as an error where not all rows succeeded.
func verdict(w io.Writer, m *terminal.Meter) error {
	text, tally := m.Summary()
	switch {
	case tally.Failed > 0:
		return &failure{exitInternal, errors.New(text)}
	case tally.Rejected > 0:
		return &failure{exitFailed, errors.New(text)}
	}
	fmt.Fprintln(w, "slipstick:", text)
	return nil
}
