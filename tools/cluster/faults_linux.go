package main

import (
	"context"
	"fmt"
	"net/http"
	"syscall"
	"time"

	"github.com/slipstick/slipstick/host/tools/cluster/internal/load"
	"github.com/slipstick/slipstick/host/tools/cluster/internal/report"
	"github.com/slipstick/slipstick/host/tools/cluster/internal/site"
)

// fault is an event at one server.
type fault struct {
	name       string
	strike     func(ctx context.Context, h *site.Server) error
	repair     func(ctx context.Context, h *site.Server) error
	lasts      func(c *cli) time.Duration
	detectedIn time.Duration // the load balancer must detect the fault within this time
	breaksIn   time.Duration // connections that were used before must look broken within this time
}

// Faults of one server. HAProxy checks every second, with a timeout of one second. It removes a server after two
// failed checks.
var (
	stopped = fault{
		name:       "one server suspended",
		strike:     func(_ context.Context, h *site.Server) error { return h.Process().Signal(syscall.SIGSTOP) },
		repair:     func(_ context.Context, h *site.Server) error { return h.Process().Signal(syscall.SIGCONT) },
		lasts:      func(c *cli) time.Duration { return c.Freeze },
		detectedIn: 5 * time.Second,
		breaksIn:   5 * time.Second, // when the load balancer removes the server
	}
	cutOff = fault{
		name:       "one server cut off from the load balancer",
		strike:     func(_ context.Context, h *site.Server) error { return h.Front.Cut() },
		repair:     func(_ context.Context, h *site.Server) error { return h.Front.Mend() },
		lasts:      func(c *cli) time.Duration { return c.Freeze },
		detectedIn: 5 * time.Second,
		breaksIn:   5 * time.Second, // when the load balancer removes the server
	}
	killed = fault{
		name:       "one server killed",
		strike:     func(_ context.Context, h *site.Server) error { h.Process().Kill(); return nil },
		repair:     func(ctx context.Context, h *site.Server) error { return h.Start(ctx) },
		lasts:      func(c *cli) time.Duration { return c.Freeze / 4 },
		detectedIn: 3 * time.Second,
		breaksIn:   100 * time.Millisecond, // the system closes them at once
	}
)

// strike causes a fault at the second server. Only calls that the load balancer sent to this server before it
// detected the fault may fail.
func strike(f fault) func(ctx context.Context, r *rig) error {
	return func(ctx context.Context, r *rig) error {
		b, h := r.site.HAProxy, r.site.Servers[1]
		if err := b.Start(ctx); err != nil {
			return err
		}
		defer b.Stop()
		l := r.start(ctx, b)
		if err := pause(ctx, 2*time.Second); err != nil {
			return err
		}
		began := time.Now()
		if err := f.strike(ctx, h); err != nil {
			return err
		}
		struck := time.Now() // disconnecting a cable takes some time
		if err := pause(ctx, f.lasts(r.cli)); err != nil {
			return err
		}
		if err := f.repair(ctx, h); err != nil {
			return err
		}
		recovery, err := used(ctx, b, h)
		if err == nil {
			err = pause(ctx, 2*time.Second)
		}
		if err != nil {
			return err
		}
		t := l.Stop()
		row := r.row(f.name, "HAProxy", &t)
		row.Figures = append(row.Figures, "used again "+recovery.Round(100*time.Millisecond).String()+" after it could be", "slowest answer "+t.Slowest.Round(100*time.Millisecond).String())
		if last := t.LastFailed(); !last.IsZero() {
			row.Figures = append(row.Figures, fmt.Sprintf("the last failed call was sent %s after the fault", last.Sub(began).Round(10*time.Millisecond)))
		}
		if n := t.SentAfter(began.Add(f.detectedIn)); n > 0 {
			row.Faults = append(row.Faults, fmt.Sprintf("%d calls failed that were sent more than %s after the fault", n, f.detectedIn))
		}
		onlyAt(row, &t, struck.Add(f.breaksIn), b, h)
		r.add(row, &t, b)
		return nil
	}
}

