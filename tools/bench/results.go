package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// results is the content of results.json.
type results struct {
	Began       time.Time    `json:"began"`
	Seconds     float64      `json:"seconds"`
	Machine     machine      `json:"machine"`
	Rounds      int          `json:"rounds"`
	Turn        int          `json:"seconds_per_turn"`
	AnswerBytes int          `json:"answer_bytes"`
	Others      float64      `json:"used_by_others"` // share of the machine
	Loads       []*table     `json:"loads,omitempty"`
	Batch       *batches     `json:"batch,omitempty"`
	Files       []*fileBatch `json:"files,omitempty"`
	Starts      []started    `json:"starts,omitempty"`
	Growth      []*grown     `json:"growth,omitempty"`
	SetUps      []setUp      `json:"setups,omitempty"`
	Cold        []*coldStart `json:"cold,omitempty"`
	Profile     []share      `json:"profile,omitempty"`
	Goals       []verdict    `json:"goals"`
	Notes       []string     `json:"notes"`
}

func (r *results) describe(c *cli, began time.Time) {
	*r = results{Began: began.UTC(), Machine: thisMachine(), Rounds: c.Rounds, Turn: c.Seconds, Notes: []string{}}
}

// load returns the measurement of the section for the contestant, or nil.
func (r *results) load(section, contestant string) *entry {
	for _, t := range r.Loads {
		if t.Section == section {
			return t.entry(contestant)
		}
	}
	return nil
}

func (r *results) write(file string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}

func (r *results) printStart(w io.Writer) {
	fmt.Fprintf(w, "%s\n%d rounds, %d s a turn; an answer has %d bytes\n", r.Machine, r.Rounds, r.Turn, r.AnswerBytes)
}

// printEnd prints the verdicts of all goals or of the measured ones, and the notes.
func (r *results) printEnd(w io.Writer, all bool) {
	var lines []string
	for _, v := range r.Goals {
		if all || v.Outcome != notMeasured {
			lines = append(lines, v.String())
		}
	}
	list(w, fmt.Sprintf("%-58s%8s%12s", "goals", "measured", "wanted"), lines)
	list(w, "notes", r.Notes)
	fmt.Fprintf(w, "\nmeasured in %.0f s\n", r.Seconds)
}

// printMarkdown prints the goals that were measured as a Markdown table.
func (r *results) printMarkdown(w io.Writer) {
	fmt.Fprintf(w, "\n| what | goal | measured |\n|---|---|---|\n")
	for _, v := range r.Goals {
		if v.Outcome != notMeasured {
			fmt.Fprintf(w, "| %s | %s | %s |\n", v.Goal, v.wanted(), v.measured())
		}
	}
}

// list prints lines below a heading. It prints nothing if there are no lines.
func list(w io.Writer, heading string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(w, "\n%s\n  %s\n", heading, strings.Join(lines, "\n  "))
	}
}
