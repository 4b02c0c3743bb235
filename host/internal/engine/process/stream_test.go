//go:build linux

package process_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// The same calls have the same outcomes on the stream and by gRPC.
func TestWays(t *testing.T) {
	for name, unary := range map[string]bool{"stream": false, "unary": true} {
		t.Run(name, func(t *testing.T) {
			p, err := launch(t, "engine", process.Options{Unary: unary})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if p.LastReceived().IsZero() != unary {
				t.Errorf("last received on its stream: %v", p.LastReceived())
			}
			rows := []value.Values{values(1, "echo"), values(-1, "echo"), values(3, "fail"), values(4, "echo")}
			results, err := p.CalculateBatch(t.Context(), 0, rows)
			if err != nil {
				t.Fatal(err)
			}
			for i, row := range rows {
				o, err := p.Calculate(t.Context(), row)
				if fmt.Sprint(results[i].Outcome.Result, results[i].Outcome.Inputs, results[i].Err) != fmt.Sprint(o.Result, o.Inputs, err) {
					t.Errorf("row %d: %v, %v in a batch; %v, %v alone", i, results[i].Outcome, results[i].Err, o, err)
				}
			}
			if _, err := p.CalculateBatch(t.Context(), 0, make([]value.Values, process.MaxRows+1)); err == nil {
				t.Error("a batch without bound was taken")
			}
			if none, err := p.CalculateBatch(t.Context(), 0, nil); len(none) != 0 || err != nil {
				t.Errorf("no rows: %v, %v", none, err)
			}
		})
	}
}

// A long call delays neither other calls, nor the calls that were already in the queue after it,
// nor a health check.
func TestLongCall(t *testing.T) {
	p := mustLaunch(t)
	ctx, leave := context.WithCancel(t.Context())
	long := make(chan error)
	go func() {
		_, err := p.Calculate(ctx, values(1, "wait")) // until its context ends
		long <- err
	}()
	for i := range 100 {
		if _, err := p.Calculate(t.Context(), values(float64(2*i), "echo")); err != nil {
			t.Fatal(err)
		}
	}
	leave()
	if err := <-long; !errors.Is(err, process.ErrLost) {
		t.Errorf("a caller who left: %v", err)
	}
	if _, err := p.CalculateWithin(t.Context(), 20*time.Millisecond, values(1, "wait")); err == nil {
		t.Error("a call beyond its limit was answered")
	}
	if err := p.Healthy(t.Context()); err != nil {
		t.Error(err)
	}
}

// A long computation on the only processor keeps the engine from nothing else, whether the
// engine was idle before or not.
func TestLongComputation(t *testing.T) {
	for _, idle := range []time.Duration{0, 600 * time.Millisecond} {
		p, err := launch(t, "engine", process.Options{Env: []string{"GOMAXPROCS=1"}})
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if _, err := p.Calculate(t.Context(), values(1, "echo")); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(idle) // it is what the engine did before that matters
		leaving, leave := context.WithCancel(t.Context())
		long := make(chan error)
		go func() {
			_, err := p.Calculate(leaving, values(1, "compute")) // until the process ends
			long <- err
		}()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		if _, err := p.Calculate(ctx, values(2, "echo")); err != nil {
			t.Errorf("a call at the same time: %v", err)
		}
		if err := p.Healthy(ctx); err != nil {
			t.Error(err)
		}
		cancel()
		leave()
		if err := <-long; !errors.Is(err, process.ErrLost) {
			t.Errorf("a caller who left: %v", err)
		}
		p.Close()
	}
}

