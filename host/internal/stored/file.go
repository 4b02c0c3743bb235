package stored

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/slipstick/slipstick/host/internal/snapshot"
)

// answer is what is read of a whole answer.
type answer struct {
	Status     string          `json:"status"`
	Capability string          `json:"capability_id"`
	Version    string          `json:"calculation_version"`
	Inputs     json.RawMessage `json:"inputs"`
	Result     json.RawMessage `json:"result"`
}

func readAnswer(text []byte) (a answer, err error) {
	if err := json.Unmarshal(text, &a); err != nil {
		return a, err
	}
	if len(a.Result) == 0 {
		return a, ErrNoAnswer
	}
	return a, nil
}

// MaxLine bounds a line of a file: the record of a snapshot, or an answer.
const MaxLine = snapshot.MaxRecord

// file reads records of snapshots and answers of batches, one on each line.
func (r *reading) file(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return &InputError{path, err}
	}
	defer f.Close()
	const every = 1 << 10 // lines
	lines := bufio.NewReaderSize(f, 1<<16)
	done := r.done
	for n := 1; ; n++ {
		line, err := readLine(lines)
		if err != nil && err != io.EOF {
			return &InputError{fmt.Sprintf("%s:%d", path, n), err}
		}
		if done += int64(len(line)); n%every == 0 {
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

// readLine returns the next line in memory of its own.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); len(line) > MaxLine {
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
		Tool    string `json:"tool_id"` // of a snapshot, like the next
		Created string `json:"created_at"`

		Engine string          `json:"engine_digest"` // of an answer with its engine, likewise
		Answer json.RawMessage `json:"answer"`
	}
	if err := json.Unmarshal(text, &is); err != nil {
		return r.to.Gap(Gap{Name: name, Count: 1, Err: err})
	}
	if is.Tool != "" && is.Created != "" {
		record, err := snapshot.ReadRecord(text)
		return r.snapshot(name, record, err)
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
