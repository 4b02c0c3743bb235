package process_test

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/sdk"
)

func knownSpec() *sdk.Spec {
	spec := testEngine().Spec()
	return &spec
}

// A known engine is asked before gRPC is connected, and health checks and calls that need gRPC
// wait for it.
func TestKnown(t *testing.T) {
	for _, unary := range []bool{false, true} {
		p, err := launch(t, "engine", process.Options{Known: knownSpec(), Unary: unary})
		if err != nil {
			t.Fatal(err)
		}
		if p.HasStream() == unary {
			t.Errorf("stream: %v, unary: %v", p.HasStream(), unary)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := p.Healthy(t.Context()); err != nil {
				t.Error(err)
			}
		})
		for range 3 {
			if o, err := p.Calculate(t.Context(), values(2, "echo")); err != nil || o.Result[0].Number() != 2 {
				t.Errorf("%v, %v", o.Result, err)
			}
		}
		wg.Wait()
		if _, err := p.Draw(t.Context(), "none", values(2, "echo")); err == nil || strings.Contains(err.Error(), "did not answer") {
			t.Errorf("draw: %v, want the refusal of the engine", err)
		}
		p.Close()
		if err := p.Misdescribed(); err != nil {
			t.Errorf("it describes itself as it is known: %v", err)
		}
	}
}

// If a known engine does not start, the error has the reason, and no process or file is left.
func TestKnownBadStarts(t *testing.T) {
	for mode, want := range map[string]string{
		"mute":               "no engine after",
		"exit":               "no licence found",
		"stream of nonsense": "is not a pong",
		"stream that ends":   "start engine",
	} {
		t.Run(mode, func(t *testing.T) {
			dir, timeout := t.TempDir(), patience
			if mode == "mute" {
				timeout = time.Second // which it uses up
			}
			_, err := launch(t, mode, process.Options{Known: knownSpec(), StartTimeout: timeout, Dir: dir})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error = %v, want one with %q", err, want)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("still there: %v", left)
			}
		})
	}
}

// A known engine that describes itself otherwise is ended, and Misdescribed returns the error.
func TestKnownOtherwise(t *testing.T) {
	other := knownSpec()
	other.Version = "9.9.9"
	p, err := launch(t, "engine", process.Options{Known: other})
	if err == nil {
		<-p.Exited()
		err = p.Misdescribed()
	}
	if err == nil || !strings.Contains(err.Error(), "otherwise than published") {
		t.Errorf("error = %v", err)
	}
}
