// Command slipstick-mcp serves the tools of MCP over stdio, from a directory with published engines. It is the program
// of bundles for desktop clients, and much smaller than slipstick. slipstick mcp has more settings.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/host/internal/http/mcp"
	"github.com/slipstick/slipstick/host/internal/source"
)

// maxSnapshots is the limit of the file of snapshots, in bytes.
const maxSnapshots = 1 << 30

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "slipstick-mcp:", err)
		os.Exit(1)
	}
}

// run serves one agent until in ends.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) error {
	flags := flag.NewFlagSet("slipstick-mcp", flag.ContinueOnError)
	flags.SetOutput(errs)
	registry := flags.String("registry", "", "directory with the published engines; it is only read")
	data := flags.String("data", "", "directory for snapshots and the keys that sign them")
	err := flags.Parse(args)
	if err != nil {
		return err
	}
	if *registry == "" || *data == "" || flags.NArg() > 0 {
		return errors.New("give --registry and --data, and nothing else")
	}
	log := slog.New(slog.NewTextHandler(errs, &slog.HandlerOptions{Level: slog.LevelWarn}))
	published, _, err := (&source.Place{Registry: *registry}).Capabilities(ctx, true)
	if err != nil {
		return err
	}
	keys, err := snapshot.LoadKeys(filepath.Join(*data, "keys"))
	if err != nil {
		return err
	}
	snapshots, err := snapshot.New(keys, &snapshot.Options{File: snapshot.NewFile(*data, &snapshot.FileOptions{Size: maxSnapshots})})
	if err != nil {
		return err
	}
	own := sandbox.ServerFiles{Data: *data, Registry: *registry}
	engines, err := pool.New(&pool.Options{Log: log, Confine: &sandbox.Options{Private: own.Private()}})
	if err != nil {
		return err
	}
	defer engines.Close()
	terminal.Sandbox(errs, engines.Sandbox())
	service := calc.New(catalog.New(published), engines, &calc.Options{Down: engines.Down})
	return mcp.New(service, snapshots, &mcp.Options{Log: log}).Run(ctx, in, terminal.Plain(out))
}
