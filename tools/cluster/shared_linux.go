package main

import (
	"context"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/tools/cluster/internal/load"
)

// snapshots creates snapshots through the load balancer, and reads each through it and at every server.
func snapshots(ctx context.Context, r *rig) error {
	b := r.site.HAProxy
	if err := b.Start(ctx); err != nil {
		return err
	}
	defer b.Stop()
	l := load.Start(ctx, b.Addr, r.site.Truth, r.site.Crowd, load.Options{Workers: 8, Rate: 400, Patience: patience, Others: r.addresses()})
	lasts := 10 * time.Second
	if r.cli.Short {
		lasts = 3 * time.Second
	}
	if err := pause(ctx, lasts); err != nil {
		return err
	}
	t := l.Stop()
	row := r.row("snapshots made anywhere, read everywhere", "HAProxy", &t)
	r.none(row)
	row.Figures = append(row.Figures, fmt.Sprintf("%d made, %d read", t.Calls[load.Snapshot], t.Calls[load.Read]))
	if t.Calls[load.Read] == 0 {
		row.Faults = append(row.Faults, "none was read")
	}
	r.add(row, &t, b)
	return nil
}

// The default limit of calculations: the calls of one client in a window.
const (
	limit  = 60
	window = 60 * time.Second
	greedy = 12 // connections of the greedy client
)

// limits runs one client that calls without a pause, while others keep within the limits.
func limits(ctx context.Context, r *rig) error {
	b := r.site.HAProxy
	if err := b.Start(ctx); err != nil {
		return err
	}
	defer b.Stop()
	l := load.Start(ctx, b.Addr, r.site.Truth, r.site.Crowd, load.Options{Workers: 8, Rate: 300, Patience: patience})
	lasts, stop := context.WithTimeout(ctx, r.greedFor())
	defer stop()
	before, err := r.sum("slipstick_limit_fallbacks_total")
	if err != nil {
		return err
	}
	g := load.Greedy(lasts, b.Addr, r.site.Crowd.Take(), r.site.Truth, greedy)
	t := l.Stop()
	after, err := r.sum("slipstick_limit_fallbacks_total")
	if err != nil {
		return err
	}
	row := r.row("one client without a pause", "HAProxy", &t)
	r.none(row)
	most, alone := g.MostIn(window), after-before
	row.Figures = append(row.Figures, fmt.Sprintf("%d accepted in a window of 60 s, %d allowed", most, limit), fmt.Sprintf("%d refused (429)", g.Refused), fmt.Sprintf("%.0f calls judged without Redis", alone))
	if most != limit {
		row.Faults = append(row.Faults, fmt.Sprintf("%d accepted in a window, not %d", most, limit))
	}
	if len(g.Failures) > 0 {
		row.Faults = append(row.Faults, fmt.Sprintf("%d calls of it failed otherwise: %s", len(g.Failures), g.Failures[0].Detail))
	}
	r.add(row, &t, b)
	return nil
}

// greedFor returns how long the greedy client calls. Except in the short form, it is longer than a window.
func (r *rig) greedFor() time.Duration {
	if r.cli.Short {
		return 3 * time.Second
	}
	return window + 10*time.Second
}

// sum returns the sum of a metric over all servers.
func (r *rig) sum(figure string) (sum float64, err error) {
	for _, h := range r.site.Servers {
		n, err := h.Metric(figure)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}
