package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
)

// keysSnapshotsCmd is about the keys of a host, which sign frozen calculations.
type keysSnapshotsCmd struct {
	List   keysSnapshotsListCmd   `cmd:"" help:"List the keys of a host by their ids, and say what each does."`
	Rotate keysSnapshotsRotateCmd `cmd:"" help:"Make the key that takes over."`
}

// snapshotKeys is where a host has its keys.
type snapshotKeys struct {
	Data        string   `default:"${data}" env:"SLIPSTICK_DATA" help:"Data directory of the host." placeholder:"DIR"`
	SnapshotKey []string `env:"SLIPSTICK_SNAPSHOT_KEY" help:"Keys that are configured, as for serve." placeholder:"SEED"`
}

func (k *snapshotKeys) dir() string { return filepath.Join(k.Data, "keys") }

type keysSnapshotsListCmd struct {
	snapshotKeys
	JSON bool `help:"Print one JSON array."`
}

func (c *keysSnapshotsListCmd) Run(s streams) error {
	keys, err := snapshot.FindKeys(c.dir(), c.SnapshotKey...)
	if err != nil {
		return &failure{exitMisuse, err}
	}
	list, now := []snapshot.KeyState{}, time.Now()
	if keys != nil {
		list = keys.States(now)
	}
	if c.JSON {
		return json.NewEncoder(s.out).Encode(list)
	}
	if keys == nil {
		fmt.Fprintf(s.err, "slipstick: there is no key in %s yet; a host makes one when it starts\n", c.dir())
	}
	for _, k := range list {
		from := "configured"
		if k.File != "" {
			from = k.File
		}
		terminal.Printf(s.out, "%s  %s: %s\n", k.ID, from, duties(k, now))
	}
	return nil
}

// duties says what a key does now, in words.
func duties(k snapshot.KeyState, now time.Time) string {
	does := []string{"verifies"}
	switch {
	case k.Signs:
		does = append(does, "signs")
	case k.From.After(now):
		does = append(does, "signs from "+k.From.UTC().Format(time.RFC3339))
	}
	if k.Derives {
		does = append(does, "derives short ids")
	}
	return strings.Join(does, ", ")
}

type keysSnapshotsRotateCmd struct {
	snapshotKeys
	After time.Duration `default:"24h" help:"How long after now the key begins to sign: time to give it to all hosts." placeholder:"TIME"`
}

func (c *keysSnapshotsRotateCmd) Run(s streams) error {
	if c.After < 0 {
		return &failure{exitMisuse, errors.New("--after must not be negative")}
	}
	// The former key still signs in the second that has begun.
	from := time.Now().Add(c.After).UTC().Truncate(time.Second).Add(time.Second)
	if len(c.SnapshotKey) > 0 {
		return c.configured(s, from)
	}
	file, err := snapshot.Rotate(c.dir(), from)
	if err != nil {
		return &failure{exitFailed, err}
	}
	fmt.Fprintln(s.out, file)
	fmt.Fprintf(s.err, "A key that follows another signs from %s on: a host that runs must have read it before, by SIGHUP (kill -HUP, systemctl reload). What the former key signs later does not count for others. Keep the older files: what they signed is read with them.\n", from.Format(time.RFC3339))
	return nil
}

// configured prints the setting with a further key.
func (c *keysSnapshotsRotateCmd) configured(s streams, from time.Time) error {
	next := append(c.SnapshotKey, snapshot.TimedSeed(snapshot.NewSeed(), from))
	if _, err := snapshot.LoadKeys("", next...); err != nil {
		return &failure{exitMisuse, err}
	}
	fmt.Fprintln(s.out, strings.Join(next, ","))
	fmt.Fprintf(s.err, "This is SLIPSTICK_SNAPSHOT_KEY with one key more, which signs from %s on. Give it to all hosts before: in the settings file and by SIGHUP, or by a restart. Keep the older keys: what they signed is read with them.\n", from.Format(time.RFC3339))
	return nil
}
