// Command slipstick runs, judges and publishes calculation engines.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/cli/setting"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/http/limit"
)

// cli is the command line. Its tags are what --help teaches.
type cli struct {
	Serve   serveCmd   `cmd:"" help:"Answer calculations over HTTP."`
	Calc    calcCmd    `cmd:"" help:"Compute one result from the registry, without a server."`
	Batch   batchCmd   `cmd:"" help:"Divide a large batch among machines, and prove that all of it is there."`
	Study   studyCmd   `cmd:"" help:"Sweep, compare, seek a goal, and say how sensitive and how uncertain a result is."`
	MCP     mcpCmd     `cmd:"" name:"mcp" help:"Serve agents over stdio: the tools of /mcp, from the registry."`
	New     newCmd     `cmd:"" help:"Make the module of a new engine."`
	Dev     devCmd     `cmd:"" help:"Serve an engine under work, and again after every change."`
	Build   buildCmd   `cmd:"" help:"Build engines: the same bytes on every machine."`
	Check   checkCmd   `cmd:"" help:"Judge engines against the conformance rules."`
	Diff    diffCmd    `cmd:"" help:"Compare two versions of an engine, and say which bump that needs."`
	Publish publishCmd `cmd:"" help:"Check engines and add them to the registry."`
	Lock    lockCmd    `cmd:"" help:"Write down which versions are relied on, to the byte."`
	Client  clientCmd  `cmd:"" help:"Write a typed client for the locked versions."`
	List    listCmd    `cmd:"" help:"List what is published."`
	Show    showCmd    `cmd:"" help:"Describe one published capability: its inputs, results, rules and evidence."`

	Promote   promoteCmd   `cmd:"" help:"Make a published version the current one."`
	Deprecate deprecateCmd `cmd:"" help:"Warn the callers of a version."`
	Yank      yankCmd      `cmd:"" help:"Withdraw a version from everybody who does not pin it."`
	Revoke    revokeCmd    `cmd:"" help:"Never execute a version again."`
	Reinstate reinstateCmd `cmd:"" help:"Take back a deprecation or a yank."`
	Shadow    shadowCmd    `cmd:"" help:"Compare a version with the current one, behind what hosts answer."`

	Replay replayCmd `cmd:"" help:"Compute stored results again, and say which are the same to the bit."`
	Impact impactCmd `cmd:"" help:"Say which stored results another version would change, and by how much."`

	Snapshots    snapshotsCmd    `cmd:"" help:"Copy frozen calculations, also while a host runs."`
	Ledger       ledgerCmd       `cmd:"" help:"List, find, check and export what a host has recorded of its answers."`
	Keys         keysCmd         `cmd:"" help:"Make keys, and let one take over from another."`
	Sign         signCmd         `cmd:"" help:"Sign a published release."`
	Rebuild      rebuildCmd      `cmd:"" help:"Build a release again from its source, and compare the bytes."`
	SBOM         sbomCmd         `cmd:"" name:"sbom" help:"List the modules that are in a release, as SPDX."`
	Log          logCmd          `cmd:"" help:"Keep the log of what is published in a registry, and compare it with what others saw."`
	Review       reviewCmd       `cmd:"" help:"Attach a signed review to a release."`
	Verify       verifyCmd       `cmd:"" help:"Say what of a registry, a release or a snapshot holds, offline."`
	AttachReport attachReportCmd `cmd:"" name:"attach-report" help:"Attach a conformance report to a release."`

	Completion completionCmd `cmd:"" help:"Print what lets bash, zsh or fish complete command lines."`
	Complete   completeCmd   `cmd:"" hidden:""`
	Man        manCmd        `cmd:"" help:"Write pages for man."`

	Health  healthCmd  `cmd:"" help:"Ask a running host whether it is ready."`
	Version versionCmd `cmd:"" help:"Say which program this is."`
	Help    helpCmd    `cmd:"" help:"Show the help of a command."`
}

// streams are where a command reads and writes: results on out, everything else on
// err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() { endAnyway(time.Duration(endWithin.Load())) })
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// endWithin is the time in which a process that was told to end has ended, in nanoseconds. A
// host that drains takes longer than other commands.
var endWithin atomic.Int64

func init() { endWithin.Store(int64(15 * time.Second)) }

// endAnyway ends a process that hangs: on a disk that does not answer, or a log that
// nobody reads. Engines end with it.
func endAnyway(within time.Duration) {
	const toSay = time.Second / 4
	time.Sleep(within - toSay)
	go fmt.Fprintln(os.Stderr, "slipstick: something hangs; ended all the same") // which may hang too
	time.Sleep(toSay)
	os.Exit(exitInternal)
}

// commandLine is what was typed, which some commands read again.
type commandLine struct {
	ctx     context.Context
	args    []string
	streams streams
	flags   setting.Flags // of the command, as they were read first
	helped  bool          // help was asked for, and printed
}

// parse reads the command line, the environment, and the settings file that they name.
func (l *commandLine) parse() (*cli, *kong.Context, error) {
	var c cli
	parser, err := l.parser(&c)
	if err != nil {
		return nil, nil, &failure{exitInternal, err}
	}
	if err := setting.CheckNames(l.args, os.Environ()); err != nil {
		return nil, nil, err
	}
	command, err := parser.Parse(spelled(l.args))
	return &c, command, err
}

func (l *commandLine) parser(c *cli) (*kong.Kong, error) {
	home := setting.Home()
	parser, err := kong.New(c,
		kong.Name("slipstick"),
		kong.Description("Calculations that can be trusted years later: versioned engines, pinned, checked and answered with their evidence.\n\n"+exitCodes),
		kong.UsageOnError(),
		kong.Writers(l.streams.out, l.streams.err),
		kong.ValueFormatter(helpWithDefault),
		kong.Exit(func(int) { l.helped = true }),
		kong.BindTo(l.ctx, (*context.Context)(nil)),
		kong.Bind(l.streams, l),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Vars{
			"registry": filepath.Join(home, "registry"), "mirror": filepath.Join(home, "mirror"), "data": filepath.Join(home, "data"),
			"limits": limit.Defaults().String(),
		},
		kong.Configuration(setting.ReadFile),
	)
	if err == nil {
		err = explain(parser.Model.Node)
	}
	return parser, err
}

func run(ctx context.Context, args []string, s streams) int {
	out, errs := terminal.NewWriter(s.out), terminal.NewWriter(s.err)
	defer out.Flush()
	defer errs.Flush()
	s.out, s.err = out, errs
	line := &commandLine{ctx: ctx, args: args, streams: s}
	_, command, err := line.parse()
	if line.helped {
		return exitOK
	}
	if _, ours := errors.AsType[*failure](err); err != nil && !ours {
		fmt.Fprintf(s.err, "slipstick: %v\n%s\n", err, helpFor(err))
		return exitMisuse
	}
	if err == nil {
		line.flags = setting.FlagsOf(command)
		err = command.Run()
	}
	return ended(s.err, err)
}
