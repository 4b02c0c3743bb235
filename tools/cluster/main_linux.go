// Command cluster shows the effects on callers while servers with a load balancer in front are restarted,
// upgraded, stopped, disconnected and killed. scripts/soak cluster builds its programs and runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/tools/cluster/internal/report"
	"github.com/slipstick/slipstick/host/tools/cluster/internal/site"
	"github.com/slipstick/slipstick/host/tools/cluster/internal/world"
)

// cli is the command line. Its tags are the texts of --help.
type cli struct {
	Short    bool          `help:"Run the short form, which takes less than a minute."`
	Only     []string      `help:"Run only these scenarios." placeholder:"SCENARIO"`
	Calls    int           `default:"100000" help:"How many calls a rolling restart, and a rolling upgrade, must complete."`
	Rate     int           `default:"1000" help:"Calls per second."`
	Cut      time.Duration `default:"60s" help:"How long Redis, and the registry, are disconnected."`
	Freeze   time.Duration `default:"20s" help:"How long a server is stopped, or disconnected from the load balancer."`
	Programs string        `default:"var/cluster" help:"Directory of slipstick, slipstick-next, slipstick-old and engine-N.0.0." placeholder:"DIR"`
	Deploy   string        `default:"host/deploy" help:"Directory of the published example settings." placeholder:"DIR"`
	Markdown string        `help:"Write the table to this file too." placeholder:"FILE"`
	Verbose  bool          `help:"Show the first failures and the logs of each scenario, not only of one that fails."`
}

const description = `Shows the effects on callers while servers with a load balancer in front are restarted, upgraded, stopped, disconnected and killed.

Three servers, HAProxy, nginx, Redis and an OCI registry run in network namespaces of this process and end with it. Virtual cables connect them, and the scenarios disconnect these cables. The load balancers run with the examples of host/deploy and send no call twice. Clients check every answer: the number, the version, the digest of the engine, each row of a batch, each snapshot.`

// Exit codes.
const (
	exitOK      = 0
	exitFailed  = 1
	exitMisuse  = 2
	exitSkipped = 4
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	var c cli
	helped := false
	parser, err := kong.New(&c, kong.Name("scripts/soak cluster"), kong.Description(description),
		kong.Writers(out, errs), kong.Exit(func(int) { helped = true }))
	if err == nil {
		_, err = parser.Parse(args)
	}
	if helped {
		return exitOK
	}
	var picked []scenario
	if err == nil {
		picked, err = c.pick()
	}
	if err != nil {
		fmt.Fprintf(errs, "cluster: %v\n", err)
		return exitMisuse
	}
	if !world.Inside() {
		code, err := world.Run(ctx)
		return c.outcome(code, err, errs)
	}
	code, err := c.play(ctx, picked, out, errs)
	return c.outcome(code, err, errs)
}

// outcome formats an error.
func (c *cli) outcome(code int, err error, errs io.Writer) int {
	if unavailable := new(world.UnavailableError); errors.As(err, &unavailable) {
		fmt.Fprintf(errs, "cluster: SKIPPED, nothing was tested: %v\n", err)
		return exitSkipped
	}
	if err != nil {
		fmt.Fprintln(errs, "cluster:", err)
		return exitFailed
	}
	return code
}

// pick returns the scenarios to run.
func (c *cli) pick() ([]scenario, error) {
	all := scenarios
	if c.Short {
		all = short
	}
	if len(c.Only) == 0 {
		return all, nil
	}
	var picked []scenario
	for _, name := range c.Only {
		i := slices.IndexFunc(all, func(s scenario) bool { return s.name == name })
		if i < 0 {
			var names []string
			for _, s := range all {
				names = append(names, s.name)
			}
			return nil, fmt.Errorf("--only %s: there are %s", name, strings.Join(names, ", "))
		}
		picked = append(picked, all[i])
	}
	return picked, nil
}

// play builds the site and runs the scenarios, one after the other.
func (c *cli) play(ctx context.Context, picked []scenario, out, errs io.Writer) (int, error) {
	var err error
	c.Programs, err = filepath.Abs(c.Programs)
	if err != nil {
		return 0, err
	}
	s, err := site.Build(ctx, site.Options{Programs: c.Programs, Deploy: c.Deploy})
	if err != nil {
		return 0, err
	}
	r := &rig{cli: c, site: s, errs: errs}
	r.shorten()
	if err := r.prepare(ctx); err != nil {
		r.complain()
		return 0, err
	}
	code := exitOK
	for _, sc := range picked {
		began := time.Now()
		if err := sc.play(ctx, r); err != nil {
			r.complain()
			return 0, fmt.Errorf("%s: %w", sc.name, err)
		}
		fmt.Fprintf(errs, "cluster: %s took %s\n", sc.name, time.Since(began).Round(100*time.Millisecond))
	}
	for _, row := range r.rows {
		if !row.Passed() {
			code = exitFailed
		}
	}
	if c.Markdown != "" {
		f, err := os.Create(c.Markdown)
		if err != nil {
			return 0, err
		}
		if err := errors.Join(report.Markdown(f, r.rows), f.Close()); err != nil {
			return 0, err
		}
	}
	return code, report.Text(out, r.rows)
}
