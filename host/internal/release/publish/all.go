package publish

import (
	"context"
	"iter"
	"runtime"
	"sync"

	"github.com/slipstick/slipstick/host/internal/release/document"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/text"
)

// Outcome is the outcome of one of several publications.
type Outcome struct {
	Result
	Err error // as returned by Run
}

// All publishes tables, and then engines, as many at once as there are processors. A document comes after the documents
// that it calls, and after other versions of it in earlier paths. So the same paths give the same registry. All yields the path and the outcome of each, in the order of the paths. All processes of engines end
// before the loop over it ends.
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
			for _, stage := range stages(paths) {
				var done sync.WaitGroup
				for _, i := range stage {
					busy <- struct{}{}
					done.Go(func() {
						defer func() { <-busy }()
						result, err := Run(ctx, to, paths[i], o)
						all[i] <- Outcome{result, err}
					})
				}
				done.Wait()
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

// stages returns the indexes of the paths in the order of their publication. Tables come first. A document comes after the
// documents that it calls, and after its versions in earlier paths.
func stages(paths []string) [][]int {
	documents, calls := map[string]int{}, make([][]string, len(paths))
	before := map[int]int{} // index of the path of the version before
	for i, path := range paths {
		if !document.Is(path) {
			continue
		}
		t, err := text.Read(path)
		if err != nil {
			continue // Run reports it
		}
		d, err := text.Parse(path, t.Document)
		if err != nil {
			continue
		}
		if earlier, isHere := documents[d.ID.Text]; isHere {
			before[i] = earlier
		}
		documents[d.ID.Text] = i
		for _, u := range d.Uses {
			if u.Calculation {
				calls[i] = append(calls[i], u.ID.Text)
			}
		}
	}
	var stage func(i, most int) int
	stage = func(i, most int) int {
		n := 1
		if earlier, isHere := before[i]; isHere {
			n = stage(earlier, most) + 1
		}
		for _, id := range calls[i] {
			if called, isHere := documents[id]; isHere && most > 0 {
				n = max(n, stage(called, most-1)+1)
			}
		}
		return n
	}
	var list [][]int
	for i, path := range paths {
		n := 0
		if !IsTable(path) {
			n = stage(i, sdk.MaxNest)
		}
		for len(list) <= n {
			list = append(list, nil)
		}
		list[n] = append(list[n], i)
	}
	return list
}
