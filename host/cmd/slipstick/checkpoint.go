package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/slipstick/slipstick/host/internal/terminal"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/sign"
)

type checkpointCmd struct {
	Output string        `arg:"" help:"File to write. If it holds a checkpoint, the new one gets the next number."`
	Key    string        `required:"" help:"Secret key of a publisher (NAME.key)." placeholder:"FILE"`
	Valid  time.Duration `default:"720h" help:"For how long it counts; there must be a newer one before."`

	origin
	trusting
}

func (c *checkpointCmd) Help() string {
	return `Signs what the registry holds: every version with its digest and state, which is current, and
whose the tool ids are.
Signatures of releases tell that each is genuine; a checkpoint tells that none is missing, and
that the registry was not set back to an older copy in which a revoked version still answers.

  slipstick checkpoint checkpoint.json --key desk.key --trust trust.json
  slipstick serve --trust trust.json --require-signatures --checkpoint checkpoint.json

Make one after every change that must not be undone, and before the last one expires. A host
that is running takes the new file over by itself.`
}

func (c *checkpointCmd) Run(ctx context.Context, s streams) error {
	key, err := readKey(s, c.Key)
	if err != nil {
		return err
	}
	capabilities, err := c.capabilities(ctx, s.err, false, c.trusting)
	if err != nil {
		return err
	}
	held, err := registry.StateOf(capabilities)
	if err != nil {
		return &failure{exitFailed, fmt.Errorf("the registry must be in order first: %w", err)}
	}
	for _, published := range capabilities {
		if _, in := held[published.ID]; !in {
			fmt.Fprintf(s.err, "slipstick: not in the checkpoint: %s: %v\n", published.ID, published.Problem)
		}
	}
	number, err := numberAfter(c.Output)
	if err != nil {
		return &failure{exitFailed, err}
	}
	now := time.Now()
	file, err := key.SignState(sign.State{Number: number, Time: now, Expires: now.Add(c.Valid), Capabilities: held})
	if err != nil {
		return &failure{exitFailed, err}
	}
	if err := replaceFile(c.Output, append(file, '\n')); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "checkpoint %d of %s, until %s\n", number, terminal.Count(len(held), "capability"), now.Add(c.Valid).UTC().Format(time.RFC3339))
	return nil
}

// numberAfter is one more than the number of the checkpoint in a file.
func numberAfter(path string) (uint64, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 1, nil
	}
	if err != nil {
		return 0, err
	}
	number, err := sign.NumberOf(data)
	if err != nil {
		return 0, fmt.Errorf("%s: %w; name a file that is not there yet, or the last checkpoint", path, err)
	}
	return number + 1, nil
}

// replaceFile writes a file in one step.
func replaceFile(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Chmod(0o644), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
