package main

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
	"github.com/slipstick/slipstick/host/internal/release/client"
	"github.com/slipstick/slipstick/registry/lockfile"
	"github.com/slipstick/slipstick/registry/store"
)

type clientCmd struct {
	Lock     string          `default:"slipstick.lock" help:"The lock file." placeholder:"FILE"`
	Lang     client.Language `required:"" enum:"go,ts,python" help:"Language of the client: go, ts or python." placeholder:"LANGUAGE"`
	Out      string          `default:"calculations" help:"Directory of the client; in Go also the name of its package." placeholder:"DIR"`
	Check    bool            `help:"Write nothing: compare the client with the lock file, for CI."`
	Registry string          `env:"SLIPSTICK_REGISTRY" help:"Registry of the published engines: a directory, or oci://HOST/PREFIX. Default: the one that the lock file names." placeholder:"DIR|oci://..."`

	reach
}

func (c *clientCmd) Run(ctx context.Context, s streams) error {
	locked, err := lockfile.Read(c.Lock)
	if err != nil {
		return &failure{exitMisuse, err}
	}
	text, err := os.ReadFile(c.Lock)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(text)
	from := origin{Registry: cmp.Or(c.Registry, locked.Registry), reach: c.reach}
	list, err := from.capabilities(ctx, s.err, false)
	if err != nil {
		return err
	}
	made, err := client.Write(c.Lang, &client.Source{
		Generator: "slipstick " + cmp.Or(version, builtOf()), Lock: locked, LockDigest: filepath.Base(c.Lock) + " sha256:" + hex.EncodeToString(digest[:]),
		Published: list, Dir: c.Out,
	})
	if err != nil {
		return err
	}
	if c.Check {
		there, err := os.ReadFile(made.Path)
		if err != nil {
			return &failure{exitFailed, err}
		}
		if !bytes.Equal(there, made.Text) {
			return &failure{exitFailed, fmt.Errorf("%s is not the client of %s; write it again without --check", made.Path, c.Lock)}
		}
		fmt.Fprintf(s.out, "%s is the client of %s\n", made.Path, c.Lock)
		return nil
	}
	if err := store.Replace(made.Path, made.Text); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s calls %s\n", made.Path, terminal.Count(made.Functions, "version"))
	return nil
}
