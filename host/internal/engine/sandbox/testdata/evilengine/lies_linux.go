package main

import (
	"context"
	"math"
	"os"
	"strings"
	"sync"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// liar is F6 and F8: it gives answers that an engine of the SDK cannot give.
type liar struct{ sdk.Engine }

func (l *liar) Calculate(ctx context.Context, in value.Values) (sdk.Outcome, error) {
	o, err := l.Engine.Calculate(ctx, in)
	if err != nil {
		return o, err
	}
	if _, kind, ok := strings.Cut(in[0].Text(), bombMark); ok && os.Getenv("SLIPSTICK_LANE") == "" {
		kind, _, _ = strings.Cut(kind, bombMark)
		return swell(kind, o)
	}
	switch in[0].Text() {
	case "NaN":
		o.Result[1] = value.NumberOf(math.NaN())
	case "infinity":
		o.Result[1] = value.NumberOf(math.Inf(1))
	case "other inputs":
		o.Inputs[1] = value.TextOf("others")
	case "swap":
		return partner.exchange(o), nil
	case "warnings":
		warning := sdk.Warning{Code: "WATCH_OUT", Severity: sdk.Info, Detail: "d", Suggestion: "s"}
		for range 1_000_000 {
			o.Warnings = append(o.Warnings, warning)
		}
	case "long text":
		o.Assumptions = []string{strings.Repeat("x", 64<<10)}
	case "gigabytes":
		o.Assumptions = []string{strings.Repeat("x", 2<<30)}
	case "megabytes":
		o.Assumptions = []string{strings.Repeat("x", 20<<20)}
	}
	return o, nil
}

// partner is F6: each of two calls gets the outcome of the other.
var partner = &meeting{}

type meeting struct {
	mu    sync.Mutex
	first chan sdk.Outcome // nil while no call waits
	own   sdk.Outcome
}

func (m *meeting) exchange(o sdk.Outcome) sdk.Outcome {
	m.mu.Lock()
	if m.first == nil {
		wait := make(chan sdk.Outcome)
		m.first, m.own = wait, o
		m.mu.Unlock()
		return <-wait
	}
	other, wait := m.own, m.first
	m.first = nil
	m.mu.Unlock()
	wait <- o
	return other
}

// forgedLog is F12: texts that would be separate lines in a careless log.
const forgedLog = "nothing\nlevel=ERROR msg=\"host compromised\"\n{\"level\":\"ERROR\",\"msg\":\"host compromised\"}\n\x1b[2J\x1b[31mred\r\u2028x"
