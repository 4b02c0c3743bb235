package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/slipstick/slipstick/host/tools/cluster/internal/load"
	"github.com/slipstick/slipstick/host/tools/cluster/internal/report"
	"github.com/slipstick/slipstick/host/tools/cluster/internal/site"
)

// inUse is how long a balancer may take to use a host again.
const inUse = 20 * time.Second

// used waits until the balancer has calls answered by the host again.
func used(ctx context.Context, b *site.LoadBalancer, h *site.Host) (time.Duration, error) {
	before := b.Served()[b.Of(h)]
	return until(ctx, h.Name()+" used by the balancer", inUse, func() bool { return b.Served()[b.Of(h)] > before })
}

// around is what is done to a balancer before and after a host is restarted.
type around struct {
	before, after func(ctx context.Context, h *site.Host) error
}

// roll restarts every host, one after the other.
func (r *rig) roll(ctx context.Context, b *site.LoadBalancer, program string, a around) (took time.Duration, err error) {
	began := time.Now()
	for _, h := range r.site.Hosts {
		if a.before != nil {
			if err := a.before(ctx, h); err != nil {
				return 0, err
			}
		}
		if err := h.Stop(); err != nil {
			return 0, err
		}
		if program != "" {
			h.Program = filepath.Join(r.cli.Programs, program)
		}
		if err := h.Start(ctx); err != nil {
			return 0, err
		}
		if a.after != nil {
			if err := a.after(ctx, h); err != nil {
				return 0, err
			}
		}
		if _, err := used(ctx, b, h); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// rolling restarts all hosts again and again, with these programs in turn, until there were
// enough calls.
func (r *rig) rolling(ctx context.Context, name, balancer string, b *site.LoadBalancer, a around, programs ...string) error {
	row, t, err := r.rolled(ctx, name, balancer, b, a, programs...)
	if err != nil {
		return err
	}
	r.none(row)
	r.add(row, t, b)
	return nil
}

// rolled is rolling without a verdict.
func (r *rig) rolled(ctx context.Context, name, balancer string, b *site.LoadBalancer, a around, programs ...string) (*report.Row, *load.Tally, error) {
	l := r.start(ctx, b)
	rounds, longest := 0, time.Duration(0)
	for rounds < len(programs) || l.Sent() < r.cli.Calls {
		took, err := r.roll(ctx, b, programs[rounds%len(programs)], a)
		if err != nil {
			t := l.Stop()
			fmt.Fprintln(r.errs, "cluster: so far:", t.Total(), t.Kinds())
			return nil, nil, err
		}
		rounds, longest = rounds+1, max(longest, took)
	}
	t := l.Stop()
	row := r.row(name, balancer, &t)
	row.Figures = append(row.Figures, fmt.Sprintf("%d hosts restarted, all three in %s", rounds*site.Hosts, longest.Round(100*time.Millisecond)), "slowest answer "+t.Slowest.Round(time.Millisecond).String())
	return row, &t, nil
}

func restartHAProxy(ctx context.Context, r *rig) error {
	b := r.site.HAProxy
	if err := b.Start(ctx); err != nil {
		return err
	}
	defer b.Stop()
	return r.rolling(ctx, "rolling restart", "HAProxy", b, around{}, "")
}

func upgradeHAProxy(ctx context.Context, r *rig) error {
	b := r.site.HAProxy
	if err := b.Start(ctx); err != nil {
		return err
	}
	defer b.Stop()
	return r.rolling(ctx, "rolling upgrade, to another build and back", "HAProxy", b, around{}, "slipstick-next", "slipstick")
}

// upgradeOlder goes back to an older revision, and forth, if there is one.
func upgradeOlder(ctx context.Context, r *rig) error {
	if _, err := os.Stat(filepath.Join(r.cli.Programs, "slipstick-old")); err != nil {
		fmt.Fprintln(r.errs, "cluster: SKIPPED, no older revision was built:", err)
		return nil
	}
	b := r.site.HAProxy
	if err := b.Start(ctx); err != nil {
		return err
	}
	defer b.Stop()
	return r.rolling(ctx, "rolling upgrade, to an older revision and back", "HAProxy", b, around{}, "slipstick-old", "slipstick")
}

// restartNginx restarts the hosts behind nginx as the example has it.
func restartNginx(ctx context.Context, r *rig) error {
	b := r.site.Nginx
	if err := b.Start(ctx); err != nil {
		return err
	}
	defer b.Stop()
	return r.rolling(ctx, "rolling restart", "nginx", b, around{}, "")
}

// otherNginx restarts the hosts behind nginx in the ways that the example does not recommend,
// to compare: what fails there is no fault of ours.
func otherNginx(ctx context.Context, r *rig) error {
	b := r.site.Nginx
	for _, way := range []struct {
		name  string
		edits []site.Edit
		around
	}{
		{"nginx with proxy_next_upstream off, to compare", []site.Edit{{From: "proxy_next_upstream error;", To: "proxy_next_upstream off;"}}, around{}},
		{"nginx, reloaded around each restart, to compare", nil, around{before: withoutHost(b), after: withHost(b)}},
	} {
		if err := b.Start(ctx, way.edits...); err != nil {
			return err
		}
		row, t, err := r.rolled(ctx, "rolling restart", way.name, b, way.around, "")
		b.Stop()
		if err != nil {
			return err
		}
		r.add(row, t, b)
	}
	return nil
}

// settled is how long nginx gets until calls that it has given to a host are answered.
const settled = time.Second

// withoutHost takes a host out of nginx by its settings.
func withoutHost(b *site.LoadBalancer) func(context.Context, *site.Host) error {
	return func(ctx context.Context, h *site.Host) error {
		server := "server " + h.Addr.String()
		if err := b.Reload(site.Edit{From: server + " ", To: server + " down "}); err != nil {
			return err
		}
		return pause(ctx, settled)
	}
}

// withHost puts it back.
func withHost(b *site.LoadBalancer) func(context.Context, *site.Host) error {
	return func(context.Context, *site.Host) error { return b.Reload() }
}

// throughput loads one, two and three hosts as much as they take.
func throughput(ctx context.Context, r *rig) error {
	b := r.site.HAProxy
	if err := b.Start(ctx); err != nil {
		return err
	}
	defer b.Stop()
	for n := site.Hosts; n > 0; n-- {
		if n < site.Hosts {
			if err := r.site.Hosts[n].Stop(); err != nil {
				return err
			}
		}
		l := load.Start(ctx, b.Addr, r.site.Truth, r.site.Crowd, load.Options{Workers: 64, Patience: patience})
		if err := pause(ctx, 10*time.Second); err != nil {
			return err
		}
		t := l.Stop()
		row := r.row(fmt.Sprintf("as many calls as %d of the hosts take", n), "HAProxy", &t)
		r.none(row)
		row.Figures = append(row.Figures, fmt.Sprintf("%.0f calls a second", float64(t.Total())/t.Took.Seconds()))
		r.add(row, &t, b)
	}
	for _, h := range r.site.Hosts[1:] {
		if err := h.Start(ctx); err != nil {
			return err
		}
	}
	return nil
}
