// Command bench measures how fast Slipstick answers, side by side with handlers that
// compute the same within one process. scripts/bench builds what it needs and runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/tools/bench/internal/contestant"
)

// cli is the command line. Its tags are the texts of --help.
type cli struct {
	Quick   bool     `help:"The main figures only, in less than two minutes when the engines are published."`
	Only    []string `help:"Measure only these sections; without its number a name means all of its kind: unique64,spread,batch." placeholder:"SECTION"`
	Rounds  int      `help:"How often each contestant has its turn. Default: 5, with --quick 3." placeholder:"N"`
	Seconds int      `help:"How long a turn is. Default: 2, with --quick 1." placeholder:"N"`

	Base string `help:"Measure this revision too, in turn with what is checked out. scripts/bench builds it." placeholder:"REVISION"`

	Dir      string `default:"var/bench" help:"Where scripts/bench builds the programs that are measured, and where registries and results.json are kept." placeholder:"DIR"`
	Markdown bool   `help:"Print the goals and figures as a Markdown table too."`

	Contestant string `hidden:"" help:"Be this contestant instead."`
	Answer     string `hidden:"" type:"existingfile" help:"An answer that Slipstick gave, for the contestant."`
}

const description = `Measures how fast Slipstick answers, side by side with what it is compared with, on this machine.

All answer the same requests with the same bytes, eight numbers in and about 1.8 KB out, and take turns: round after round, each is loaded for a few seconds by wrk. Printed are medians over the rounds; ratios are medians of the ratios of each round, so that what slows a whole round does not count. The contestants:

  fixed      one answer for everything: what net/http costs
  json       encoding/json in one process: what a Go user would write
  tuned      decoding and encoding by hand in one process
  unary      slipstick serve with a gRPC call for each calculation
  base       slipstick serve of the revision --base
  slipstick  slipstick serve as it is, every check on

Beside requests a second and times to the answer there are the costs of one request: processor time of the server and of the processes below it, which are its engines; how often their threads wait; and what the server allocates.

The sections:

  unique1, 8, 64, 256    so many connections, new numbers in every request
  repeated1, 8, 64, 256  the same numbers in every request
  flagship1, flagship64  new numbers for the flagship, correctly rounded; json and tuned compute the simple beam
  limits64               as unique64, from 4,000 client addresses, with limits off and on
  ledgerunique64         as unique64, without a ledger and with one that keeps hashes of inputs, or the inputs
  ledgerrepeated64       as repeated64, likewise
  spread50, spread200    64 connections, requests spread over so many engines
  batch                  10,000 rows in one request
  files                  1,000,000 rows of the flagship computed by slipstick calc, as CSV, NDJSON, Parquet and Arrow
  start                  time until it serves, and memory, by the number of releases
  cold                   first answer of an engine that never ran, and of one that was ended
  growth                 libraries of 10 to 10,000 forged releases: start, memory, looks, pins
  setup                  first scripts/serve, with nothing compiled: minutes, so only if it is named
  profile                where the host's processor time goes

What the service must reach is printed at the end as MET or MISSED; figures go to results.json too. The exit code is 1 if something could not be measured. The first run, and the first after a change of Slipstick, publishes 200 engines before. Keep the machine free meanwhile.`

// streams are where results and everything else are written.
type streams struct{ out, err io.Writer }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], streams{os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitMisuse = 2
)

func run(ctx context.Context, args []string, s streams) int {
	var c cli
	helped := false
	parser, err := kong.New(&c,
		kong.Name("scripts/bench"),
		kong.Description(description),
		kong.Writers(s.out, s.err),
		kong.Exit(func(int) { helped = true }),
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 100}),
	)
	if err == nil {
		_, err = parser.Parse(args)
	}
	if helped {
		return exitOK
	}
	var picked []section
	if err == nil {
		picked, err = c.sections()
	}
	if err != nil {
		fmt.Fprintf(s.err, "bench: %v\nscripts/bench --help tells what there is.\n", err)
		return exitMisuse
	}
	if err := c.run(ctx, picked, s); err != nil {
		fmt.Fprintln(s.err, "bench:", err)
		return exitFailed
	}
	return exitOK
}

// sections fills in defaults and returns the sections to measure.
func (c *cli) sections() ([]section, error) {
	if c.Rounds < 0 || c.Seconds < 0 {
		return nil, errors.New("--rounds and --seconds must be above zero")
	}
	rounds, seconds := 5, 2
	if c.Quick {
		rounds, seconds = 3, 1
	}
	if c.Rounds == 0 {
		c.Rounds = rounds
	}
	if c.Seconds == 0 {
		c.Seconds = seconds
	}
	return pick(c.Only, c.Quick)
}

func (c *cli) run(ctx context.Context, picked []section, s streams) error {
	if c.Contestant == "" {
		return measure(ctx, c, picked, s)
	}
	answer, err := os.ReadFile(c.Answer)
	if err != nil {
		return err
	}
	handler, err := contestant.New(c.Contestant, answer)
	if err != nil {
		return err
	}
	return contestant.Serve(ctx, c.Contestant, handler, s.err)
}
