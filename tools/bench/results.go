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
	Machine     machine           `json:"machine"`
	Sections    []measuredSection `json:"sections"`
	AnswerBytes int               `json:"answer_bytes"`
	Loads       []*table          `json:"loads,omitempty"`
	Batch       *batches          `json:"batch,omitempty"`
	Files       []*fileBatch      `json:"files,omitempty"`
	Starts      []started         `json:"starts,omitempty"`
	Growth      []*grown          `json:"growth,omitempty"`
	Publish     []*published      `json:"publish,omitempty"`
	Packages    []*goBenchmark    `json:"packages,omitempty"`
	SetUps      []setUp           `json:"setups,omitempty"`
	Cold        []*coldStart      `json:"cold,omitempty"`
	Profile     []share           `json:"profile,omitempty"`
	Goals       []verdict         `json:"goals"`
	Notes       []string          `json:"notes"`
}

// measuredSection is the measurement of one section.
type measuredSection struct {
	Name     string    `json:"name"`
	Began    time.Time `json:"began"`
	Seconds  float64   `json:"seconds"`
	Rounds   int       `json:"rounds"`
	Turn     int       `json:"seconds_per_turn"`
	Revision string    `json:"revision"`
	Others   float64   `json:"used_by_others"` // share of the machine
}

func (r *results) describe() { *r = results{Machine: thisMachine(), Notes: []string{}} }

// section returns the measurement of the section, or nil.
func (r *results) section(name string) *measuredSection {
	for i := range r.Sections {
		if r.Sections[i].Name == name {
			return &r.Sections[i]
		}
	}
	return nil
}

// add adds sections of earlier results that r does not have.
func (r *results) add(old *results) {
	for _, s := range old.Sections {
		if r.section(s.Name) != nil {
			continue
		}
		r.Sections = append(r.Sections, s)
		switch s.Name {
		case "batch":
			r.Batch = old.Batch
		case "files":
			r.Files = old.Files
		case "start":
			r.Starts = old.Starts
		case "growth":
			r.Growth = old.Growth
		case "publish":
			r.Publish = old.Publish
		case "packages":
			r.Packages = old.Packages
		case "setup":
			r.SetUps = old.SetUps
		case "cold":
			r.Cold = old.Cold
		case "profile":
			r.Profile = old.Profile
		}
		for _, t := range old.Loads {
			if t.Section == s.Name {
				r.Loads = append(r.Loads, t)
			}
		}
	}
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

// resultsFile is the name of the file with the last measurement of each section.
const resultsFile = "results.json"

// keep writes the results to the file, with sections in it that were measured on the same machine earlier.
func (r *results) keep(file string) error {
	old, err := readResults(file)
	if err == nil && old.Machine == r.Machine {
		r.add(old)
		r.judge()
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}

func (r *results) printStart(w io.Writer) {
	fmt.Fprintf(w, "%s\na response has %d bytes\n", r.Machine, r.AnswerBytes)
}

// printEnd prints the verdicts of all goals or of the measured ones, and the notes.
func (r *results) printEnd(w io.Writer, all bool, took time.Duration) {
	var lines []string
	for _, v := range r.Goals {
		if all || v.Outcome != notMeasured {
			lines = append(lines, v.String())
		}
	}
	list(w, fmt.Sprintf("%-58s%8s%12s", "goals", "measured", "wanted"), lines)
	list(w, "notes", r.Notes)
	fmt.Fprintf(w, "\nmeasured in %.0f s\n", took.Seconds())
}

// readResults reads a file that keep has written.
func readResults(file string) (*results, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := new(results)
	return r, json.Unmarshal(data, r)
}

// list prints lines below a heading. It prints nothing if there are no lines.
func list(w io.Writer, heading string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(w, "\n%s\n  %s\n", heading, strings.Join(lines, "\n  "))
	}
}
