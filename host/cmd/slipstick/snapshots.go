package main

import (
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/archive"
)

// snapshotsCmd has the commands for the snapshots of a server.
type snapshotsCmd struct {
	Backup snapshotsBackupCmd `cmd:"" help:"Copy all snapshots of a data directory to a new file, also while a server runs."`
}

type snapshotsBackupCmd struct {
	File string `arg:"" help:"File to write. To restore, replace snapshots.db in the data directory with it." type:"path"`
	Data string `default:"${data}" env:"SLIPSTICK_DATA" help:"Data directory of the server." placeholder:"DIR"`
}

func (c *snapshotsBackupCmd) Run(s command.Streams) error {
	return (*archive.BackupSnapshots)(c).Run(s)
}
