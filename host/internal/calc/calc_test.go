package calc_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// release is a published version of a capability whose engine is not run here.
func release(version string, problem error) *registry.Release {
	return &registry.Release{Capability: "test.a.b", Version: version, Problem: problem, Spec: sdk.Spec{Tool: "tool-" + version[:1]}}
}

type failing struct{ err error }

func (f failing) Calculate(context.Context, time.Duration, *registry.Release, value.Values) (sdk.Outcome, error) {
	return sdk.Outcome{}, f.err
}

func (f failing) CalculateBatch(context.Context, time.Duration, *registry.Release, []value.Values) ([]response.Result, error) {
	return nil, f.err
}

func (f failing) Draw(context.Context, time.Duration, *registry.Release, string, value.Values) (*sdk.Figure, error) {
	return nil, f.err
}

// A problem reports the code of an internal error, and never the cause.
func TestCausesStayPrivate(t *testing.T) {
	catalog := catalog.New([]registry.Capability{{ID: "test.a.b", Current: "1.0.0", Releases: []*registry.Release{release("1.0.0", nil)}}})
	for _, tt := range []struct {
		err    error
		status int
		code   string
	}{
		{errors.New("password is hunter2"), 500, problem.CodeInternalError},
		{problem.Unavailable("test.a.b", "1.0.0", errors.New("password is hunter2")), 503, problem.CodeEngineUnavailable},
		{sdk.Reject("TOO_ODD", "x", "no"), 400, "TOO_ODD"},
	} {
		_, err := calc.New(catalog, failing{tt.err}, nil).Calculate(t.Context(), calc.Request{ID: "test.a.b", Inputs: strictjson.Value{Kind: strictjson.Object}})
		p := problem.Of(err)
		if p.Code != tt.code || p.Status() != tt.status {
			t.Errorf("%v: %s %d, want %s %d", tt.err, p.Code, p.Status(), tt.code, tt.status)
		}
		if body := string(p.AppendJSON(nil, "")); strings.Contains(body, "hunter2") {
			t.Errorf("the body contains the cause: %s", body)
		}
	}
}
