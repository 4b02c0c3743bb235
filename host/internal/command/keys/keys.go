// Package keys implements the commands for keys. [New] and [Rotate] make the keys of publishers and reviewers.
// [ListSnapshotKeys] and [RotateSnapshotKey] manage the keys that sign snapshots, and [Export] writes their public
// parts. The fields of a command are its arguments and flags, and Run executes it.
package keys

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/registry/sign"
)

// newPassword asks for a new password, twice on a terminal. It returns none for a key without one.
func newPassword(s command.Streams, none bool) (string, error) {
	if none {
		return "", nil
	}
	word, err := terminal.NewPassword(s.In, s.Err)
	if err != nil {
		return "", command.Misuse(err)
	}
	return word, nil
}

// New has the options of slipstick keys new.
type New struct {
	Name         string
	Role         []string
	Capabilities []string

	NoPassword bool
}

// Run creates a key and prints its entry for a trust file.
func (c *New) Run(s command.Streams) error {
	word, err := newPassword(s, c.NoPassword)
	if err != nil {
		return err
	}
	key, err := sign.NewKey(c.Name, word)
	if err != nil {
		return command.Refused(err)
	}
	tellKey(s, c.Name, key)
	entry := sign.Key{Name: filepath.Base(c.Name), PublicKey: key.PublicKey(), Roles: rolesOf(c.Role), Capabilities: c.Capabilities}
	if err := entry.Check(); err != nil {
		return command.Misuse(err)
	}
	text, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Err, "Keep %s.key secret. To let the key count, add this entry to a trust file; records show the name in it:\n", c.Name)
	fmt.Fprintf(s.Out, "%s\n", text)
	return nil
}

func rolesOf(names []string) []sign.Role {
	roles := make([]sign.Role, len(names))
	for i, name := range names {
		roles[i] = sign.Role(name)
	}
	return roles
}

func tellKey(s command.Streams, name string, key *sign.Signer) {
	fmt.Fprintf(s.Err, "key %s: secret %[2]s.key, public %[2]s.pub\n", key.KeyID(), name)
}

// Rotate has the options of slipstick keys rotate.
type Rotate struct {
	Old      string
	Name     string
	NotAfter *time.Time

	NoPassword bool
}

// Run creates a key that replaces another key.
func (c *Rotate) Run(s command.Streams) error {
	old, err := command.ReadKey(s, c.Old)
	if err != nil {
		return err
	}
	word, err := newPassword(s, c.NoPassword)
	if err != nil {
		return err
	}
	key, err := old.Rotate(c.Name, word, time.Now(), c.NotAfter)
	if err != nil {
		return command.Refused(err)
	}
	tellKey(s, c.Name, key)
	fmt.Fprintf(s.Err, "It replaces %s (see %s.rotation); keep the three files together.\n", old.KeyID(), c.Name)
	fmt.Fprintln(s.Out, key.PublicKey())
	return nil
}
