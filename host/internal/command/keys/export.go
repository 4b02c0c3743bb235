package keys

import (
	"context"
	"fmt"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/command"
)

// Export has the options of slipstick keys export.
type Export struct {
	To      string
	Name    string
	Replace bool

	SnapshotKeyFlags
	command.RemoteFlags
}

// Run writes the public keys of a server.
func (c *Export) Run(ctx context.Context, s command.Streams) error {
	keys, err := snapshot.FindKeys(c.dir(), c.SnapshotKey...)
	if err == nil && keys == nil {
		err = fmt.Errorf("there is no key in %s yet; a server creates one when it starts", c.dir())
	}
	if err != nil {
		return command.Misuse(err)
	}
	document, err := keys.Public().JSON()
	if err != nil {
		return err
	}
	if c.To != "" {
		if err := c.PlaceAt(c.To).PutHostKeys(ctx, c.Name, keys.Public(), c.Replace); err != nil {
			return err
		}
		fmt.Fprintf(s.Err, "slipstick: wrote the keys to %s under the name %s\n", c.To, c.Name)
	}
	_, err = s.Out.Write(document)
	return err
}
