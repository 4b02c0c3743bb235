package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/document"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// The test binary acts as the engine if this is set.
const playVar = "SLIPSTICK_TEST_ENGINE"

func TestMain(m *testing.M) {
	if os.Getenv(playVar) != "" {
		Serve(rootEngine{}, nil)
		return
	}
	os.Exit(m.Run())
}

// rootEngine computes square roots.
type rootEngine struct{}

func (rootEngine) Spec() sdk.Spec {
	return sdk.Spec{
		Capability: "test.wire.root", Version: "1.2.3", Tool: "root",
		Inputs:  []sdk.Field{{Name: "x", Type: sdk.TypeNumber}, {Name: "trace", Type: sdk.TypeString}},
		Outputs: []sdk.Field{{Name: "r", Type: sdk.TypeNumber}},
		Errors:  []string{"NEGATIVE"}, Formulas: []sdk.Formula{{ID: "first", Expression: "r"}},
	}
}

func (rootEngine) Calculate(ctx context.Context, in value.Values) (sdk.Outcome, error) {
	x := in[0].Number()
	o := sdk.Outcome{Result: value.Values{value.NumberOf(x * x)}, Inputs: slices.Clone(in), Formula: "first"}
	switch {
	case x < 0:
		return o, sdk.Reject("NEGATIVE", "x", "no %v", x)
	case x == 13:
		return o, errors.New("out of luck")
	case x == 14:
		o.Result = nil
	}
	if incoming, ok := metadata.FromIncomingContext(ctx); ok && len(incoming.Get("traceparent")) > 0 {
		o.Inputs[1] = value.TextOf(incoming.Get("traceparent")[0])
	}
	return o, nil
}

// drawingEngine also draws.
type drawingEngine struct{ rootEngine }

func (drawingEngine) Draw(_ context.Context, plot string, in value.Values) (*sdk.Figure, error) {
	if plot != "curve" {
		return nil, fmt.Errorf("no plot %q", plot)
	}
	return &sdk.Figure{Curves: []sdk.Curve{{Label: "r", X: []float64{0, in[0].Number()}, Y: []float64{0, 1}}}}, nil
}

func inputs(x float64) value.Values { return value.Values{value.NumberOf(x), {}} }

func TestServeByHand(t *testing.T) {
	self, _ := os.Executable()
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = []string{playVar + "=1"}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "This is the engine test.wire.root 1.2.3.") || !strings.Contains(string(out), "slipstick check") {
		t.Errorf("started by hand: %v\n%s", err, out)
	}
}

func TestServeBadDescriptor(t *testing.T) {
	self, _ := os.Executable()
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = []string{playVar + "=1", contract.CookieKey + "=" + contract.CookieValue, contract.StreamVariable + "=x"}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), `SLIPSTICK_LANE="x" is not a descriptor`) {
		t.Errorf("%v\n%s", err, out)
	}
}

// serveStream returns the server's end of the engine's stream.
func serveStream(t *testing.T, engine sdk.Engine) net.Conn {
	t.Helper()
	ours, theirs := net.Pipe()
	served := make(chan struct{})
	go func() {
		defer close(served)
		newStreamServer(engine, theirs).serve()
	}()
	t.Cleanup(func() {
		ours.Close()
		<-served
	})
	return ours
}

// ask sends a frame and returns the message of the frame that answers it.
func ask(t *testing.T, conn net.Conn, kind, answer byte, message []byte) []byte {
	t.Helper()
	frame := contract.AppendFrame(nil, kind, func(b []byte) []byte { return append(b, message...) })
	if _, err := conn.Write(frame); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1<<16)
	n, err := conn.Read(b)
	if err != nil || b[4] != answer {
		t.Fatalf("frame of kind %d, %v", b[4], err)
	}
	return b[contract.FrameHeader:n]
}

func TestStream(t *testing.T) {
	engine := rootEngine{}
	spec := engine.Spec()
	conn := serveStream(t, engine)
	decoder := contract.NewDecoder(&spec, 1<<20)

	pong := ask(t, conn, contract.FramePing, contract.FramePong, contract.AppendID(nil, 5))
	if err := contract.CheckID(pong, 5); err != nil {
		t.Error(err)
	}
	call := contract.Call{ID: 6, Timeout: time.Second, Trace: "00-trace", Inputs: inputs(3)}
	body := ask(t, conn, contract.FrameCall, contract.FrameOutcome, contract.AppendCall(nil, &call))
	o, err := decoder.Outcome(body)
	if err != nil || contract.CheckID(body, 6) != nil || o.Result[0].Number() != 9 || o.Inputs[1].Text() != "00-trace" {
		t.Errorf("call: %v, %v", o, err)
	}
	rows := []value.Values{inputs(2), inputs(-1), inputs(13), inputs(14)}
	batch := contract.Batch{ID: 7, Timeout: time.Second, Rows: rows}
	body = ask(t, conn, contract.FrameBatch, contract.FrameBatchOutcome, contract.AppendBatch(nil, &batch, 2))
	results, err := decoder.Batch(body, rows)
	if err != nil || contract.CheckID(body, 7) != nil {
		t.Fatal(err)
	}
	var rejection *sdk.Error
	if got := results[0]; got.Err != nil || got.Outcome.Result[0].Number() != 4 {
		t.Errorf("row 0: %v", got)
	}
	if err := results[1].Err; !errors.As(err, &rejection) || rejection.Code != "NEGATIVE" {
		t.Errorf("row 1: %v", err)
	}
	for row, want := range map[int]string{2: "engine failed: out of luck", 3: "engine failed: the outcome does not have the fields of the spec"} {
		if err := results[row].Err; err == nil || err.Error() != want {
			t.Errorf("row %d: %v", row, err)
		}
	}
	body = ask(t, conn, contract.FrameBatch, contract.FrameBatchOutcome, contract.AppendID(nil, 8))
	if _, err := decoder.Batch(body, rows); err == nil || contract.CheckID(body, 8) != nil || !strings.Contains(err.Error(), "a batch of 0 rows") {
		t.Errorf("no batch: %v", err)
	}
}

