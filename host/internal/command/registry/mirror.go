package registry

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/registry"
)

// Export has the options of slipstick mirror export.
type Export struct {
	File string

	command.RegistryFlags
}

// Run writes a registry as one file.
func (c *Export) Run(ctx context.Context, s command.Streams) error {
	reg, err := c.Place().Complete(ctx)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return command.Misuse(fmt.Errorf("%s is there already: name another file", c.File))
	}
	if err != nil {
		return command.Misuse(err)
	}
	written, err := reg.Export(ctx, file)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err != nil {
		return errors.Join(err, os.Remove(c.File))
	}
	terminal.Printf(s.Out, "exported %s to %s\n", transferred(written), c.File)
	leftOut(s, written)
	return nil
}

// Import has the options of slipstick mirror import.
type Import struct {
	File string
	To   string

	command.RemoteFlags
	command.SigningFlag
}

// Run adds the releases in a file to a registry.
func (c *Import) Run(ctx context.Context, s command.Streams) error {
	file, err := zip.OpenReader(c.File)
	if err != nil {
		return command.Misuse(fmt.Errorf("%s is not a file of slipstick mirror export: %w", c.File, err))
	}
	defer file.Close()
	by, err := c.SigningFlag.RegistryOptions(s)
	if err != nil {
		return err
	}
	to, err := c.PlaceAt(c.To).Store(ctx, by)
	if err != nil {
		return err
	}
	defer to.Close()
	show := terminal.Progress(s.Err)
	added, refused, err := to.Import(ctx, &file.Reader, func(capability string) error {
		show("imported " + capability)
		return to.Push(ctx, capability)
	})
	show("")
	for _, id := range slices.Sorted(maps.Keys(refused)) {
		fmt.Fprintf(s.Err, "refused %s: %v\n", id, refused[id])
	}
	if err != nil {
		return err
	}
	terminal.Printf(s.Out, "imported %s into %s\n", transferred(added), c.To)
	leftOut(s, added)
	if len(refused) > 0 {
		return command.Refused(fmt.Errorf("refused: a part of %s", terminal.Count(len(refused), "capability")))
	}
	return nil
}

// leftOut reports that a registry has the engines for one platform only, as the library of a package does.
func leftOut(s command.Streams, t registry.Transferred) {
	if t.LeftOut > 0 {
		terminal.Printf(s.Err, "slipstick: %s for other platforms left out, because they are missing here\n", terminal.Count(t.LeftOut, "engine"))
	}
}

func transferred(t registry.Transferred) string {
	return fmt.Sprintf("%s of %s and %s", terminal.Count(t.Versions, "version"), terminal.Holdings(t.Capabilities, t.Tables), terminal.Count(t.Records, "record"))
}
