package process

import (
	"bytes"
	"errors"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/document"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// Field numbers of engine.proto.
const (
	outcomeAnswer, outcomeRejection, outcomeFailure = 2, 3, 4
	answerResult, answerWarning, rejectionInvalid   = 1, 5, 5
	drawingFigure                                   = 2
	describeSpec, describeVectors, describeFeatures = 1, 2, 3
)

// allocated is how many bytes do allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func part(field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), content)
}

func times(n int, piece []byte) []byte { return bytes.Repeat(piece, n) }

// rawEngine is an engine that answers every call by gRPC with the bytes of answer, and
// counts the calls.
func rawEngine(t *testing.T, spec *sdk.Spec, answer func() []byte) (*Process, *atomic.Int64) {
	t.Helper()
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	calls := new(atomic.Int64)
	server := grpc.NewServer(grpc.ForceServerCodecV2(contract.Codec{}), grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		calls.Add(1)
		var request contract.Message
		if err := stream.RecvMsg(&request); err != nil {
			return err
		}
		return stream.SendMsg(contract.Message(answer()))
	}))
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener)
	}()
	conn, err := grpc.NewClient("unix:"+listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		server.Stop()
		<-served
	})
	introduced := make(chan struct{})
	close(introduced)
	return &Process{conn: conn, spec: *spec, answers: newAnswers(spec), needs: contract.NeedsOf(spec), introduced: introduced}, calls
}

// By gRPC, too, a message may be as large as its call can need, and is counted while it is
// decoded.
func TestUnaryAnswers(t *testing.T) {
	spec := benchSpec()
	spec.Plots = []sdk.Plot{{ID: "p"}}
	var body []byte
	p, calls := rawEngine(t, spec, func() []byte { return body })
	answer := func(content []byte) []byte { return append(contract.AppendID(nil, p.lastID.Load()+1), content...) }
	ask := func() error { _, err := p.Calculate(t.Context(), benchInputs(1)); return err }

	o := benchOutcome(1)
	body = contract.AppendOutcome(nil, 1, &o, nil)
	if err := ask(); err != nil || calls.Load() != 1 {
		t.Fatalf("%d calls, %v", calls.Load(), err)
	}
	for range sdk.MaxNotes {
		o.Assumptions = append(o.Assumptions, strings.Repeat("x", sdk.MaxText))
	}
	for _, want := range []int64{3, 4} { // asked again once, with more memory
		body = contract.AppendOutcome(nil, p.lastID.Load()+1, &o, nil)
		if err := ask(); err != nil || calls.Load() != want {
			t.Fatalf("large: %d calls, want %d, %v", calls.Load(), want, err)
		}
	}
	const n = 100_000
	for name, content := range map[string][]byte{
		"another's": {8, 99}, "too large": part(outcomeFailure, make([]byte, contract.MaxAnswer)),
		"results": part(outcomeAnswer, times(n, part(answerResult, nil))), "warnings": part(outcomeAnswer, times(n, part(answerWarning, nil))),
		"invalid": part(outcomeRejection, times(n, part(rejectionInvalid, nil))), "groups": times(n, []byte{0x0b}),
	} {
		body = answer(content)
		if name == "another's" {
			body = content
		}
		var err error
		if size := allocated(func() { err = ask() }); size > 2<<20 || !errors.Is(err, ErrContract) {
			t.Errorf("%s: %d bytes were allocated, error %v", name, size, err)
		}
	}
	for name, figure := range map[string]string{
		"curves": `{"curves":[` + strings.Repeat("{},", n) + `{}]}`, "points": `{"curves":[{"x":[` + strings.Repeat("1,", n) + `1]}]}`,
		"nulls": `{"curves":[` + strings.Repeat("null,", n) + `{}]}`, "deep": strings.Repeat("[", n), "no JSON": "x",
	} {
		body = answer(part(drawingFigure, []byte(figure)))
		var err error
		if size := allocated(func() { _, err = p.Draw(t.Context(), "p", benchInputs(1)) }); size > 4<<20 || !errors.Is(err, ErrContract) {
			t.Errorf("%s: %d bytes were allocated, error %v", name, size, err)
		}
	}
	body = answer(part(drawingFigure, []byte(`{"curves":[{"label":"a","x":[0,1],"y":[1,2]}]}`)))
	if f, err := p.Draw(t.Context(), "p", benchInputs(1)); err != nil || len(f.Curves) != 1 {
		t.Errorf("an honest figure: %v, %v", f, err)
	}
	if share := p.answers.share; !share.messages.bytes.TryAcquire(share.messages.size) {
		t.Error("memory is missing")
	}
}

// The description of an engine is counted before it is decoded, and features are not kept.
func TestDescriptionsThatUnfold(t *testing.T) {
	const n = 300_000
	for name, body := range map[string][]byte{
		"fields":   part(describeSpec, []byte(`{"inputs":[`+strings.Repeat("{},", n)+`{}]}`)),
		"nulls":    part(describeSpec, []byte(`{"inputs":[`+strings.Repeat("null,", n/2)+`{}]}`)),
		"features": times(n, part(describeFeatures, nil)),
		"specs":    times(n, part(describeSpec, nil)),
		"large":    part(describeVectors, make([]byte, 2*contract.MaxAnswer)),
	} {
		p, _ := rawEngine(t, benchSpec(), func() []byte { return body })
		var err error
		size := allocated(func() {
			var d contract.Description
			d, err = p.describe(t.Context(), false)
			if err == nil {
				_, err = document.ParseSpec(d.Spec)
			}
		})
		if size > 6<<20 || err == nil {
			t.Errorf("%s: %d bytes were allocated, error %v", name, size, err)
		}
	}
}
