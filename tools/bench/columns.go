package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/tables/columns"
	"github.com/slipstick/slipstick/host/tools/bench/internal/fleet"
	"github.com/slipstick/slipstick/host/tools/bench/internal/server"
	"github.com/slipstick/slipstick/host/tools/bench/internal/stats"
)

// columnRows is the number of rows of a file. It makes the start of a command a small part.
const columnRows = 1_000_000

// fileBatch is the measurement of one command for one file format: medians, and the measured values.
type fileBatch struct {
	Contestant string    `json:"contestant"`
	Form       string    `json:"form"`
	PerSecond  float64   `json:"rows_per_second"`
	Own        float64   `json:"own_us"` // CPU time of the command for a row, without its engine's
	Rates      []float64 `json:"rounds"`
	Times      []float64 `json:"own_us_rounds"`

	subject *subject
	form    *fileForm
}

// fileForm is the format of rows and answers.
type fileForm struct {
	name, end string
	output    []string // flags
}

const parquetForm = "parquet"

var fileForms = []fileForm{
	{"csv", ".csv", []string{"--output", "csv"}},
	{"ndjson full", ".ndjson", nil},
	{"ndjson result", ".ndjson", []string{"--output", "result"}},
	{parquetForm, ".parquet", nil},
	{"arrow", ".arrow", nil},
}

// files measures commands that compute files with rows of the flagship.
func (b *bench) files(ctx context.Context) error {
	dir := filepath.Join(b.Dir, "rows")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := writeRows(filepath.Join(dir, "rows")); err != nil {
		return err
	}
	var all []*fileBatch
	for i := range fileForms {
		for _, s := range b.subjects() {
			all = append(all, &fileBatch{Contestant: s.name, Form: fileForms[i].name, subject: s, form: &fileForms[i]})
		}
	}
	for range b.rounds {
		for _, f := range all {
			if err := f.compute(ctx, dir); errors.Is(err, errMisuse) {
				b.note("%s reads and writes no %s", f.Contestant, f.Form)
			} else if err != nil {
				return fmt.Errorf("%s, %s: %w", f.Contestant, f.Form, err)
			}
		}
	}
	for _, f := range all {
		if len(f.Rates) > 0 {
			f.PerSecond, f.Own = stats.Median(f.Rates), stats.Median(f.Times)
			b.results.Files = append(b.results.Files, f)
		}
	}
	fmt.Fprintf(b.out, "\n%-30s%12s%12s\n", "files", "rows/s", "own us/row")
	for _, f := range b.results.Files {
		fmt.Fprintf(b.out, "  %-14s%-14s%12.0f%12.2f\n", f.Contestant, f.Form, f.PerSecond, f.Own)
	}
	return nil
}

// errMisuse means that a command does not support its arguments.
var errMisuse = errors.New("the command line is wrong")

// compute runs the command once.
func (f *fileBatch) compute(ctx context.Context, dir string) error {
	registry, err := f.subject.fleet.OfFlagship(ctx)
	if err != nil {
		return err
	}
	out := filepath.Join(dir, "answers"+f.form.end)
	defer os.Remove(out)
	cmd := exec.CommandContext(ctx, f.subject.fleet.Slipstick, append([]string{"calc", "--registry", registry, "--batch", filepath.Join(dir, "rows"+f.form.end), "--out", out},
		append(f.form.output, fleet.FlagshipTool)...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	_, waited := io.Copy(io.Discard, stdout) // until the command ends, so that its CPU time can be read before Wait
	took := time.Since(began)
	used, asked := server.CPUTime(cmd.Process.Pid)
	err = cmd.Wait()
	if cmd.ProcessState.ExitCode() == exitMisuse {
		return errMisuse
	}
	if err != nil {
		return fmt.Errorf("%w: %s", err, stderr.String())
	}
	if err := errors.Join(waited, asked); err != nil {
		return err
	}
	f.Rates = append(f.Rates, columnRows/took.Seconds())
	f.Times = append(f.Times, micros(used)/columnRows)
	return nil
}

// writeRows writes the same rows in every format.
func writeRows(name string) (err error) {
	list := []columns.Column{{Name: "L", Kind: columns.Number}, {Name: "E", Kind: columns.Number}, {Name: "I", Kind: columns.Number}, {Name: "w0", Kind: columns.Number}}
	files := map[string]*bufio.Writer{}
	for i := range fileForms {
		end := fileForms[i].end
		if files[end] != nil {
			continue
		}
		file, err := os.Create(name + end)
		if err != nil {
			return err
		}
		w := bufio.NewWriterSize(file, 1<<20)
		defer func() { err = errors.Join(err, w.Flush(), file.Close()) }()
		files[end] = w
	}
	var typed []columns.Writer
	for end, begin := range map[string]func(io.Writer, []columns.Column, map[string]string) (columns.Writer, error){".parquet": columns.NewParquet, ".arrow": columns.NewArrow} {
		w, err := begin(files[end], list, nil)
		if err != nil {
			return err
		}
		typed = append(typed, w)
	}
	random := rand.New(rand.NewPCG(1, 2))
	fmt.Fprintln(files[".csv"], "L,E,I,w0")
	var block columns.Block
	for at := 0; at < columnRows; at += block.Rows {
		block.Reset(list, min(4096, columnRows-at))
		for i := range block.Rows {
			row := [...]float64{1 + 8*random.Float64(), 7e10 + 14e10*random.Float64(), 1e-5 + 8e-5*random.Float64(), 100 + 2e4*random.Float64()}
			for k, x := range row {
				block.Columns[k].Numbers[i] = x
			}
			fmt.Fprintf(files[".csv"], "%v,%v,%v,%v\n", row[0], row[1], row[2], row[3])
			fmt.Fprintf(files[".ndjson"], `{"id":%q,"inputs":{"L":%v,"E":%v,"I":%v,"w0":%v}}`+"\n", fleet.FlagshipTool, row[0], row[1], row[2], row[3])
		}
		for _, w := range typed {
			if err := w.Write(&block); err != nil {
				return err
			}
		}
	}
	for _, w := range typed {
		err = errors.Join(err, w.Close())
	}
	return err
}

// commandTime returns the CPU time of the command for a row of a file in the format, in microseconds.
func commandTime(form string) func(*results) (float64, bool) {
	return func(r *results) (float64, bool) {
		for _, f := range r.Files {
			if f.Contestant == slipstick && f.Form == form {
				return f.Own, true
			}
		}
		return 0, false
	}
}
