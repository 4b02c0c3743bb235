package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/archive"
)

type lockCmd struct {
	Versions []string `arg:"" optional:"" complete:"release" name:"capability@version" help:"Versions to add to the lock file. Without @ it is the current version. Default: everything that is published and not revoked."`
	Output   string   `default:"slipstick.lock" short:"o" help:"The lock file." placeholder:"FILE"`
	Check    bool     `help:"Write nothing: compare the registry with the lock file, for CI."`
	Remove   []string `sep:"none" complete:"release" help:"Remove a version, or all versions of a capability. Can be given several times." placeholder:"NAME[@VERSION]"`
	Upgrade  []string `sep:"none" complete:"release" help:"Print the impact of a newer version, and give it the plain name. Without @ it is the current version. Can be given several times." placeholder:"NAME[@VERSION]"`
	Current  []string `sep:"none" complete:"release" help:"Give the plain name of the tool to this version, and lock it. Can be given several times." placeholder:"NAME@VERSION"`
	Over     []string `help:"With --upgrade: stored results for the impact, as for slipstick impact. Can be given several times." placeholder:"TARGET"`
	Data     string   `default:"${data}" env:"SLIPSTICK_DATA" help:"Data directory of a server, with the snapshots of short ids." placeholder:"DIR"`
	Registry string   `env:"SLIPSTICK_REGISTRY" help:"Registry of the published engines: a directory, oci://HOST/PREFIX, or the https:// URL of a server. Default: the one in the lock file, or else ${registry}." placeholder:"DIR|URL"`

	command.RemoteFlags
	command.TrustFlags
	command.JudgingFlags
}

func (c *lockCmd) Run(ctx context.Context, s command.Streams) error {
	return (*archive.Lock)(c).Run(ctx, s)
}
