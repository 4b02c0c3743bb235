package main

import (
	"context"
	"fmt"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
)

type keysExportCmd struct {
	To      string `help:"Registry that shall have them too: a directory, or oci://HOST/PREFIX." placeholder:"DIR|oci://..."`
	Name    string `default:"host" help:"Name that they have in the registry, where several hosts may have keys."`
	Replace bool   `help:"Replace what has the name in the registry, even if keys are lost by that."`

	snapshotKeys
	reach
}

func (c *keysExportCmd) Run(ctx context.Context, s streams) error {
	keys, err := snapshot.FindKeys(c.dir(), c.SnapshotKey...)
	if err == nil && keys == nil {
		err = fmt.Errorf("there is no key in %s yet; a host makes one when it starts", c.dir())
	}
	if err != nil {
		return &failure{exitMisuse, err}
	}
	document, err := keys.Public().JSON()
	if err != nil {
		return err
	}
	if c.To != "" {
		if err := c.place(c.To).PutHostKeys(ctx, c.Name, keys.Public(), c.Replace); err != nil {
			return err
		}
		fmt.Fprintf(s.err, "slipstick: %s has them as %s\n", c.To, c.Name)
	}
	_, err = s.out.Write(document)
	return err
}