// If a server breaks the contract, its stream ends.
func TestStreamEnds(t *testing.T) {
	for name, frame := range map[string][]byte{
		"no call":   contract.AppendFrame(nil, contract.FrameCall, func(b []byte) []byte { return append(b, 0x0b) }),
		"too large": {0xff, 0xff, 0xff, 0xff, contract.FrameCall},
	} {
		conn := serveStream(t, rootEngine{})
		if _, err := conn.Write(frame); err != nil {
			t.Fatal(err)
		}
		if n, err := conn.Read(make([]byte, 10)); err == nil {
			t.Errorf("%s: %d bytes came", name, n)
		}
	}
}

// dial returns a connection to the engine by gRPC.
func dial(t *testing.T, engine sdk.Engine) *grpc.ClientConn {
	t.Helper()
	text, err := json.Marshal(engine.Spec())
	if err != nil {
		t.Fatal(err)
	}
	description := contract.Description{Spec: text, Stream: true}
	s := newGRPCServer(nil)
	served := &enginePlugin{server: &grpcServer{engine: engine, spec: engine.Spec(), description: description, vectors: func() ([]byte, error) { return []byte("[]"), nil }}}
	if err := served.GRPCServer(nil, s); err != nil {
		t.Fatal(err)
	}
	listener := bufconn.Listen(1 << 16)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(listener)
	}()
	conn, err := grpc.NewClient("passthrough:engine", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		s.Stop()
		<-done
	})
	return conn
}

func invoke(t *testing.T, conn *grpc.ClientConn, method string, request contract.Message) (contract.Message, error) {
	t.Helper()
	var reply contract.Message
	err := conn.Invoke(t.Context(), "/"+contract.Service+"/"+method, request, &reply, grpc.ForceCodecV2(contract.Codec{}))
	return reply, err
}

func TestGRPC(t *testing.T) {
	engine := drawingEngine{}
	spec := engine.Spec()
	conn := dial(t, engine)
	decoder := contract.NewDecoder(&spec, 1<<20)

	reply, err := invoke(t, conn, contract.Describe, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := contract.DecodeDescription(reply)
	if err != nil || string(d.Vectors) != "[]" || !d.Stream {
		t.Errorf("description: %v, %v", d, err)
	}
	lean, err := invoke(t, conn, contract.Describe, contract.AppendDescribeRequest(nil, true))
	if err != nil {
		t.Fatal(err)
	}
	short, err := contract.DecodeDescription(lean)
	if err != nil || len(short.Vectors) > 0 || !short.Stream || !bytes.Equal(short.Spec, d.Spec) {
		t.Errorf("description without vectors: %v, %v", short, err)
	}
	if got, err := document.ParseSpec(d.Spec); err != nil || got.Capability != spec.Capability {
		t.Errorf("spec: %v, %v", got, err)
	}
	for x, want := range map[float64]error{3: nil, -1: sdk.Reject("NEGATIVE", "x", "no -1"), 13: errors.New("engine failed: out of luck")} {
		call := contract.Call{ID: 6, Timeout: time.Second, Inputs: inputs(x)}
		reply, err := invoke(t, conn, contract.Calculate, contract.AppendCall(nil, &call))
		if err != nil || contract.CheckID(reply, 6) != nil {
			t.Fatal(err)
		}
		o, err := decoder.Outcome(reply)
		if fmt.Sprint(err) != fmt.Sprint(want) || err == nil && !cmp.Equal(o.Result[0].Number(), x*x) {
			t.Errorf("%v: %v, %v", x, o, err)
		}
	}
	call := contract.Call{ID: 7, Inputs: inputs(3)}
	for plot, want := range map[string]string{"curve": "", "other": `engine failed: no plot "other"`} {
		reply, err := invoke(t, conn, contract.Draw, contract.AppendDrawRequest(nil, plot, &call))
		if err != nil || contract.CheckID(reply, 7) != nil {
			t.Fatal(err)
		}
		f, err := decoder.Drawing(reply)
		if want == "" && (err != nil || f.Curves[0].X[1] != 3) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: %v, %v", plot, f, err)
		}
	}
}

func TestGRPCRefuses(t *testing.T) {
	conn := dial(t, rootEngine{})
	for method, want := range map[string]codes.Code{
		contract.Describe: codes.Internal, contract.Calculate: codes.Internal, contract.Draw: codes.Unimplemented, "Other": codes.Unimplemented,
	} {
		if _, err := invoke(t, conn, method, contract.Message{0x0b}); status.Code(err) != want {
			t.Errorf("%s of no message: %v", method, err)
		}
	}
}
