// Command evilengine is an engine that attacks. Its modes are the F rows of the test catalogue.
// Each mode tries many attacks and reports the ones that succeeded. So a test can require that no
// attack succeeded. With an engine that is not confined, a test can show that the attacks work.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

func main() {
	if mode, argument, _ := strings.Cut(os.Getenv("EVIL"), "="); mode != "" {
		shake(mode, argument)
	}
	wire.Serve(&liar{engine()}, nil)
}

// Input chooses the attack.
type Input struct {
	Mode string `name:"mode" default:"nothing"`
	Args string `name:"args" default:"{}"`
}

// Output is the result of the attack.
type Output struct {
	Attempts  int     `name:"attempts"`
	Succeeded int     `name:"succeeded"`
	Amount    int     `name:"amount"` // bytes, files, ...
	Detail    string  `name:"detail"`
	PID       int     `name:"pid"`
	Many      *[]bool `name:"many"`
}

func engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "test.sandbox.evil", Version: "1.0.0", Tool: "evil", Group: "test",
		Title: "Evil", Summary: "Attacks its server.", Warnings: []string{"WATCH_OUT"},
	}, attack)
}

// targets are the targets that the test has prepared.
type targets struct {
	File     string // of the server
	Dir      string // of another engine
	Secret   string // in the server's environment
	HostPID  int
	TCP, UDP string // addresses on which the server listens
	Abstract string
	Unix     string
}

// attacks report by attempt.
var attacks = map[string]func(*report, *targets){
	"files": files, "environment": environment, "network": network, "processes": processes, "calls": calls,
	"execs": execs, "memory": memory, "own directory": ownDirectory,
}

func attack(ctx context.Context, in Input) (Output, error) {
	var r report
	var t targets
	if err := json.Unmarshal([]byte(in.Args), &t); err != nil {
		return Output{}, err
	}
	if try, ok := attacks[in.Mode]; ok {
		try(&r, &t)
	} else if use, ok := uses[in.Mode]; ok {
		r.amount = use(ctx)
	} else if in.Mode == "fail" {
		return Output{}, fmt.Errorf("%s", forgedLog)
	}
	if strings.HasPrefix(in.Mode, bombMark) {
		arm()
		r.done = []string{in.Mode} // by which the proxy knows the answer
	}
	detail := strings.Join(r.done, "; ")
	return Output{
		Attempts: r.attempts, Succeeded: len(r.done), Amount: r.amount,
		Detail: detail[:min(len(detail), sdk.MaxText)], PID: os.Getpid(),
	}, nil
}

// report counts attempts.
type report struct {
	attempts, amount int
	done             []string // the attempts that succeeded
}

func (r *report) try(what string, err error) {
	r.attempts++
	if err == nil {
		r.done = append(r.done, what)
	}
}

func (r *report) tryBool(what string, succeeded bool) {
	r.attempts++
	if succeeded {
		r.done = append(r.done, what)
	}
}
