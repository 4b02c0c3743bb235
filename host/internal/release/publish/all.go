package publish

import (
	"context"
	"iter"
	"runtime"
)

// Outcome is the outcome of one of several publications.
type Outcome struct {
	Result
	Err error // as returned by Run
}

// All publishes engines, as many at once as there are processors. It yields the path and the outcome of
// each, in order. All processes of engines end before the loop over it ends.
func All(ctx context.Context, to *Target, paths []string, o *Options) iter.Seq2[string, Outcome] {
	return func(yield func(string, Outcome) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		all := make([]chan Outcome, len(paths))
		for i := range all {
			all[i] = make(chan Outcome, 1)
		}
		busy := make(chan struct{}, runtime.NumCPU())
		go func() {
			for i, path := range paths {
				busy <- struct{}{}
				go func() {
					defer func() { <-busy }()
					result, err := Run(ctx, to, path, o)
					all[i] <- Outcome{result, err}
				}()
			}
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
