package wire_test

import (
	"bufio"
	"context"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

type discInput struct {
	Radius float64 `name:"radius" unit:"m" range:"(0,)" doc:"Radius of the disc."`
}

type discOutput struct {
	Area float64 `name:"area" unit:"m2" doc:"Area of one side."`
}

const discVectors = `[{"id": "D1", "inputs": {"radius": 2}, "expected": {"area": 12.566370614359172}, "source": "4 pi to 17 digits"}]`

// The main function of an engine has two statements. There is no output to compare: Serve
// returns when the server ends the process, and without a server it exits.
func ExampleServe() {
	engine := sdk.New(sdk.Spec{
		Capability: "geometry.areas.disc", Version: "1.0.0", Tool: "disc", Group: "areas",
		Title: "Disc", Summary: "Area of a disc.",
	}, func(_ context.Context, in discInput) (discOutput, error) {
		return discOutput{Area: math.Pi * in.Radius * in.Radius}, nil
	})
	wire.Serve(engine, []byte(discVectors))
}

// The example runs as a process of its own. Started by hand, it describes itself. Started by a
// server, it announces its socket.
func TestExampleServe(t *testing.T) {
	const plays = "SLIPSTICK_TEST_EXAMPLE"
	if os.Getenv(plays) != "" {
		ExampleServe()
		return
	}
	example := func() *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestExampleServe$")
		cmd.Env = append(os.Environ(), plays+"=1")
		return cmd
	}
	output, err := example().CombinedOutput()
	if err == nil || !strings.HasPrefix(string(output), "This is the engine geometry.areas.disc 1.0.0.") {
		t.Errorf("by hand: %v\n%s", err, output)
	}

	cmd := example()
	cmd.Env = append(cmd.Env, contract.CookieKey+"="+contract.CookieValue, "PLUGIN_PROTOCOL_VERSIONS=1", "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "1|1|unix|") {
		t.Errorf("to a host: %q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // it was killed
}
