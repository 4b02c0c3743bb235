package release

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/release/client"
	"github.com/slipstick/slipstick/registry/lockfile"
	"github.com/slipstick/slipstick/registry/store"
)

// Client has the options of slipstick client.
type Client struct {
	Lock     string
	Lang     string
	Out      string
	Check    bool
	Registry string

	command.RemoteFlags
}

// Run writes or compares the client of a lock file.
func (c *Client) Run(ctx context.Context, s command.Streams, program Program) error {
	locked, err := lockfile.Read(c.Lock)
	if err != nil {
		return command.Misuse(err)
	}
	text, err := os.ReadFile(c.Lock)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(text)
	from := command.RegistryFlags{Registry: cmp.Or(c.Registry, locked.Registry), Wanted: locked.Pins(), RemoteFlags: c.RemoteFlags}
	list, err := from.Capabilities(ctx, s.Err, false)
	if err != nil {
		return err
	}
	made, err := client.Write(client.Language(c.Lang), &client.Source{
		Generator: "slipstick " + cmp.Or(program.Version, program.revision()), Lock: locked, LockDigest: filepath.Base(c.Lock) + " sha256:" + hex.EncodeToString(digest[:]),
		Published: list, Dir: c.Out,
	})
	if err != nil {
		return err
	}
	if c.Check {
		there, err := os.ReadFile(made.Path)
		if err != nil {
			return command.Refused(err)
		}
		if !bytes.Equal(there, made.Text) {
			return command.Refused(fmt.Errorf("%s is not the client of %s; write it again without --check", made.Path, c.Lock))
		}
		fmt.Fprintf(s.Out, "%s is the client of %s\n", made.Path, c.Lock)
		return nil
	}
	if err := store.Replace(made.Path, made.Text); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s calls %s\n", made.Path, terminal.Count(made.Functions, "version"))
	return nil
}
