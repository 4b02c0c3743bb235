package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/registry/sign"
)

type keysCmd struct {
	New    keysNewCmd    `cmd:"" help:"Make a key."`
	Rotate keysRotateCmd `cmd:"" help:"Make a key that takes over from another."`

	Export keysExportCmd `cmd:"" help:"Write the public keys of a host, by which others verify what it froze."`

	Snapshots keysSnapshotsCmd `cmd:"" help:"List and make the keys with which a host signs frozen calculations."`
}

type keyFlags struct {
	NoPassword bool `help:"Keep the secret key without a password, for a machine that guards its files."`
}

// newPassword asks for a new password, twice if somebody types it.
func (f keyFlags) newPassword(s streams) (string, error) {
	if f.NoPassword {
		return "", nil
	}
	word, err := terminal.NewPassword(s.in, s.err)
	if err != nil {
		return "", &failure{exitMisuse, err}
	}
	return word, nil
}

type keysNewCmd struct {
	Name         string      `arg:"" help:"Name of the key; NAME.key and NAME.pub are made."`
	Role         []sign.Role `help:"What the key shall say in the printed entry of a trust file: publish, report, review, expert, rebuild, log or witness. Default: ${default}." default:"publish,report" enum:"publish,report,review,expert,rebuild,log,witness" placeholder:"ROLE"`
	Capabilities []string    `help:"Capabilities that it shall speak of: ids, beginnings such as electrical.*, or * for all. Default: ${default}." default:"*" placeholder:"ID"`
	keyFlags
}

func (c *keysNewCmd) Run(s streams) error {
	word, err := c.newPassword(s)
	if err != nil {
		return err
	}
	key, err := sign.NewKey(c.Name, word)
	if err != nil {
		return &failure{exitFailed, err}
	}
	tellKey(s, c.Name, key)
	entry := sign.Key{Name: filepath.Base(c.Name), PublicKey: key.PublicKey(), Roles: c.Role, Capabilities: c.Capabilities}
	if err := entry.Check(); err != nil {
		return &failure{exitMisuse, err}
	}
	text, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.err, "Keep %s.key secret. Put this entry into the trust file of those who shall count it; its name is the one that records show:\n", c.Name)
	fmt.Fprintf(s.out, "%s\n", text)
	return nil
}

func tellKey(s streams, name string, key *sign.Signer) {
	fmt.Fprintf(s.err, "key %s: secret %[2]s.key, public %[2]s.pub\n", key.KeyID(), name)
}

type keysRotateCmd struct {
	Old      string     `arg:"" help:"Secret key that is in office (OLD.key)."`
	Name     string     `arg:"" help:"Name of the new key; NAME.key, NAME.pub and NAME.rotation are made."`
	NotAfter *time.Time `name:"not-after" format:"2006-01-02" help:"Day on which the new key expires." placeholder:"YYYY-MM-DD"`
	keyFlags
}

func (c *keysRotateCmd) Run(s streams) error {
	old, err := readKey(s, c.Old)
	if err != nil {
		return err
	}
	word, err := c.newPassword(s)
	if err != nil {
		return err
	}
	key, err := old.Rotate(c.Name, word, time.Now(), c.NotAfter)
	if err != nil {
		return &failure{exitFailed, err}
	}
	tellKey(s, c.Name, key)
	fmt.Fprintf(s.err, "It takes over from %s, as %s.rotation says; keep the three files together.\n", old.KeyID(), c.Name)
	fmt.Fprintln(s.out, key.PublicKey())
	return nil
}
