package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/cli/help"
	"github.com/slipstick/slipstick/host/internal/cli/setting"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/server"
)

// cli is the command line. Its tags are the texts of --help.
type cli struct {
	Serve   serveCmd   `cmd:"" set:"registry=${own}" help:"Serve calculations over HTTP."`
	Calc    calcCmd    `cmd:"" help:"Compute a result, or the rows of a file, without a server."`
	Batch   batchCmd   `cmd:"" help:"Compute a large batch on many machines, and check that it is complete."`
	Study   studyCmd   `cmd:"" help:"Run a study: sweep, comparison, goal seek, sensitivity or uncertainty."`
	MCP     mcpCmd     `cmd:"" name:"mcp" help:"Serve the MCP tools to an agent, over stdin and stdout."`
	New     newCmd     `cmd:"" help:"Make a new engine: a document, or a program."`
	Dev     devCmd     `cmd:"" help:"Serve an engine while you work on it, and again after every change."`
	Build   buildCmd   `cmd:"" help:"Build engines, with the same bytes on every machine."`
	Fmt     fmtCmd     `cmd:"" help:"Write documents in their canonical form."`
	Check   checkCmd   `cmd:"" help:"Check engines against the conformance rules."`
	Diff    diffCmd    `cmd:"" help:"Compare two versions of an engine, and report which version bump they need."`
	Publish publishCmd `cmd:"" help:"Check engines and add them to the registry."`
	Lock    lockCmd    `cmd:"" help:"Write versions and their digests to a lock file."`
	Client  clientCmd  `cmd:"" help:"Write a typed client for the locked versions."`
	List    listCmd    `cmd:"" help:"List the published capabilities."`
	Show    showCmd    `cmd:"" help:"Describe one published capability: its inputs, results, rules and evidence."`

	Mirror mirrorCmd `cmd:"" help:"Export and import a registry as one file."`

	Promote   promoteCmd   `cmd:"" help:"Make a published version the current one."`
	Deprecate deprecateCmd `cmd:"" help:"Mark a version as deprecated, and warn its callers."`
	Yank      yankCmd      `cmd:"" help:"Withdraw a version from callers that do not pin it."`
	Revoke    revokeCmd    `cmd:"" help:"Revoke a version, so that it is never executed again."`
	Reinstate reinstateCmd `cmd:"" help:"Undo a deprecation or a yank."`
	Shadow    shadowCmd    `cmd:"" help:"Compare a version with the current one on real requests."`

	Replay replayCmd `cmd:"" help:"Compute stored results again, and report which are bit-identical."`
	Impact impactCmd `cmd:"" help:"Report which stored results another version would change, and by how much."`

	Snapshots    snapshotsCmd    `cmd:"" help:"Back up snapshots, also while a server runs."`
	Ledger       ledgerCmd       `cmd:"" help:"List, find, check and export the recorded answers of a server."`
	Keys         keysCmd         `cmd:"" help:"Make, rotate and export keys."`
	Sign         signCmd         `cmd:"" help:"Sign a published release."`
	Rebuild      rebuildCmd      `cmd:"" help:"Build a release again from its source, and compare the bytes."`
	SBOM         sbomCmd         `cmd:"" name:"sbom" help:"Print the software bill of materials of a release, as SPDX."`
	Log          logCmd          `cmd:"" help:"Write and check the transparency log of a registry."`
	Review       reviewCmd       `cmd:"" help:"Attach a signed review to a release."`
	Verify       verifyCmd       `cmd:"" help:"Verify a registry, a release or a snapshot, offline."`
	AttachReport attachReportCmd `cmd:"" name:"attach-report" help:"Attach a conformance report to a release."`

	Completion completionCmd `cmd:"" help:"Print the completion script for bash, zsh or fish."`
	Complete   completeCmd   `cmd:"" hidden:""`
	Man        manCmd        `cmd:"" help:"Write the pages of the manual, for man."`

	Doctor  doctorCmd  `cmd:"" help:"Check whether a server can run on this machine."`
	Health  healthCmd  `cmd:"" help:"Ask a running server whether it is ready."`
	Version versionCmd `cmd:"" help:"Print the version of this program."`
	Explain explainCmd `cmd:"" help:"Explain an error code or an exit code, with what to do about it."`
	Help    helpCmd    `cmd:"" help:"Show the help of a command."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() { endAnyway(time.Duration(endWithin.Load())) })
	code := run(ctx, os.Args[1:], command.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(code)
}

// endWithin is the longest time between a signal and the end of the process, in nanoseconds. A server that
// drains takes longer than other commands.
var endWithin atomic.Int64

func init() { endWithin.Store(int64(15 * time.Second)) }

// endAnyway ends a process that hangs, such as on a disk that does not answer. Its engines end too.
func endAnyway(within time.Duration) {
	const toSay = time.Second / 4
	time.Sleep(within - toSay)
	go fmt.Fprintln(os.Stderr, "slipstick: ended, although an operation still hangs") // which may hang too
	time.Sleep(toSay)
	os.Exit(command.ExitInternal)
}

// commandLine has the arguments of the program. Some commands parse them again.
type commandLine struct {
	ctx     context.Context
	args    []string
	streams command.Streams
	flags   setting.Flags // of the command, as they were at the start
	helped  bool          // help was asked for, and printed
}

// parse reads the command line, the environment, and the settings file that they name.
func (l *commandLine) parse() (*cli, *kong.Context, error) {
	var c cli
	parser, err := l.parser(&c)
	if err != nil {
		return nil, nil, command.Internal(err)
	}
	if err := setting.CheckNames(l.args, os.Environ()); err != nil {
		return nil, nil, err
	}
	parsed, err := parser.Parse(help.Normalize(l.args))
	return &c, parsed, err
}

func (l *commandLine) parser(c *cli) (*kong.Kong, error) {
	home := setting.Home()
	parser, err := kong.New(c,
		kong.Name("slipstick"),
		kong.Description("Self-hosted engineering calculations. Each result has its evidence, and a version that repeats it years later.\n\n"+command.ExitCodes),
		kong.UsageOnError(),
		kong.Writers(l.streams.Out, l.streams.Err),
		kong.ValueFormatter(help.Value),
		kong.Exit(func(int) { l.helped = true }),
		kong.BindTo(l.ctx, (*context.Context)(nil)),
		kong.Bind(l.streams, l),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Vars{
			"registry": setting.Registry(), "own": setting.Own(), "library": setting.Library(), "mirror": filepath.Join(home, "mirror"), "data": filepath.Join(home, "data"),
			"limits": server.DefaultLimits(),
		},
		kong.Configuration(setting.ReadFile),
	)
	if err == nil {
		err = help.Describe(parser.Model.Node, helpTexts)
	}
	return parser, err
}

func run(ctx context.Context, args []string, s command.Streams) int {
	out, errs := terminal.NewWriter(s.Out), terminal.NewWriter(s.Err)
	defer out.Flush()
	defer errs.Flush()
	s.Out, s.Err = out, errs
	line := &commandLine{ctx: ctx, args: args, streams: s}
	_, parsed, err := line.parse()
	if line.helped {
		return command.ExitOK
	}
	if _, ours := errors.AsType[*command.Failure](err); err != nil && !ours {
		return line.mistake(err)
	}
	if err == nil {
		line.flags = setting.FlagsOf(parsed)
		err = parsed.Run()
	}
	return command.End(s.Err, command.NameFile(err, args, line.flags))
}

// mistake prints what is wrong on the command line. If it does not name a command, it prints the help before that.
func (l *commandLine) mistake(err error) int {
	if help.NamesNoCommand(err) {
		shown := &commandLine{ctx: l.ctx, args: append(slices.Clone(l.args), "--help"), streams: command.Streams{Out: l.streams.Err, Err: l.streams.Err}}
		_, _, _ = shown.parse()
		fmt.Fprintln(l.streams.Err)
	}
	var flags setting.Flags
	if at, ok := errors.AsType[*kong.ParseError](err); ok && at.Context != nil && at.Context.Selected() != nil {
		flags = setting.FlagsOf(at.Context)
	}
	fmt.Fprintf(l.streams.Err, "slipstick: %s\n", help.Mistake(command.NameFile(err, l.args, flags)))
	return command.ExitMisuse
}
