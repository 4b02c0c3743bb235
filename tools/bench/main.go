// Command bench measures how fast Slipstick answers, and compares it with handlers that
// compute the same within one process. scripts/bench builds the programs and runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/tools/bench/internal/contestant"
)

// cli is the command line. Its tags are the texts of --help.
type cli struct {
	Quick   bool     `help:"Measure only the main sections, in a few minutes if the engines are published."`
	Only    []string `help:"Measure only these sections. A name without a number selects all sections of its kind: unique64,spread,batch." placeholder:"SECTION"`
	Rounds  int      `help:"Number of rounds. Each contestant has one turn in a round. Default: 15 in sections with a measurement in README, 5 in others, 3 with --quick." placeholder:"N"`
	Seconds int      `default:"1" help:"Duration of a turn. Default: ${default}." placeholder:"N"`

	Peers bool   `help:"Also measure GoRules and OPA. scripts/bench installs them into DIR/peers: npm, and minutes of compiling Go."`
	Base  string `help:"Also measure this revision, in turn with the checked-out one. scripts/bench builds it." placeholder:"REVISION"`

	Page bool   `help:"Measure nothing. Write docs/reference/benchmarks.md and the measurements in README from results.json."`
	Dir  string `default:"var/bench" help:"Directory of the programs that scripts/bench builds, the registries and results.json." placeholder:"DIR"`

	Contestant string `hidden:"" help:"Run as this contestant."`
	Answer     string `hidden:"" type:"existingfile" help:"An answer of Slipstick, for the contestant."`
	Processes  int    `hidden:"" help:"Number of processes of the contestant relay."`
}

const introduction = `Measures how fast Slipstick and its contestants respond on this machine.

Examples:

  scripts/bench --quick                          # the main sections
  scripts/bench --only=unique64 --base=main      # is my change faster than the branch main?
  scripts/bench --only=peers                     # how fast are GoRules and OPA here?
  scripts/bench --peers && scripts/bench --page  # all of docs/reference/benchmarks.md, in about 25 minutes

All contestants get the same requests with eight numbers, and send the same bytes, about 1.9 KB. They take turns: in each round, each of them is loaded for a second. Rates and costs are medians over the rounds. Ratios are medians of the ratios in each round, which cancels effects on a whole round. The contestants:

  socket     one response for everything, without HTTP: the least that a request costs on this machine
  relay      socket, with a message to one of as many processes as there are engines, which sends it back
  fixed      one response for everything: the cost of net/http
  json       encoding/json in one process: typical Go code
  tuned      hand-written decoding and encoding in one process
  unary      slipstick serve with a gRPC call for each calculation
  document   slipstick serve with a document in place of the engine in Go
  sheet      slipstick serve with a document that calls it 20 times
  gorules    GoRules zen-engine in a server of Fastify; its response has the four results only
  opa        the server of Open Policy Agent with a rule in Rego; the same
  base       slipstick serve of the revision --base
  slipstick  slipstick serve with default settings and all checks

The flagship is built from its release in plugins/released.lock. The beam of the other sections belongs to the bench.

How to read a table:

  req/s           responses per second
  to json         the same relative to json
  p50, p99        half and 99 % of the response times are at most this
  cpu us + below  CPU time of the server and of its engines for one request
  waits           how often a thread of the server and of its engines waited, for one request
  faults          page faults of the server and of its engines, for one request
  objects, kB     memory that the server allocated for one request

With one connection, a client of the bench measures each response time. p50 and p99 are percentiles of all requests in all rounds. With more connections, wrk loads the servers. Its percentiles are medians over the rounds. They include requests that wrk would have sent during a long response, so they are higher than what a client waits for.

The sections:

`

const conclusion = `
At the end it prints for each goal MET or MISSED. It writes the measurements to results.json, and keeps earlier measurements of other sections there. An interrupted run keeps its complete sections. The exit code is 1 if a section could not be measured. The first run, and the first after a change of Slipstick, publishes 200 engines and 200 documents. Do not use the machine for other work during a run. A response needs four wake-ups of processes in place of two, so Slipstick loses more on a busy machine than json.`

// description returns the text of --help.
func description() string {
	var b strings.Builder
	b.WriteString(introduction)
	for _, k := range kinds {
		var numbers []string
		for _, s := range sections() {
			if s.kind() == k.name {
				numbers = append(numbers, strings.TrimPrefix(s.name, k.name))
			}
		}
		fmt.Fprintf(&b, "  %-22s %s\n", k.name+strings.Join(numbers, ", "), k.about)
	}
	return b.String() + conclusion
}

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
		kong.Description(description()),
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

// sections returns the sections to measure.
func (c *cli) sections() ([]section, error) {
	if c.Rounds < 0 || c.Seconds < 1 {
		return nil, errors.New("--rounds and --seconds must be above zero")
	}
	return c.pick()
}

func (c *cli) run(ctx context.Context, picked []section, s streams) error {
	if c.Page {
		return writePage(c.Dir, ".")
	}
	switch c.Contestant {
	case "":
		return measure(ctx, c, picked, s)
	case contestant.Echoes:
		return contestant.Echo()
	}
	answer, err := os.ReadFile(c.Answer)
	if err != nil {
		return err
	}
	switch c.Contestant {
	case contestant.Socket:
		return contestant.ServeSocket(ctx, answer, s.err)
	case contestant.Relay:
		self, err := os.Executable()
		if err != nil {
			return err
		}
		// As an engine, which may have as many processors as the machine has.
		echoes := func() *exec.Cmd { return exec.CommandContext(ctx, self, "--contestant", contestant.Echoes) }
		return contestant.ServeRelay(ctx, answer, c.Processes, echoes, s.err)
	}
	handler, err := contestant.New(c.Contestant, answer)
	if err != nil {
		return err
	}
	return contestant.Serve(ctx, c.Contestant, handler, s.err)
}
