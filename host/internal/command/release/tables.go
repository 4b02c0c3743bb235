package release

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/slipstick/slipstick/conformance/tables"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/document"
	"github.com/slipstick/slipstick/host/internal/release/publish"
	"github.com/slipstick/slipstick/sdk/preset"
)

// existing returns an error for a path at which there is nothing to publish.
func existing(paths []string) error {
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return command.Misuse(err)
		}
	}
	return meaningful(paths)
}

// meaningful returns an error for a directory that has neither a program nor a table.
func meaningful(paths []string) error {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && info.IsDir() && !publish.IsTable(path) && !build.IsProgram(path) {
			return command.Misuse(fmt.Errorf("%s is a directory without documents (NAME.calc.md), Go source and table.json: name a document, an executable, or the directory of an engine or a table", path))
		}
	}
	return nil
}

// withDocuments replaces directories of documents by the documents in them.
func withDocuments(paths []string) (all []string, err error) {
	for _, path := range paths {
		info, statErr := os.Stat(path)
		if statErr != nil || !info.IsDir() || publish.IsTable(path) || build.IsProgram(path) {
			all = append(all, path)
			continue
		}
		found, err := document.In(path)
		if err != nil {
			return nil, command.Misuse(err)
		}
		if len(found) == 0 {
			found = []string{path}
		}
		all = append(all, found...)
	}
	return all, nil
}

// separate splits paths into directories of tables and paths of engines.
func separate(paths []string) (directories, engines []string) {
	for _, path := range paths {
		if publish.IsTable(path) {
			directories = append(directories, path)
		} else {
			engines = append(engines, path)
		}
	}
	return directories, engines
}

// checkTables judges the tables in directories, and counts the unsound ones.
func (c *Check) checkTables(s command.Streams, directories []string) (failed int, err error) {
	form := c.Format
	if c.JSON {
		form = "json"
	}
	if form != "text" && form != "json" {
		return 0, command.Misuse(fmt.Errorf("a table is reported as text or json, not as %s", form))
	}
	for _, dir := range directories {
		t, err := publish.ReadTable(dir)
		if err != nil {
			fmt.Fprintln(s.Err, "slipstick:", err)
			failed++
			continue
		}
		r := tables.Judge(t)
		if !r.Passed() {
			failed++
		}
		if form == "text" {
			terminal.TableReport(s.Out, t, r)
		} else if err := terminal.TableReportJSON(terminal.Plain(s.Out), t, r); err != nil {
			return failed, err
		}
	}
	return failed, nil
}

// ofTables reports whether the command line names two versions of a table.
func (c *Diff) ofTables() bool {
	is := func(name string) bool { return publish.IsTable(name) || preset.IsTable(name) }
	return is(c.Old) && is(c.New)
}

func (c *Diff) runTables(ctx context.Context, s command.Streams) error {
	older, err := c.findTable(ctx, c.Old)
	if err != nil {
		return err
	}
	newer, err := c.findTable(ctx, c.New)
	if err != nil {
		return err
	}
	changes, err := tables.Diff(older, newer)
	if err != nil {
		return err
	}
	if c.Format == "text" {
		terminal.TableDiff(s.Out, changes)
	} else {
		encoder := json.NewEncoder(terminal.Plain(s.Out))
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(changes); err != nil {
			return err
		}
	}
	if !changes.Legal {
		return command.Refused(fmt.Errorf("%s %s is not a legal version", changes.Table, changes.New))
	}
	return nil
}

// findTable returns the table in a directory, or a published one.
func (c *Diff) findTable(ctx context.Context, name string) (*preset.Table, error) {
	if publish.IsTable(name) {
		return publish.ReadTable(name)
	}
	catalog, err := c.Catalog(ctx, io.Discard, false)
	if err != nil {
		return nil, err
	}
	id, version, _ := strings.Cut(name, "@")
	release, err := catalog.TableRelease(id, command.Pins(version))
	if err != nil {
		return nil, problem.Of(err)
	}
	return release.Table, nil
}

// errNoEngines is the error of slipstick check without arguments.
var errNoEngines = errors.New("name at least one engine or table to check")