// If an engine sends bytes that are not a frame, the stream and its calls end.
func TestStreamOfNonsense(t *testing.T) {
	for _, mode := range []string{"stream of nonsense", "stream of large frames", "stream that ends", "stream of other kinds"} {
		t.Run(mode, func(t *testing.T) {
			p, err := launch(t, mode, process.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if _, err := p.Calculate(ctx, values(1, "echo")); !errors.Is(err, process.ErrContract) && !errors.Is(err, process.ErrLost) || ctx.Err() != nil {
				t.Errorf("error = %v", err)
			}
			if strings.Contains(mode, "ends") && !p.Ended() {
				t.Error("a stream that has ended is not over")
			}
		})
	}
}

// An engine that sends each answer 20 times fails no call, and is unfit.
func TestDuplicates(t *testing.T) {
	p, err := launch(t, "stream of duplicates", process.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var all sync.WaitGroup
	for c := range 10 {
		all.Go(func() {
			for k := range 3 {
				x := float64(20*c + 2*k)
				if o, err := p.Calculate(t.Context(), values(x, "echo")); err != nil || o.Inputs[0].Number() != x {
					t.Errorf("%v: %v, %v", x, o.Inputs, err)
				}
			}
		})
	}
	all.Wait()
	if err := p.Unfit(time.Now().Add(time.Minute)); !errors.Is(err, process.ErrContract) || p.Ended() {
		t.Errorf("unfit: %v, ended: %v", err, p.Ended())
	}
}

// takeStream takes the engine's end of the stream and lets the SDK have another, so that it still
// announces one. Sdk is the server's end of that.
func takeStream() (stream, sdk *os.File) {
	fd, err := strconv.Atoi(os.Getenv("SLIPSTICK_LANE"))
	if err != nil {
		os.Exit(5)
	}
	other, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		os.Exit(6)
	}
	os.Setenv("SLIPSTICK_LANE", strconv.Itoa(other[0]))
	return os.NewFile(uintptr(fd), "stream"), os.NewFile(uintptr(other[1]), "sdk")
}

// duplicate passes the frames of the server to the SDK, and each answer 20 times to the server.
func duplicate(stream, sdk *os.File) {
	go func() { _, _ = io.Copy(sdk, stream) }()
	in := bufio.NewReader(sdk)
	for {
		kind, size, err := contract.ReadHeader(in)
		if err != nil {
			return
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(in, body); err != nil {
			return
		}
		frame := contract.AppendFrame(nil, kind, func(b []byte) []byte { return append(b, body...) })
		if kind == contract.FrameOutcome {
			frame = bytes.Repeat(frame, 20)
		}
		if _, err := stream.Write(frame); err != nil {
			return
		}
	}
}

// abuse answers the first frame as how selects.
func abuse(stream *os.File, how string) {
	frame := make([]byte, 1000)
	if _, err := stream.Read(frame); err != nil {
		os.Exit(7)
	}
	id := frame[5:7] // field 1 and a small number
	switch how {
	case "of nonsense":
		_, _ = stream.WriteString(strings.Repeat("nonsense", 1000))
	case "of large frames":
		_, _ = stream.Write(append([]byte{0, 0x20, 0, 1, 2}, id...))
		for range 64 {
			_, _ = stream.Write(make([]byte, 1<<15))
		}
	case "that ends":
		stream.Close()
	case "of other kinds":
		_, _ = stream.Write(append([]byte{0, 0, 0, 3, 6}, id...))
	}
}

// Many large calls at once reach an idle engine and a busy one. While the engine answers, the server reads, although more
// bytes wait for the engine than the socket takes. If too many wait, the others go by gRPC.
func TestLargeCallsAtOnce(t *testing.T) {
	layers := make([]value.Value, 1000)
	for i := range layers {
		layers[i] = value.RecordOf(value.NumberOf(0.1+float64(i)), value.NumberOf(float64(i)/7))
	}
	in := values(1.5, "echo")
	in[5] = value.ListOf(layers...)
	for _, tt := range []struct{ rounds, calls, rows int }{{5, 64, 0}, {1, 400, 0}, {1, 20, 100}} {
		p := mustLaunch(t)
		for range tt.rounds {
			var g sync.WaitGroup
			for range tt.calls {
				g.Go(func() {
					o, err := p.Calculate(t.Context(), in)
					if err == nil && tt.rows > 0 {
						_, err = p.CalculateBatch(t.Context(), 0, slices.Repeat([]value.Values{in}, tt.rows))
					}
					if err != nil || o.Result[0].Number() != 1.5 {
						t.Errorf("%d calls, batches of %d rows: %v, %v", tt.calls, tt.rows, o.Result, err)
					}
				})
			}
			g.Wait()
		}
		if end := p.StreamEnd(); end != "" {
			t.Errorf("%d calls, batches of %d rows: the stream has ended: %s", tt.calls, tt.rows, end)
		}
	}
}
