package wire

import (
	"context"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

type eightIn struct {
	A float64 `name:"a" unit:"m" range:"(0,)"`
	B float64 `name:"b" unit:"m" range:"(0,)"`
	C float64 `name:"c" unit:"m" range:"(0,)"`
	D float64 `name:"d" unit:"m" range:"(0,)"`
	E float64 `name:"e" unit:"m"`
	F float64 `name:"f" unit:"m"`
	G float64 `name:"g" unit:"m"`
	H float64 `name:"h" unit:"m"`
}

type fourOut struct {
	W float64 `name:"w" unit:"m"`
	X float64 `name:"x" unit:"m"`
	Y float64 `name:"y" unit:"m2"`
	Z float64 `name:"z" unit:"m"`
}

func eightEngine() sdk.Engine {
	return sdk.New(sdk.Spec{Capability: "test.wire.eight", Version: "1.0.0", Tool: "eight", Group: "bench", Title: "Eight", Summary: "Adds."},
		func(_ context.Context, in eightIn) (fourOut, error) {
			return fourOut{in.A + in.B, in.C / in.D, in.E * in.F, in.G - in.H}, nil
		})
}

// eightBatch returns the message with n rows.
func eightBatch(n int) []byte {
	rows := make([]value.Values, n)
	for i := range rows {
		for f := range 8 {
			rows[i] = append(rows[i], value.NumberOf(float64(i+1)*1.1+float64(f)))
		}
	}
	return contract.AppendBatch(nil, &contract.Batch{ID: 1, Timeout: time.Minute, Rows: rows}, 8)
}

// BenchmarkBatch measures the engine's work for a row of a batch, without the socket.
func BenchmarkBatch(b *testing.B) {
	const rows = 1024
	conn, _ := net.Pipe()
	defer conn.Close()
	s, body := newStreamServer(eightEngine(), conn), eightBatch(rows)
	b.ReportAllocs()
	before := processorTime(b)
	for b.Loop() {
		s.batch(body)
		s.out = s.out[:0]
	}
	b.ReportMetric(float64(processorTime(b)-before)/float64(b.N)/rows, "cpu-ns/row")
}

// processorTime returns the CPU time of the process.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCall measures the engine's work for a call without log lines, without the socket.
func BenchmarkCall(b *testing.B) {
	for name, id := range map[string]string{"without id": "", "with id": "0123456789abcdef-1"} {
		b.Run(name, func(b *testing.B) {
			conn, _ := net.Pipe()
			defer conn.Close()
			s, body := newStreamServer(eightEngine(), conn), eightCall(id)
			b.ReportAllocs()
			for b.Loop() {
				if err := s.call(body); err != nil {
					b.Fatal(err)
				}
				s.out = s.out[:0]
			}
		})
	}
}

// eightCall returns the message of a call for a request.
func eightCall(request string) []byte {
	inputs := make(value.Values, 8)
	for i := range inputs {
		inputs[i] = value.NumberOf(float64(i) + 0.5)
	}
	return contract.AppendCall(nil, &contract.Call{ID: 1, Timeout: time.Minute, Inputs: inputs, Request: contract.RequestIDOf(request)})
}

// Rows of numbers need no allocations in the engine.
func TestBatchAllocations(t *testing.T) {
	const rows = 1024
	conn, _ := net.Pipe()
	defer conn.Close()
	s, body := newStreamServer(eightEngine(), conn), eightBatch(rows)
	if n := testing.AllocsPerRun(10, func() {
		s.batch(body)
		s.out = s.out[:0]
	}); n > rows/20 {
		t.Errorf("%v allocations for %d rows", n, rows)
	}
}

// A call of numbers allocates only its context, also with the id of a request: the logger is made for
// a call that logs.
func TestCallAllocations(t *testing.T) {
	conn, _ := net.Pipe()
	defer conn.Close()
	s, body := newStreamServer(eightEngine(), conn), eightCall("0123456789abcdef-1")
	if n := testing.AllocsPerRun(100, func() {
		if err := s.call(body); err != nil {
			t.Fatal(err)
		}
		s.out = s.out[:0]
	}); n > 1 {
		t.Errorf("%v allocations, want at most 1", n)
	}
}
