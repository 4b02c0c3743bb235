package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
)

// BackupSnapshots has the options of slipstick snapshots backup.
type BackupSnapshots struct {
	File string
	Data string
}

func absent(name string) bool {
	_, err := os.Stat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// Run copies the snapshots of a data directory to a new file.
func (c *BackupSnapshots) Run(s command.Streams) error {
	copied, err := snapshot.NewFile(c.Data, nil).Copy(c.File)
	switch {
	case errors.Is(err, fs.ErrExist):
		return command.Misuse(fmt.Errorf("%s is there already: name another file, so that no backup is lost", c.File))
	case errors.Is(err, fs.ErrNotExist):
		if dir := filepath.Dir(c.File); absent(dir) {
			return command.Misuse(fmt.Errorf("the directory %s does not exist: make it first", dir))
		}
		return command.Misuse(fmt.Errorf("%s does not exist: name the data directory of the server with --data", filepath.Join(c.Data, snapshot.FileName)))
	case err != nil:
		return command.Refused(err)
	}
	terminal.Printf(s.Out, "%s in %s\n", terminal.Count(copied.Records, "snapshot"), c.File)
	if len(copied.Damaged) > 0 {
		return command.Refused(fmt.Errorf("%s damaged and not in the copy: %s", terminal.Count(len(copied.Damaged), "record"), strings.Join(copied.Damaged, " ")))
	}
	return nil
}
