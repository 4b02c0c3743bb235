// Command bench measures how fast Slipstick answers, and compares it with handlers that
// compute the same within one process. scripts/bench builds the programs and runs it.
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
	Quick   bool     `help:"Measure only the main sections, in less than two minutes if the engines are published."`
	Only    []string `help:"Measure only these sections. A name without a number selects all sections of its kind: unique64,spread,batch." placeholder:"SECTION"`
	Rounds  int      `help:"Number of rounds. Each contestant has one turn in a round. Default: 5, with --quick 3." placeholder:"N"`
	Seconds int      `help:"Duration of a turn. Default: 2, with --quick 1." placeholder:"N"`

	Base string `help:"Also measure this revision, in turn with the checked-out one. scripts/bench builds it." placeholder:"REVISION"`

	Dir      string `default:"var/bench" help:"Directory of the programs that scripts/bench builds, the registries and results.json." placeholder:"DIR"`
	Markdown bool   `help:"Also print the goals and measurements as a Markdown table."`

	Contestant string `hidden:"" help:"Run as this contestant."`
	Answer     string `hidden:"" type:"existingfile" help:"An answer of Slipstick, for the contestant."`
}

const description = `Measures how fast Slipstick and its contestants answer on this machine.

All contestants answer the same requests, with eight numbers, with the same bytes, about 1.8 KB. They take turns: in each round, wrk loads each of them for a few seconds. The results are medians over the rounds. Ratios are medians of the ratios in each round, which cancels effects on a whole round. The contestants:

  socket     one answer for everything, without HTTP: the least that a request costs on this machine
  fixed      one answer for everything: the cost of net/http
  json       encoding/json in one process: typical Go code
  tuned      hand-written decoding and encoding in one process
  unary      slipstick serve with a gRPC call for each calculation
  document   slipstick serve with a document in place of the engine in Go
  sheet      slipstick serve with a document that calls it 20 times
  base       slipstick serve of the revision --base
  slipstick  slipstick serve with default settings and all checks

In addition to requests per second and latency, the tables show the costs of one request. These are the CPU time of the server and of its engines, the waits of their threads, and the allocations of the server.

The sections:

  unique1, 8, 64, 256    this number of connections, new numbers in every request
  repeated1, 8, 64, 256  the same numbers in every request
  flagship1, flagship64  new numbers for the flagship, correctly rounded; json and tuned compute the simple beam
  limits64               unique64 from 4,000 client addresses, with limits off and on
  ledgerunique64         unique64 without a ledger, with a ledger of input hashes, and with a ledger of inputs
  ledgerrepeated64       repeated64 with the same ledgers
  gzipunique64           answers of 2, 4 and 20 kB for clients that accept compressed answers, and for others
  gziprepeated64         the same with the same numbers in every request
  traces64               unique64 without traces, with traces of 1 % of the requests, and with traces of all
  spread50, spread200    64 connections, requests spread over this number of engines
  documents50, 200       the same with documents
  batch                  10,000 rows in one request
  files                  1,000,000 rows of the flagship computed by slipstick calc, as CSV, NDJSON, Parquet and Arrow
  start                  time until the server serves, and its memory, by the number of releases
  cold                   first answer of an engine that never ran, and of an ended engine
  growth                 libraries of 10 to 10,000 forged releases: start, memory, registry checks, pins
  setup                  first scripts/serve, with nothing compiled; takes minutes, so only if it is named
  profile                CPU time of the server by component

At the end it prints for each goal MET or MISSED. It also writes all measurements to results.json. The exit code is 1 if a section could not be measured. The first run, and the first after a change of Slipstick, publishes 200 engines and 200 documents. Do not use the machine for other work during a run.`

// streams are the destinations of the results and of all other output.
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
		fmt.Fprintf(s.err, "bench: %v\nRun scripts/bench --help for all options.\n", err)
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
	if c.Contestant == contestant.Socket {
		return contestant.ServeSocket(ctx, answer, s.err)
	}
	handler, err := contestant.New(c.Contestant, answer)
	if err != nil {
		return err
	}
	return contestant.Serve(ctx, c.Contestant, handler, s.err)
}
