package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// readmeFigures are the measurements in README. Their sections have more rounds than others, see [cli.roundsOf].
var readmeFigures = []struct {
	section, what string
	figure        func(*results) (string, bool)
}{
	{
		"flagship64", "requests per second for a correctly rounded calculation, relative to `encoding/json` in one process",
		ratios(rate("flagship64", slipstick, standard)),
	},
	{
		"flagship1", "p99 of its response times for a single caller, relative to `encoding/json`",
		ratios(tail("flagship1", standard)),
	},
	{
		"peers64", "requests per second for a small calculation, relative to GoRules with Fastify; to the OPA server",
		ratios(rate("peers64", slipstick, goRules), rate("peers64", slipstick, opa)),
	},
	{
		"cold", "first response of a document that never ran", func(r *results) (string, bool) {
			value, ok := firstAnswer(func(c *coldStart) float64 { return c.Unseen })(r)
			return fmt.Sprintf("%.0f ms", value), ok
		},
	},
}

// inReadme reports whether README has a measurement of the section.
func inReadme(section string) bool {
	for _, f := range readmeFigures {
		if f.section == section {
			return true
		}
	}
	return false
}

// ratios returns a text with several ratios.
func ratios(figures ...func(*results) (float64, bool)) func(*results) (string, bool) {
	return func(r *results) (string, bool) {
		var texts []string
		for _, f := range figures {
			value, ok := f(r)
			if !ok {
				return "", false
			}
			texts = append(texts, fmt.Sprintf("%.2f", value))
		}
		return strings.Join(texts, "; "), true
	}
}

// Files with measurements in the repository.
var (
	pageFile   = filepath.Join("docs", "reference", "benchmarks.md")
	readmeFile = "README.md"
)

// writePage writes the page and the measurements in README from the results in dir.
func writePage(dir, root string) error {
	r, err := readResults(filepath.Join(dir, resultsFile))
	if err != nil {
		return fmt.Errorf("%w; run scripts/bench first", err)
	}
	readme, err := os.ReadFile(filepath.Join(root, readmeFile))
	if err != nil {
		return err
	}
	text, err := r.intoReadme(string(readme))
	if err != nil {
		return err
	}
	page := filepath.Join(root, pageFile)
	return errors.Join(os.MkdirAll(filepath.Dir(page), 0o755),
		os.WriteFile(page, []byte(r.page()), 0o644),
		os.WriteFile(filepath.Join(root, readmeFile), []byte(text), 0o644))
}

// Lines around the measurements in README.
const (
	figuresBegin = "<!-- scripts/bench --page writes these measurements. -->\n"
	figuresEnd   = "<!-- end of measurements -->\n"
)

// intoReadme replaces the measurements in README. It returns an error if one was not measured.
func (r *results) intoReadme(readme string) (string, error) {
	before, rest, found := strings.Cut(readme, figuresBegin)
	_, after, ended := strings.Cut(rest, figuresEnd)
	if !found || !ended {
		return "", fmt.Errorf("README has no lines %q and %q", figuresBegin, figuresEnd)
	}
	t, warning := markdownTable{head: []string{"what", "measured"}}, ""
	for _, f := range readmeFigures {
		text, ok := f.figure(r)
		if !ok {
			return "", fmt.Errorf("README needs a measurement of the section %s; run scripts/bench --only=%s", f.section, f.section)
		}
		t.add(f.what, text)
		if s := r.section(f.section); s != nil && s.Others > fewOthers {
			warning = "Other processes used the machine at the same time, so these results are not reliable.\n\n"
		}
	}
	return before + figuresBegin + "\n" + t.String() + "\n" + warning + figuresEnd + after, nil
}

const pageIntroduction = `# Benchmarks

` + "`scripts/bench --page`" + ` writes this page and the measurements in README from ` + "`var/bench/results.json`" + `. To repeat all
measurements, run:

` + "```" + `
scripts/bench --peers && scripts/bench --page
scripts/bench --only=setup && scripts/bench --page
` + "```" + `

` + "`scripts/bench --help`" + ` describes the contestants and the columns. The load generator uses the same machine:

`