// onlyAt reports every failure as a fault, except for the failures at this server in the load balancer's log.
// HAProxy closes the client's connection if a reused connection to the server breaks, and does not log this call.
// Such a call must have been sent before the connections to the server looked broken.
func onlyAt(row *report.Row, t *load.Tally, broken time.Time, b *site.LoadBalancer, h *site.Server) {
	there, closed := b.Failed()[b.Of(h)], t.Closed()
	if elsewhere := row.Failed - there - closed; elsewhere > 0 {
		row.Faults = append(row.Faults, fmt.Sprintf("%d calls failed elsewhere than at %s", elsewhere, h.Name()))
	}
	if later := t.ClosedAfter(broken); later > 0 {
		row.Faults = append(row.Faults, fmt.Sprintf("%d connections closed that looked broken before they were used", later))
	}
	row.Figures = append(row.Figures, fmt.Sprintf("%d broke on connections used before, %d more were given to it before HAProxy knew", closed, row.Failed-closed))
}

// withoutRegistry disconnects the registry.
func withoutRegistry(ctx context.Context, r *rig) error {
	b := r.site.HAProxy
	if err := b.Start(ctx); err != nil {
		return err
	}
	defer b.Stop()
	l := r.start(ctx, b)
	if err := r.site.Registry.Cable.Cut(); err != nil {
		return err
	}
	if err := pause(ctx, r.cli.Cut); err != nil {
		return err
	}
	if err := r.site.Registry.Cable.Mend(); err != nil {
		return err
	}
	recovery, err := r.allReady(ctx, "all servers read the registry", func(x site.Readiness) bool { return x.Status == "ready" })
	if err != nil {
		return err
	}
	t := l.Stop()
	row := r.row(fmt.Sprintf("registry cut off for %s", r.cli.Cut), "HAProxy", &t)
	r.none(row)
	row.Figures = append(row.Figures, "all servers read it "+recovery.Round(100*time.Millisecond).String()+" after it was back")
	r.add(row, &t, b)
	return nil
}

// withoutRedis disconnects Redis.
func withoutRedis(ctx context.Context, r *rig) error {
	b := r.site.HAProxy
	if err := b.Start(ctx); err != nil {
		return err
	}
	defer b.Stop()
	l := r.start(ctx, b)
	r.site.Truth.SetStoreRemoved(true)
	if err := r.site.Redis.Cable.Cut(); err != nil {
		return err
	}
	if err := pause(ctx, r.cli.Cut); err != nil {
		return err
	}
	if _, err := r.allReady(ctx, "all servers report limits per process", func(x site.Readiness) bool { return x.Limits == "per process" }); err != nil {
		return err
	}
	if err := r.site.Redis.Cable.Mend(); err != nil {
		return err
	}
	recovery, err := until(ctx, "all servers use Redis", 30*time.Second, func() bool {
		up, err := r.sum("slipstick_redis_up")
		return err == nil && up == site.Servers
	})
	if err != nil {
		return err
	}
	t := l.Stop()
	r.site.Truth.SetStoreRemoved(false)
	row := r.row(fmt.Sprintf("Redis cut off for %s", r.cli.Cut), "HAProxy", &t)
	r.none(row)
	row.Figures = append(row.Figures, "all servers use it "+recovery.Round(100*time.Millisecond).String()+" after it was back",
		fmt.Sprintf("%d short snapshots could not be read in the meantime (503)", t.Unstored), "slowest answer "+t.Slowest.Round(time.Millisecond).String())
	r.add(row, &t, b)
	return nil
}

// allReady waits until every server reports the expected readiness.
func (r *rig) allReady(ctx context.Context, what string, so func(site.Readiness) bool) (time.Duration, error) {
	var last string
	took, err := until(ctx, what, 30*time.Second, func() bool {
		for _, h := range r.site.Servers {
			x, err := h.Ready()
			last = x.Text
			if err != nil || x.Code != http.StatusOK || !so(x) {
				return false
			}
		}
		return true
	})
	if err != nil {
		err = fmt.Errorf("%w; the last report was %s", err, last)
	}
	return took, err
}
