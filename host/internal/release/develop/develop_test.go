package develop_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/release/develop"
	"github.com/slipstick/slipstick/host/internal/release/publish"
)

// source writes the only file of a program.
func source(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {"+text+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The server of the last good engine runs until a server of the next good engine replaces it.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	source(t, dir, "")
	var (
		refusals = make(chan error, 1) // results of Publish
		serving  = make(chan string, 1)
		ended    = make(chan string, 1)
		observed = make(chan error)
		done     = make(chan error)
		ctx, end = context.WithCancel(t.Context())
	)
	refusals <- nil
	go func() {
		done <- develop.Run(ctx, develop.Config{
			Dir: dir, Every: time.Millisecond,
			Publish: func(context.Context, string) (publish.Result, error) { return publish.Result{}, <-refusals },
			Serve: func(ctx context.Context, registry, data string) {
				serving <- filepath.Base(registry)
				<-ctx.Done()
				ended <- filepath.Base(registry)
			},
			Observe: func(_ publish.Result, err error) { observed <- err },
		})
	}()
	if err := <-observed; err != nil {
		t.Fatal(err)
	}
	if registry := <-serving; registry != "registry-1" {
		t.Errorf("%s is served first", registry)
	}

	refusal := &publish.NotConformingError{}
	refusals <- refusal
	source(t, dir, "println()")
	if err := <-observed; err != refusal {
		t.Errorf("an engine that does not conform: %v", err)
	}
	select {
	case <-ended:
		t.Error("the server of the last good engine has ended")
	default:
	}

	refusals <- nil
	source(t, dir, "println(1, 2)")
	if err := <-observed; err != nil {
		t.Error(err)
	}
	if old, registry := <-ended, <-serving; old != "registry-1" || registry != "registry-3" {
		t.Errorf("%s is served in the place of %s", registry, old)
	}
	end()
	if err := <-done; err != nil || <-ended != "registry-3" {
		t.Errorf("it ended with %v", err)
	}
}

func TestRunOnNoProgram(t *testing.T) {
	var unwatched *develop.DirError
	if err := develop.Run(t.Context(), develop.Config{Dir: t.TempDir()}); !errors.As(err, &unwatched) {
		t.Errorf("an empty directory: %v", err)
	}
}
