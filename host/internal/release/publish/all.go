package publish

import (
	"context"
	"iter"
	"runtime"
	"sync"
)

// Outcome is the outcome of one of several publications.
type Outcome struct {
	Result
	Err error // as returned by Run
}

// All publishes tables, and then engines, as many at once as there are processors. It yields the path and the outcome
// of each, in the order of the paths. All processes of engines end before the loop over it ends.
func All(ctx context.Context, to *Target, paths []string, o *Options) iter.Seq2[string, Outcome] {
	return func(yield func(string, Outcome) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		all := make([]chan Outcome, len(paths))
		for i := range all {
			all[i] = make(chan Outcome, 1)
		}
		busy := make(chan struct{}, runtime.NumCPU())
		start := func(isTable bool) {
			var done sync.WaitGroup
			for i, path := range paths {
				if IsTable(path) != isTable {
					continue
				}
				busy <- struct{}{}
				done.Go(func() {
					defer func() { <-busy }()
					result, err := Run(ctx, to, path, o)
					all[i] <- Outcome{result, err}
				})
			}
			done.Wait()
		}
		go func() {
			start(true) // documents use tables
			start(false)
		}()
		for i, path := range paths {
			if !yield(path, <-all[i]) {
				cancel()
				for _, rest := range all[i+1:] {
					<-rest
				}
				return
			}
		}
	}
}
