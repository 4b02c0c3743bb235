package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/release"
)

type publishCmd struct {
	Engines  []string `arg:"" name:"engines" help:"Documents (NAME.calc.md), engine executables for this platform, and directories of documents, of programs in Go and of tables."`
	To       string   `default:"${own}" env:"SLIPSTICK_REGISTRY" help:"The registry: a directory, created with the library if absent, or oci://HOST/PREFIX." placeholder:"DIR|oci://..."`
	Revision string   `help:"Source revision that the engines were built from." placeholder:"REV"`
	Source   string   `type:"existingdir" help:"Directory with the source of the executables, to be recorded so that others can rebuild them. The source of the directory of a program is always recorded. It can be added to a published version." placeholder:"DIR"`
	Platform []string `sep:"none" help:"The same engine for another platform: its executable or the directory of its program, and its report of slipstick check --json. Without a report it is unverified there. Without a path, all documents and Go programs are published for the platform too. Can be given several times." placeholder:"OS/ARCH[=PATH[,report=FILE]]"`
	Link     bool     `help:"Replace each file by a hard link to the published engine, to save disk space. Nothing may write to such a file. On a file system without hard links, there are two copies."`
	Keep     bool     `help:"If a version is already published with other bytes, keep it and print a note, instead of failing."`

	command.LibraryFlag
	command.RemoteFlags
	command.JudgingFlags
	command.SigningFlag
}

func (c *publishCmd) Run(ctx context.Context, s command.Streams) error {
	return (*release.Publish)(c).Run(ctx, s)
}
