package keys

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
)

// SnapshotKeyFlags name the keys of a server.
type SnapshotKeyFlags struct {
	Data        string   `default:"${data}" env:"SLIPSTICK_DATA" help:"Data directory of the server." placeholder:"DIR"`
	SnapshotKey []string `env:"SLIPSTICK_SNAPSHOT_KEY" help:"Configured keys, as in slipstick serve." placeholder:"SEED"`
}

func (k *SnapshotKeyFlags) dir() string { return filepath.Join(k.Data, "keys") }

// ListSnapshotKeys has the options of slipstick keys snapshots list.
type ListSnapshotKeys struct {
	SnapshotKeyFlags
	JSON bool
}

// Run lists the keys of a server.
func (c *ListSnapshotKeys) Run(s command.Streams) error {
	keys, err := snapshot.FindKeys(c.dir(), c.SnapshotKey...)
	if err != nil {
		return command.Misuse(err)
	}
	list, now := []snapshot.KeyState{}, time.Now()
	if keys != nil {
		list = keys.States(now)
	}
	if c.JSON {
		return json.NewEncoder(s.Out).Encode(list)
	}
	if keys == nil {
		fmt.Fprintf(s.Err, "slipstick: there is no key in %s yet; a server creates one when it starts\n", c.dir())
	}
	for _, k := range list {
		from := "configured"
		if k.File != "" {
			from = k.File
		}
		terminal.Printf(s.Out, "%s  %s: %s\n", k.ID, from, duties(k, now))
	}
	return nil
}

// duties describes the current use of a key.
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

// RotateSnapshotKey has the options of slipstick keys snapshots rotate.
type RotateSnapshotKey struct {
	SnapshotKeyFlags
	After time.Duration
}

// Run creates the next key of a server.
func (c *RotateSnapshotKey) Run(s command.Streams) error {
	if c.After < 0 {
		return command.Misuse(errors.New("--after must not be negative"))
	}
	// The previous key still signs in the current second.
	from := time.Now().Add(c.After).UTC().Truncate(time.Second).Add(time.Second)
	if len(c.SnapshotKey) > 0 {
		return c.configured(s, from)
	}
	file, err := snapshot.Rotate(c.dir(), from)
	if err != nil {
		return command.Refused(err)
	}
	fmt.Fprintln(s.Out, file)
	fmt.Fprintf(s.Err, "A key that replaces another signs from %s on. Before that time, let the running server read it: kill -HUP, or systemctl reload. After that time, new signatures of the previous key do not count. Keep the older files: they verify older signatures.\n", from.Format(time.RFC3339))
	return nil
}

// configured prints the setting with the next key.
func (c *RotateSnapshotKey) configured(s command.Streams, from time.Time) error {
	next := append(c.SnapshotKey, snapshot.TimedSeed(snapshot.NewSeed(), from))
	if _, err := snapshot.LoadKeys("", next...); err != nil {
		return command.Misuse(err)
	}
	fmt.Fprintln(s.Out, strings.Join(next, ","))
	fmt.Fprintf(s.Err, "This SLIPSTICK_SNAPSHOT_KEY has one more key, which signs from %s on. Before that time, give it to all servers: in the settings file with SIGHUP, or with a restart. Keep the older keys: they verify older signatures.\n", from.Format(time.RFC3339))
	return nil
}
