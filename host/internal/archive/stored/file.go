package stored

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/slipstick/slipstick/host/internal/archive/export"
	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/host/internal/tables/table"
)

// answer has the members of a response that are needed here.
type answer struct {
	Status     string          `json:"status"`
	Capability string          `json:"capability_id"`
	Version    string          `json:"calculation_version"`
	Inputs     json.RawMessage `json:"inputs"`
	Result     json.RawMessage `json:"result"`
}

func readAnswer(text []byte) (a answer, err error) {
	if err := json.Unmarshal(text, &a); err != nil {
		return a, notAnswer(err)
	}
	if len(a.Result) == 0 {
		return a, ErrNoAnswer
	}
	return a, nil
}

// notAnswer returns the error of a line that is not JSON.
func notAnswer(err error) error {
	return fmt.Errorf("this is not a stored answer, which is a JSON object: %w", err)
}

// every is the number of lines or rows between two progress reports.
const every = 1 << 10

// MaxLine is the maximum length of a line in bytes. A line is the record of a snapshot, or a
// response.
const MaxLine = snapshot.MaxRecord

// file reads a file. Its name extension determines whether it is a table or lines. The origin
// applies to tables that do not name their release.
func (r *reading) file(path string, of *table.Origin) error {
	if f := table.FormatOf(path); f == table.CSV || f.IsColumns() {
		return r.table(path, of)
	}
	return r.lines(path)
}

// table reads a table of results or of exported records.
func (r *reading) table(path string, of *table.Origin) error {
	if table.FormatOf(path).IsColumns() {
		switch records, err := export.Open(path); {
		case err != nil:
			r.read(path)
			return r.to.Gap(Gap{Name: path, Err: err})
		case records != nil:
			return r.records(path, records)
		}
	}
	answers, err := table.OpenAnswers(r.options.Catalog, path, of)
	if err != nil {
		r.read(path)
		return r.to.Gap(Gap{Name: path, Err: err})
	}
	defer answers.Close()
	origin := answers.Origin
	release := Release{Capability: origin.Capability, Version: origin.Version, Digest: origin.Release, Form: answers.Form()}
	n := 0
	var stop error // the error of the Reader
	err = answers.Each(func(row []byte) error {
		n++
		if n%every == 0 {
			r.to.Progress(r.done, r.all)
		}
		stop = r.ctx.Err()
		if stop != nil {
			return stop
		}
		name := fmt.Sprintf("%s:%d", path, n)
		if row == nil {
			stop = r.to.Gap(Gap{Name: name, Count: 1, Err: ErrRow})
			return stop
		}
		stop = r.to.Calculation(&Calculation{Name: name, Release: release, Bytes: len(row), table: answers, row: string(row)})
		return stop
	})
	if err != nil && stop == nil { // the file is truncated
		stop = r.to.Gap(Gap{Name: path, Err: err})
	}
	r.read(path)
	return stop
}

// records reads exported records from a columnar file.
func (r *reading) records(path string, records *export.Reader) error {
	defer records.Close()
	if of := r.options.Catalog.Known(records.About.Capability, records.About.Version); of != nil {
		records.Spec = &of.Spec
	}
	n := 0
	var stop error // the error of the Reader
	err := records.Each(func(row *export.Row) error {
		n++
		if n%every == 0 {
			r.to.Progress(r.done, r.all)
		}
		stop = r.ctx.Err()
		if stop == nil {
			stop = r.exported(fmt.Sprintf("%s:%d", path, n), row)
		}
		return stop
	})
	if err != nil && stop == nil {
		stop = r.to.Gap(Gap{Name: path, Err: err})
	}
	r.read(path)
	return stop
}

// exported reads one exported record.
func (r *reading) exported(name string, row *export.Row) error {
	v := &row.View
	kind := record.KindOf(v.Kind)
	switch kind {
	case record.Answer:
	case record.Batch, record.Lost:
		return r.without(name, kind, v.Count, v.Rows)
	default:
		return r.to.Gap(Gap{Name: name, Count: 1, Err: fmt.Errorf("%q is not a kind of record", v.Kind)})
	}
	c := &Calculation{
		Name: name, Hashed: v.InputsHash != "", Bytes: 64 * (len(v.Inputs) + len(v.Result) + len(row.Inputs) + len(row.Outcome.Result)),
		Release: Release{Capability: v.Capability, Version: v.Version, Digest: v.Release, Engine: v.Engine, Platform: v.Platform},
	}
	if row.Typed {
		c.inputs, c.outcome = row.Inputs, row.Outcome
	} else {
		c.exported = v
	}
	return r.to.Calculation(c)
}

// lines reads a file that has the record of a snapshot or a batch result on each line.
func (r *reading) lines(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return &InputError{path, err}
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 1<<16)
	done := r.done
	for n := 1; ; n++ {
		line, err := readLine(lines)
		if err != nil && err != io.EOF {
			return &InputError{fmt.Sprintf("%s:%d", path, n), err}
		}
		done += int64(len(line))
		if n%every == 0 {
			r.to.Progress(done, r.all)
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if err := r.line(fmt.Sprintf("%s:%d", path, n), text); err != nil {
				return err
			}
		}
		if err == io.EOF {
			r.done = done
			r.to.Progress(r.done, r.all)
			return nil
		}
	}
}

// readLine returns the next line as a new slice.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > MaxLine {
			return nil, fmt.Errorf("a line of more than %d bytes", MaxLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// line reads one line.
func (r *reading) line(name string, text []byte) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	var is struct {
		Tool    string `json:"tool_id"` // in the record of a snapshot, as is the next
		Created string `json:"created_at"`

		Engine string          `json:"engine_digest"` // in a result with its engine, as is the next
		Answer json.RawMessage `json:"answer"`

		Place string `json:"place"` // in an exported record, as is the next
		Kind  string `json:"kind"`
	}
	if err := json.Unmarshal(text, &is); err != nil {
		return r.to.Gap(Gap{Name: name, Count: 1, Err: notAnswer(err)})
	}
	if is.Tool != "" && is.Created != "" {
		record, err := snapshot.ReadRecord(text)
		return r.snapshot(name, record, err)
	}
	if is.Place != "" && is.Kind != "" {
		var row export.Row
		if err := json.Unmarshal(text, &row.View); err != nil {
			return r.to.Gap(Gap{Name: name, Count: 1, Err: err})
		}
		return r.exported(name, &row)
	}
	if is.Answer != nil {
		text = is.Answer
	}
	a, err := readAnswer(text)
	switch {
	case a.Status == "error":
		err = ErrRefusal
	case err == nil && (a.Capability == "" || a.Version == "" || len(a.Inputs) == 0):
		err = ErrNoAnswer
	}
	if err != nil {
		return r.to.Gap(Gap{Name: name, Count: 1, Err: err})
	}
	return r.to.Calculation(&Calculation{
		Name: name, Release: Release{Capability: a.Capability, Version: a.Version, Engine: is.Engine},
		Bytes: len(a.Inputs) + len(a.Result), sent: a.Inputs, answered: a.Result,
	})
}