// page returns the page of all measurements.
func (r *results) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s.\n\n", pageIntroduction, r.Machine)
	goals := markdownTable{head: []string{"goal", "wanted", "measured", "outcome"}}
	for _, v := range r.Goals {
		if v.Outcome != notMeasured {
			goals.add(v.Goal, v.wanted(), v.measured(), v.Outcome)
		}
	}
	fmt.Fprintf(&b, "## Goals\n\n%s", &goals)
	for _, s := range sections() {
		measured := r.section(s.name)
		if measured == nil {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\nMeasured on %s at revision %s", s.name, sentence(aboutKind(s.kind())), measured.Began.Format(time.DateOnly), measured.Revision)
		tables := r.tablesOf(s.name)
		if inRounds(s.name) {
			fmt.Fprintf(&b, " in %d rounds", measured.Rounds)
		}
		if slices.ContainsFunc(r.Loads, func(t *table) bool { return t.Section == s.name }) {
			fmt.Fprintf(&b, " of %d s for each contestant", measured.Turn)
		}
		fmt.Fprintf(&b, ": `scripts/bench --only=%s`.\n", s.name)
		if measured.Others > fewOthers {
			fmt.Fprintf(&b, "Other processes used %.0f %% of the machine during this run, so its results are not reliable.\n", 100*measured.Others)
		}
		for _, t := range tables {
			fmt.Fprintf(&b, "\n%s", t)
		}
	}
	others := markdownTable{head: []string{"what", "command"}}
	for _, o := range otherMeasurements {
		others.add(o[0], "`"+o[1]+"`")
	}
	fmt.Fprintf(&b, "\n## Other measurements\n\nThese commands print measurements that are not on this page:\n\n%s", &others)
	return b.String()
}

// inRounds reports whether the number of rounds applies to the section.
func inRounds(section string) bool {
	return !slices.Contains([]string{"start", "cold", "growth", "profile", "setup"}, section)
}

// otherMeasurements are commands that print further measurements.
var otherMeasurements = [][2]string{
	{"100,000,000 rows of Parquet and Arrow", "scripts/soak columns"},
	{"rows through a queue of three brokers", "scripts/soak nats"},
	{"recorded responses computed again", "scripts/soak replay"},
	{"releases rebuilt with the same bytes", "scripts/soak reproducible; scripts/soak rebuild"},
	{"the library on old and new processors", "scripts/soak instructions"},
	{"reference cases of the library over REST", "cd tools && go test -run Library -v ./system"},
	{"size of tools/list of MCP", "cd host && go test -run ToolList -v ./internal/http/mcp"},
	{"questions to the search", "cd host && go test -v -run Questions ./internal/http/search"},
	{"memory for 1,000,000 rate limits", "cd host && go test -v -run Memory ./internal/http/limit"},
	{"tasks of an engineer on the pages", "scripts/node/pages/judge tasks URL"},
	{"Lighthouse", "scripts/node/pages/judge lighthouse URL timed"},
}

// sentence returns the text with a capital letter.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// markdownTable is a table of a page. Columns after the first have values.
type markdownTable struct {
	head []string
	rows [][]string
}

func (t *markdownTable) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *markdownTable) String() string {
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(t.head)
	b.WriteString("|---" + strings.Repeat("|---", len(t.head)-1) + "|\n")
	for _, row := range t.rows {
		line(row)
	}
	return b.String()
}

