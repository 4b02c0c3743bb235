package main

import (
	"context"
	"time"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/keys"
)

type keysCmd struct {
	New    keysNewCmd    `cmd:"" help:"Make a key for a publisher or a reviewer."`
	Rotate keysRotateCmd `cmd:"" help:"Make a key that replaces another."`

	Export keysExportCmd `cmd:"" help:"Write the public keys of a server, which verify its snapshots."`

	Snapshots keysSnapshotsCmd `cmd:"" help:"List and create the keys that sign snapshots."`
}

type keysNewCmd struct {
	Name         string   `arg:"" help:"Name of the key. The command writes NAME.key and NAME.pub."`
	Role         []string `help:"Roles of the key in the printed entry for a trust file: publish, report, review, expert, rebuild, log or witness. Default: ${default}." default:"publish,report" enum:"publish,report,review,expert,rebuild,log,witness" placeholder:"ROLE"`
	Capabilities []string `help:"Capabilities that the key can sign: ids, prefixes such as electrical.*, or * for all. Default: ${default}." default:"*" placeholder:"ID"`

	NoPassword bool `help:"Write the secret key without a password. Use it only where the file is protected otherwise."`
}

func (c *keysNewCmd) Run(s command.Streams) error {
	return (*keys.New)(c).Run(s)
}

type keysRotateCmd struct {
	Old      string     `arg:"" help:"Secret key to replace (OLD.key)."`
	Name     string     `arg:"" help:"Name of the new key. The command writes NAME.key, NAME.pub and NAME.rotation."`
	NotAfter *time.Time `name:"not-after" format:"2006-01-02" help:"Day on which the new key expires." placeholder:"YYYY-MM-DD"`

	NoPassword bool `help:"Write the secret key without a password. Use it only where the file is protected otherwise."`
}

func (c *keysRotateCmd) Run(s command.Streams) error {
	return (*keys.Rotate)(c).Run(s)
}

type keysExportCmd struct {
	To      string `help:"Registry to write the keys to: a directory, or oci://HOST/PREFIX." placeholder:"DIR|oci://..."`
	Name    string `default:"host" help:"Name of the keys in the registry. A registry can have keys of several servers."`
	Replace bool   `help:"Replace the keys with this name in the registry, even if it loses keys."`

	keys.SnapshotKeyFlags
	command.RemoteFlags
}

func (c *keysExportCmd) Run(ctx context.Context, s command.Streams) error {
	return (*keys.Export)(c).Run(ctx, s)
}

// keysSnapshotsCmd has the commands for the keys that sign snapshots.
type keysSnapshotsCmd struct {
	List   keysSnapshotsListCmd   `cmd:"" help:"List the keys of a server, with their ids and uses."`
	Rotate keysSnapshotsRotateCmd `cmd:"" help:"Make the next key that signs snapshots."`
}

type keysSnapshotsListCmd struct {
	keys.SnapshotKeyFlags
	JSON bool `help:"Print one JSON array."`
}

func (c *keysSnapshotsListCmd) Run(s command.Streams) error {
	return (*keys.ListSnapshotKeys)(c).Run(s)
}

type keysSnapshotsRotateCmd struct {
	keys.SnapshotKeyFlags
	After time.Duration `default:"24h" help:"Time until the key starts to sign. Give it to all servers within this time." placeholder:"TIME"`
}

func (c *keysSnapshotsRotateCmd) Run(s command.Streams) error {
	return (*keys.RotateSnapshotKey)(c).Run(s)
}
