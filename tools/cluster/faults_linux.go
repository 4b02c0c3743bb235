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

// fault is something that happens to one host.
type fault struct {
	name       string
	strike     func(ctx context.Context, h *site.Host) error
	repair     func(ctx context.Context, h *site.Host) error
	lasts      func(c *cli) time.Duration
	detectedIn time.Duration // within which the balancer must know
	breaksIn   time.Duration // within which connections that were used before look broken
}

// faults of one host. HAProxy asks every second, and waits a second for an answer; a host is
// out after two.
var (
	stopped = fault{
		name:       "one host frozen",
		strike:     func(_ context.Context, h *site.Host) error { return h.Process().Signal(syscall.SIGSTOP) },
		repair:     func(_ context.Context, h *site.Host) error { return h.Process().Signal(syscall.SIGCONT) },
		lasts:      func(c *cli) time.Duration { return c.Freeze },
		detectedIn: 5 * time.Second,
		breaksIn:   5 * time.Second, // when the balancer gives the host up
	}
	cutOff = fault{
		name:       "one host cut off from the balancer",
		strike:     func(_ context.Context, h *site.Host) error { return h.Front.Cut() },
		repair:     func(_ context.Context, h *site.Host) error { return h.Front.Mend() },
		lasts:      func(c *cli) time.Duration { return c.Freeze },
		detectedIn: 5 * time.Second,
		breaksIn:   5 * time.Second, // when the balancer gives the host up
	}
	killed = fault{
		name:       "one host killed",
		strike:     func(_ context.Context, h *site.Host) error { h.Process().Kill(); return nil },
		repair:     func(ctx context.Context, h *site.Host) error { return h.Start(ctx) },
		lasts:      func(c *cli) time.Duration { return c.Freeze / 4 },
		detectedIn: 3 * time.Second,
		breaksIn:   100 * time.Millisecond, // the system closes them at once
	}
)

// strike has a fault happen to the second host. Calls that the balancer has given to that host
// before it knew may fail, and no others.
func strike(f fault) func(ctx context.Context, r *rig) error {
	return func(ctx context.Context, r *rig) error {
		b, h := r.site.HAProxy, r.site.Hosts[1]
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
		struck := time.Now() // to pull a cable takes a while
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

// onlyAt makes every failure a fault that the balancer did not have at this host. HAProxy
// does not log a call that breaks on a connection that was used before; it closes the
// client's. Such a call must have been sent before the connections to the host looked broken.
func onlyAt(row *report.Row, t *load.Tally, broken time.Time, b *site.LoadBalancer, h *site.Host) {
	there, closed := b.Failed()[b.Of(h)], t.Closed()
	if elsewhere := row.Failed - there - closed; elsewhere > 0 {
		row.Faults = append(row.Faults, fmt.Sprintf("%d calls failed elsewhere than at %s", elsewhere, h.Name()))
	}
	if later := t.ClosedAfter(broken); later > 0 {
		row.Faults = append(row.Faults, fmt.Sprintf("%d connections closed that looked broken before they were used", later))
	}
	row.Figures = append(row.Figures, fmt.Sprintf("%d broke on connections used before, %d more were given to it before HAProxy knew", closed, row.Failed-closed))
}

// withoutRegistry cuts the registry off.
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
	recovery, err := r.allReady(ctx, "all hosts read the registry", func(x site.Readiness) bool { return x.Status == "ready" })
	if err != nil {
		return err
	}
	t := l.Stop()
	row := r.row(fmt.Sprintf("registry cut off for %s", r.cli.Cut), "HAProxy", &t)
	r.none(row)
	row.Figures = append(row.Figures, "all hosts read it "+recovery.Round(100*time.Millisecond).String()+" after it was back")
	r.add(row, &t, b)
	return nil
}

// withoutRedis cuts Redis off.
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
	if _, err := r.allReady(ctx, "all hosts say that they count alone", func(x site.Readiness) bool { return x.Limits == "per process" }); err != nil {
		return err
	}
	if err := r.site.Redis.Cable.Mend(); err != nil {
		return err
	}
	recovery, err := until(ctx, "all hosts use Redis", 30*time.Second, func() bool {
		up, err := r.sum("slipstick_redis_up")
		return err == nil && up == site.Hosts
	})
	if err != nil {
		return err
	}
	t := l.Stop()
	r.site.Truth.SetStoreRemoved(false)
	row := r.row(fmt.Sprintf("Redis cut off for %s", r.cli.Cut), "HAProxy", &t)
	r.none(row)
	row.Figures = append(row.Figures, "all hosts use it "+recovery.Round(100*time.Millisecond).String()+" after it was back",
		fmt.Sprintf("%d short snapshots could not be read meanwhile (503)", t.Unstored), "slowest answer "+t.Slowest.Round(time.Millisecond).String())
	r.add(row, &t, b)
	return nil
}

// allReady waits until every host says so of itself.
func (r *rig) allReady(ctx context.Context, what string, so func(site.Readiness) bool) (time.Duration, error) {
	var last string
	took, err := until(ctx, what, 30*time.Second, func() bool {
		for _, h := range r.site.Hosts {
			x, err := h.Ready()
			last = x.Text
			if err != nil || x.Code != http.StatusOK || !so(x) {
				return false
			}
		}
		return true
	})
	if err != nil {
		err = fmt.Errorf("%w; the last said %s", err, last)
	}
	return took, err
}