// tablesOf returns the tables of a section.
func (r *results) tablesOf(section string) []*markdownTable {
	t := new(markdownTable)
	switch section {
	case "batch":
		t.head = []string{"contestant", "rows/s", "to tuned"}
		for _, e := range r.Batch.Entries {
			t.add(e.Contestant, grouped(e.PerSecond), decimals(e.ToTuned, 2))
		}
	case "files":
		t.head = []string{"contestant", "format", "rows/s", "CPU µs of the command per row"}
		for _, f := range r.Files {
			t.add(f.Contestant, f.Form, grouped(f.PerSecond), decimals(f.Own, 2))
		}
	case "start":
		t.head = []string{"contestant", "releases", "serving ms", "server RSS MB", "server PSS MB", "engines running", "MB per engine", "heap of an engine", "program of an engine"}
		for _, s := range r.Starts {
			t.add(s.Subject, strconv.Itoa(s.Releases), decimals(s.Serving, 0), decimals(s.RSS, 1), decimals(s.PSS, 1),
				decimals(s.Running, 0), decimals(s.PerEngine, 1), decimals(s.Anonymous, 1), decimals(s.Executable, 1))
		}
	case "cold":
		t.head = []string{"contestant", "engines", "never ran ms", "ended ms", "slowest ms", "running ms"}
		for _, c := range r.Cold {
			t.add(c.Subject, c.Library, decimals(c.Unseen, 1), decimals(c.Kept, 1), decimals(c.Slowest, 1), decimals(c.Second, 2))
		}
	case "growth":
		t.head = []string{"contestant", "releases", "serving ms", "server MB", "check of the registry, CPU ms", "after a change", "pin µs", "409 µs"}
		for _, g := range r.Growth {
			t.add(g.Subject, grouped(float64(g.Releases)), decimals(g.Serving, 0), decimals(g.PSS, 1), decimals(g.Look, 1), decimals(g.Changed, 1), decimals(g.Pin, 0), decimals(g.Mismatch, 0))
		}
	case "publish":
		t.head = []string{"contestant", "releases in the registry", "ms per publication", "CPU ms"}
		for _, p := range r.Publish {
			t.add(p.Subject, grouped(float64(p.Releases)), decimals(p.Time, 0), decimals(p.CPU, 0))
		}
	case "packages":
		t.head = []string{"benchmark", "ns", "objects", "command"}
		for _, g := range r.Packages {
			t.add(g.Name, decimals(g.Time, 0), decimals(g.Objects, 0), "`"+g.command()+"`")
		}
	case "profile":
		t.head = []string{"part", "caused %", "itself %"}
		for _, s := range r.Profile {
			t.add(s.Group, decimals(s.Caused, 1), decimals(s.Itself, 1))
		}
	case "setup":
		t.head = []string{"contestant", "serving s", "complete s", "CPU s", "bin and var MB", "Go cache MB"}
		for _, s := range r.SetUps {
			t.add(s.Subject, decimals(s.Serving, 0), decimals(s.Complete, 0), decimals(s.Processor, 0), decimals(s.Disk, 0), decimals(s.Cache, 0))
		}
	default:
		return r.loadTables(section)
	}
	return []*markdownTable{t}
}

// loadTables returns the tables of a section with loads.
func (r *results) loadTables(section string) (all []*markdownTable) {
	for _, l := range r.Loads {
		if l.Section != section {
			continue
		}
		t := &markdownTable{head: []string{"contestant", "requests/s", "to json", "p50 µs", "p99 µs", "server CPU µs", "engine CPU µs", "waits", "faults", "objects", "kB"}}
		for _, e := range l.Entries {
			c := e.Cost
			t.add(e.Contestant, grouped(e.PerSecond), decimals(e.ToJSON, 2), decimals(e.P50, 0), decimals(e.P99, 0),
				decimals(c.Own, 1), decimals(c.Engines, 1), decimals(c.Waits+c.Engine, 1), decimals(c.Faults, 2), decimals(c.Objects, 1), decimals(c.Bytes/1000, 1))
		}
		all = append(all, t)
	}
	return all
}

func decimals(value float64, digits int) string { return strconv.FormatFloat(value, 'f', digits, 64) }

// grouped returns the value without decimals, with commas between thousands.
func grouped(value float64) string {
	digits := decimals(value, 0)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
