package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/slipstick/slipstick/host/tools/bench/internal/fleet"
	"github.com/slipstick/slipstick/host/tools/bench/internal/wrk"
)

// profileTime makes the start of the server a small part of the profile.
const profileTime = 6 * time.Second

// profile measures where the server uses CPU time under the load of unique64.
func (b *bench) profile(ctx context.Context) error {
	file := filepath.Join(b.Dir, "cpu.profile")
	flag := "--cpuprofile=" + file
	if !b.supports(ctx, flag, "no profile was taken") {
		return nil
	}
	registry, err := b.ours.fleet.Registry(ctx, 1)
	if err != nil {
		return err
	}
	host, err := b.ours.serve(ctx, registry, flag)
	if err != nil {
		return err
	}
	l := wrk.Load{Paths: paths(fleet.Tool(0)), Connections: 64, Time: profileTime}
	_, _, err = b.loadOnce(ctx, host, l)
	if stopped := b.stop("slipstick with a profile", host); err == nil {
		err = stopped
	}
	if err != nil {
		return err
	}
	traces, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-traces", b.ours.fleet.Slipstick, file).Output()
	if err != nil {
		return fmt.Errorf("go tool pprof: %w", err)
	}
	b.results.Profile, err = shares(traces)
	if err != nil {
		return err
	}
	printShares(b.out, b.results.Profile)
	return nil
}
