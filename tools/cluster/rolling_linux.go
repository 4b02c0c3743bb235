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

// inUse limits the time until a load balancer uses a restarted server again.
const inUse = 20 * time.Second

// used waits until the load balancer sends calls to the server again.
func used(ctx context.Context, b *site.LoadBalancer, h *site.Server) (time.Duration, error) {
	before := b.Served()[b.Of(h)]
	return until(ctx, h.Name()+" used by the load balancer", inUse, func() bool { return b.Served()[b.Of(h)] > before })
}

// around has the steps on a load balancer before and after a server restarts.
type around struct {
	before, after func(ctx context.Context, h *site.Server) error
}

// roll restarts every server, one after the other.
func (r *rig) roll(ctx context.Context, b *site.LoadBalancer, program string, a around) (took time.Duration, err error) {
	began := time.Now()
	for _, h := range r.site.Servers {
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

// rolling restarts all servers repeatedly, with these programs in turn, until the load has made enough calls.
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
	row.Figures = append(row.Figures, fmt.Sprintf("%d servers restarted, all three in %s", rounds*site.Servers, longest.Round(100*time.Millisecond)), "slowest answer "+t.Slowest.Round(time.Millisecond).String())
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

// upgradeOlder switches to an older revision and back, if there is one.
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

// restartNginx restarts the servers with nginx in front, configured as in the example.
func restartNginx(ctx context.Context, r *rig) error {
	b := r.site.Nginx
	if err := b.Start(ctx); err != nil {
		return err
	}
	defer b.Stop()
	return r.rolling(ctx, "rolling restart", "nginx", b, around{}, "")
}

// otherNginx restarts the servers with nginx in front, in the ways that the example does not recommend. It is for
// comparison: failures here are not faults of Slipstick.
func otherNginx(ctx context.Context, r *rig) error {
	b := r.site.Nginx
	for _, way := range []struct {
		name  string
		edits []site.Edit
		around
	}{
		{"nginx with proxy_next_upstream off, to compare", []site.Edit{{From: "proxy_next_upstream error;", To: "proxy_next_upstream off;"}}, around{}},
		{"nginx, reloaded around each restart, to compare", nil, around{before: withoutServer(b), after: withServer(b)}},
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

// settled is how long the test waits until nginx's calls to a server are answered.
const settled = time.Second

// withoutServer removes a server from nginx by its settings.
func withoutServer(b *site.LoadBalancer) func(context.Context, *site.Server) error {
	return func(ctx context.Context, h *site.Server) error {
		server := "server " + h.Addr.String()
		if err := b.Reload(site.Edit{From: server + " ", To: server + " down "}); err != nil {
			return err
		}
		return pause(ctx, settled)
	}
}

// withServer adds the server again.
func withServer(b *site.LoadBalancer) func(context.Context, *site.Server) error {
	return func(context.Context, *site.Server) error { return b.Reload() }
}

// throughput loads one, two and three servers to their limit.
func throughput(ctx context.Context, r *rig) error {
	b := r.site.HAProxy
	if err := b.Start(ctx); err != nil {
		return err
	}
	defer b.Stop()
	for n := site.Servers; n > 0; n-- {
		if n < site.Servers {
			if err := r.site.Servers[n].Stop(); err != nil {
				return err
			}
		}
		l := load.Start(ctx, b.Addr, r.site.Truth, r.site.Crowd, load.Options{Workers: 64, Patience: patience})
		if err := pause(ctx, 10*time.Second); err != nil {
			return err
		}
		t := l.Stop()
		row := r.row(fmt.Sprintf("as many calls as %d of the servers take", n), "HAProxy", &t)
		r.none(row)
		row.Figures = append(row.Figures, fmt.Sprintf("%.0f calls a second", float64(t.Total())/t.Took.Seconds()))
		r.add(row, &t, b)
	}
	for _, h := range r.site.Servers[1:] {
		if err := h.Start(ctx); err != nil {
			return err
		}
	}
	return nil
}
