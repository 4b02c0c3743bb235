package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
)

// snapshotsCmd is about the file in which a host keeps frozen calculations.
type snapshotsCmd struct {
	Backup snapshotsBackupCmd `cmd:"" help:"Copy all snapshots of a data directory to a new file, also while a host runs."`
}

type snapshotsBackupCmd struct {
	File string `arg:"" help:"File to make. To restore, put it in the place of snapshots.db in the data directory." type:"path"`
	Data string `default:"${data}" env:"SLIPSTICK_DATA" help:"Data directory of the host." placeholder:"DIR"`
}

func (c *snapshotsBackupCmd) Run(s streams) error {
	copied, err := snapshot.NewFile(c.Data, nil).Copy(c.File)
	switch {
	case errors.Is(err, fs.ErrExist):
		return &failure{exitMisuse, fmt.Errorf("%s is there already: name another file, so that no backup is lost", c.File)}
	case errors.Is(err, fs.ErrNotExist):
		return &failure{exitMisuse, fmt.Errorf("%s, or the directory of the new file, does not exist: %w", filepath.Join(c.Data, snapshot.FileName), err)}
	case err != nil:
		return &failure{exitFailed, err}
	}
	terminal.Printf(s.out, "%s in %s\n", terminal.Count(copied.Records, "snapshot"), c.File)
	if len(copied.Damaged) > 0 {
		return &failure{exitFailed, fmt.Errorf("%s damaged and not in the copy: %s", terminal.Count(len(copied.Damaged), "record"), strings.Join(copied.Damaged, " "))}
	}
	return nil
}
