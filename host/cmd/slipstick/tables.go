package main

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
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/publish"
	"github.com/slipstick/slipstick/sdk/preset"
)

// existing returns an error for a path at which there is nothing to publish.
func existing(paths []string) error {
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return &failure{exitMisuse, err}
		}
	}
	return meaningful(paths)
}

// meaningful returns an error for a directory that is neither that of a program nor that of a table.
func meaningful(paths []string) error {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() && !publish.IsTable(path) && !build.IsProgram(path) {
			return &failure{exitMisuse, fmt.Errorf("%s is a directory without Go source and without the table.json of a table: name an engine's executable, or the directory of its program or of a table", path)}
		}
	}
	return nil
}

// separate splits paths into those of tables and those of engines.
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

// checkTables judges the tables in directories, and counts those that are not sound.
func (c *checkCmd) checkTables(s streams, directories []string) (failed int, err error) {
	form := c.Format
	if c.JSON {
		form = "json"
	}
	if form != "text" && form != "json" {
		return 0, &failure{exitMisuse, fmt.Errorf("a table is reported as text or json, not as %s", form)}
	}
	for _, dir := range directories {
		t, err := publish.ReadTable(dir)
		if err != nil {
			fmt.Fprintln(s.err, "slipstick:", err)
			failed++
			continue
		}
		r := tables.Judge(t)
		if !r.Passed() {
			failed++
		}
		if form == "text" {
			terminal.TableReport(s.out, t, r)
		} else if err := terminal.TableReportJSON(terminal.Plain(s.out), t, r); err != nil {
			return failed, err
		}
	}
	return failed, nil
}

// ofTables reports whether the command line names two versions of a table.
func (c *diffCmd) ofTables() bool {
	is := func(name string) bool { return publish.IsTable(name) || preset.IsTable(name) }
	return is(c.Old) && is(c.New)
}

func (c *diffCmd) runTables(ctx context.Context, s streams) error {
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
		terminal.TableDiff(s.out, changes)
	} else {
		encoder := json.NewEncoder(terminal.Plain(s.out))
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(changes); err != nil {
			return err
		}
	}
	if !changes.Legal {
		return &failure{exitFailed, fmt.Errorf("%s %s is not a legal version", changes.Table, changes.New)}
	}
	return nil
}

// findTable returns the table in a directory, or a published one.
func (c *diffCmd) findTable(ctx context.Context, name string) (*preset.Table, error) {
	if publish.IsTable(name) {
		return publish.ReadTable(name)
	}
	catalog, err := c.catalog(ctx, io.Discard, false)
	if err != nil {
		return nil, err
	}
	id, version, _ := strings.Cut(name, "@")
	release, err := catalog.TableRelease(id, pins(version))
	if err != nil {
		return nil, problem.Of(err)
	}
	return release.Table, nil
}

// errNoEngines is what check says without anything to check.
var errNoEngines = errors.New("name at least one engine or table to check")
