package develop_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstick/slipstick/host/internal/release/develop"
	"github.com/slipstick/slipstick/host/internal/release/publish"
)

// source writes the only file of a program.
func source(t *testing.T, dir, text string) {
	t.Helper()
	write(t, dir, "main.go", "package main\n\nfunc main() {"+text+"}\n")
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
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

// A save is one change, although programs write a file in several steps.
func TestRunOncePerSave(t *testing.T) {
	for name, steps := range map[string][]func(t *testing.T, dir string){
		"written in parts":     {func(t *testing.T, dir string) { source(t, dir, "") }, func(t *testing.T, dir string) { source(t, dir, "println()") }},
		"removed and created":  {func(t *testing.T, dir string) { remove(t, dir, "main.go") }, func(t *testing.T, dir string) { source(t, dir, "println()") }},
		"with a file of locks": {func(t *testing.T, dir string) { write(t, dir, ".#main.go", "") }, func(t *testing.T, dir string) { source(t, dir, "println()") }, func(t *testing.T, dir string) { remove(t, dir, ".#main.go") }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				source(t, dir, "println(1)")
				ctx, end := context.WithCancel(t.Context())
				published, done := 0, make(chan error)
				go func() {
					done <- develop.Run(ctx, develop.Config{
						Dir: dir, Every: time.Second,
						Publish: func(context.Context, string) (publish.Result, error) {
							published++
							return publish.Result{}, &publish.NotConformingError{}
						},
						Observe: func(publish.Result, error) {},
					})
				}()
				time.Sleep(10500 * time.Millisecond)
				for _, step := range steps {
					step(t, dir)
					time.Sleep(time.Second)
				}
				time.Sleep(10 * time.Second)
				end()
				if err := <-done; err != nil || published != 2 {
					t.Errorf("%d checks of 2 sources, %v", published, err)
				}
			})
		})
	}
}

// A directory that is gone ends the loop.
func TestRunOnLostProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		source(t, dir, "")
		done := make(chan error)
		go func() {
			done <- develop.Run(t.Context(), develop.Config{
				Dir: dir, Every: time.Second,
				Publish: func(context.Context, string) (publish.Result, error) {
					return publish.Result{}, &publish.NotConformingError{}
				},
				Observe: func(publish.Result, error) {},
			})
		}()
		time.Sleep(10500 * time.Millisecond)
		remove(t, dir, "main.go")
		if _, lost := errors.AsType[*develop.DirError](<-done); !lost {
			t.Error("it ended without the error")
		}
	})
}

func TestRunOnNoProgram(t *testing.T) {
	var unwatched *develop.DirError
	if err := develop.Run(t.Context(), develop.Config{Dir: t.TempDir()}); !errors.As(err, &unwatched) {
		t.Errorf("an empty directory: %v", err)
	}
}
