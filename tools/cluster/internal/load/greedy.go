package load

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Greed is the result of one client that called without a pause.
type Greed struct {
	Accepted []Sample
	Refused  int // expected responses with status 429
	Failures []Failure
}

// MostIn returns how many calls at least were accepted within one window.
func (g *Greed) MostIn(window time.Duration) int {
	most := 0
	for _, first := range g.Accepted {
		end, n := first.From.Add(window), 0
		for _, s := range g.Accepted {
			if !s.From.Before(first.From) && s.To.Before(end) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// Greedy runs one client with many connections, which calls until the context ends.
func Greedy(ctx context.Context, target netip.AddrPort, from netip.Addr, truth *Truth, connections int) Greed {
	l := &Load{target: target, truth: truth, patience: 10 * time.Second}
	l.book.t.Calls = map[Call]int{}
	var g Greed
	var mu sync.Mutex
	var done sync.WaitGroup
	for n := range connections {
		done.Go(func() {
			c := &client{load: l, addr: from, target: target}
			defer c.leave()
			for x := n*1_000_000 + 500_000_000; ctx.Err() == nil; x++ {
				sent := time.Now()
				version, err := c.calculate(context.Background(), "1.0.0", float64(x))
				mu.Lock()
				g.add(Sample{sent, time.Now(), version}, err)
				mu.Unlock()
				if err != nil {
					time.Sleep(20 * time.Millisecond) // a refused call takes little CPU time, and the machine is small
				}
			}
		})
	}
	done.Wait()
	return g
}

func (g *Greed) add(s Sample, err error) {
	f, failed := err.(*Failure)
	switch {
	case !failed:
		g.Accepted = append(g.Accepted, s)
	case f.Kind == Refused && f.Status == http.StatusTooManyRequests:
		g.Refused++
	default:
		g.Failures = append(g.Failures, *f)
	}
}
