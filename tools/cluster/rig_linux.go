package main

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/slipstick/slipstick/host/tools/cluster/internal/load"
	"github.com/slipstick/slipstick/host/tools/cluster/internal/report"
	"github.com/slipstick/slipstick/host/tools/cluster/internal/site"
)

// scenario is an event at a site, with the effects that callers may notice.
type scenario struct {
	name string
	play func(ctx context.Context, r *rig) error
}

// rig is the site with the results of the scenarios.
type rig struct {
	cli  *cli
	site *site.Site
	errs io.Writer
	rows []report.Row
}

// workers is the number of concurrent clients.
const workers = 32

// patience is the timeout of a client. It is longer than the timeouts of the load balancers.
const patience = 75 * time.Second

// shorten replaces the flags with the values of the short form. Each step runs once, and lasts little longer than
// its detection by a load balancer.
func (r *rig) shorten() {
	if !r.cli.Short {
		return
	}
	r.cli.Calls, r.cli.Rate = 1, 600
	r.cli.Cut, r.cli.Freeze = 3*time.Second, 4*time.Second
	for _, h := range r.site.Servers {
		h.Flags = []string{"--drain-delay", "3s"}
	}
}

// prepare publishes two versions, starts the servers and waits until each has answered.
func (r *rig) prepare(ctx context.Context) error {
	for _, version := range []string{"1.0.0", "2.0.0"} {
		if err := r.site.Publish(ctx, version); err != nil {
			return err
		}
	}
	r.site.Truth.SetCurrent("2.0.0")
	if err := r.site.StartAll(ctx); err != nil {
		return err
	}
	r.site.Truth.Set("1.0.0", load.Served)
	r.site.Truth.Set("2.0.0", load.Served)
	return nil
}

// start starts a load on a load balancer.
func (r *rig) start(ctx context.Context, b *site.LoadBalancer) *load.Load {
	b.Reset()
	return load.Start(ctx, b.Addr, r.site.Truth, r.site.Crowd, load.Options{Workers: workers, Rate: r.cli.Rate, Patience: patience})
}

// addresses returns the addresses of the servers.
func (r *rig) addresses() (all []netip.AddrPort) {
	for _, h := range r.site.Servers {
		all = append(all, h.Addr)
	}
	return all
}

// row starts the row of a scenario. Mixed answers are a fault in every scenario.
func (r *rig) row(name, balancer string, t *load.Tally) *report.Row {
	row := &report.Row{Scenario: name, LoadBalancer: balancer, Calls: t.Total(), Failed: len(t.Failures), Mixed: t.Mixed()}
	if row.Mixed > 0 {
		row.Faults = append(row.Faults, fmt.Sprintf("%d mixed", row.Mixed))
	}
	return row
}

// add completes the row of a scenario.
func (r *rig) add(row *report.Row, t *load.Tally, b *site.LoadBalancer) {
	row.Figures = append(row.Figures, t.Kinds()...)
	r.rows = append(r.rows, *row)
	verdict := "ok"
	if !row.Passed() {
		verdict = fmt.Sprint("FAILED: ", row.Faults)
	}
	fmt.Fprintf(r.errs, "cluster: %s, %s: %d calls, %d failed, %v: %s\n", row.Scenario, row.LoadBalancer, row.Calls, row.Failed, row.Figures, verdict)
	if !r.cli.Verbose && row.Passed() {
		return
	}
	for i, f := range t.Failures {
		if i == 20 {
			break
		}
		fmt.Fprintf(r.errs, "  %s %s %s after %s: %s\n", f.From.Format("05.000"), f.Call, f.Kind, f.At.Sub(f.From).Round(time.Millisecond), f.Detail)
	}
	r.complain()
	if b != nil {
		fmt.Fprintf(r.errs, "  by server: failed %v, served %v\n%s\n", b.Failed(), b.Served(), b.Output())
	}
}

// none reports every failure as a fault.
func (r *rig) none(row *report.Row) {
	if row.Failed > 0 {
		row.Faults = append(row.Faults, fmt.Sprintf("%d failed", row.Failed))
	}
}

// pause waits for the duration or the end of the context.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// until polls every few milliseconds, and returns the time until yes returned true.
func until(ctx context.Context, what string, within time.Duration, yes func() bool) (time.Duration, error) {
	began := time.Now()
	for !yes() {
		if time.Since(began) > within {
			return 0, fmt.Errorf("%s: not within %s", what, within)
		}
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// complain prints the last output of the servers.
func (r *rig) complain() {
	for _, h := range r.site.Servers {
		if h.Process() == nil {
			continue
		}
		fmt.Fprintf(r.errs, "  output of %s: %s\n", h.Name(), h.Process().Output())
	}
}
