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
	Source   string   `type:"existingdir" help:"Directory with the source that the executables were built from, to be recorded so that others can rebuild them. The source of a program's directory is always recorded. A version that is published without its source gets it." placeholder:"DIR"`
	Platform []string `sep:"none" help:"The same engine for another platform, its executable or the directory of its program, and the report of slipstick check --json that was made there. Without a report it is a candidate there. Without a path, all documents and programs in Go are published for the platform too. May be repeated." placeholder:"OS/ARCH[=PATH[,report=FILE]]"`
	Link     bool     `help:"Replace each file by a hard link to the published engine, so that the disk has it once. Nothing may write into such a file. Where the file system cannot link, there are two copies."`
	Keep     bool     `help:"Keep a version that is already published with other bytes, and say so, instead of failing."`

	command.LibraryFlag
	command.RemoteFlags
	command.JudgingFlags
	command.SigningFlag
}

func (c *publishCmd) Run(ctx context.Context, s command.Streams) error {
	return (*release.Publish)(c).Run(ctx, s)
}
