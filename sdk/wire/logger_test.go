package wire

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// A server before log lines sets no variable.
func TestLogLevel(t *testing.T) {
	for text, want := range map[string]hclog.Level{"": hclog.Warn, "trace": hclog.Trace, "error": hclog.Error, "off": hclog.Off, "loud": hclog.Warn} {
		t.Setenv(contract.LogVariable, text)
		if got := logLevel(); got != want {
			t.Errorf("%s=%q means %s, want %s", contract.LogVariable, text, got, want)
		}
	}
}

// loggingEngine passes the logger of each call to a function.
type loggingEngine struct {
	rootEngine
	logs func(hclog.Logger)
}

func (e loggingEngine) Calculate(ctx context.Context, in value.Values) (sdk.Outcome, error) {
	ctx, cancel := context.WithCancel(ctx) // as an author can do
	defer cancel()
	e.logs(sdk.Logger(ctx))
	return e.rootEngine.Calculate(ctx, in)
}

// The logger of a call has the id of its request, on the stream and by gRPC.
func TestCallLogger(t *testing.T) {
	var ids []any
	engine := loggingEngine{logs: func(l hclog.Logger) { ids = append(ids, append(l.ImpliedArgs(), "none", "")[1]) }}
	spec := engine.Spec()
	conn := dial(t, engine)
	for _, id := range []string{"a", ""} {
		call := contract.Call{ID: 1, Timeout: time.Minute, Inputs: inputs(2), Request: contract.RequestIDOf(id)}
		if _, err := invoke(t, conn, contract.Calculate, contract.AppendCall(nil, &call)); err != nil {
			t.Fatal(err)
		}
		ours := serveStream(t, engine)
		ask(t, ours, contract.FrameCall, contract.FrameOutcome, contract.AppendCall(nil, &call))
		batch := contract.Batch{ID: 2, Timeout: time.Minute, Rows: []value.Values{inputs(2)}, Request: call.Request}
		ask(t, ours, contract.FrameBatch, contract.FrameBatchOutcome, contract.AppendBatch(nil, &batch, len(spec.Inputs)))
	}
	if want := []any{"a", "a", "a", "", "", ""}; !slices.Equal(ids, want) {
		t.Errorf("the calls have the ids %q, want %q", ids, want)
	}
}

// A context that an engine keeps after its call has no id, because the next call uses the memory.
func TestLoggerAfterTheCall(t *testing.T) {
	id := contract.RequestIDOf("a")
	ctx := newCallContext(time.Nanosecond, "", &id)
	<-ctx.Done() // the time is over, and the call goes on
	if args := sdk.Logger(ctx).ImpliedArgs(); len(args) != 2 || args[1] != "a" {
		t.Errorf("during the call: %q", args)
	}
	ctx.end(context.Canceled)
	if args := sdk.Logger(ctx).ImpliedArgs(); len(args) != 0 {
		t.Errorf("after the call: %q", args)
	}
}
