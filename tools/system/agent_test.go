package system

import (
	"encoding/json"
	"math"
	"math/big"
	"path/filepath"
	"slices"
	"testing"

	"github.com/slipstick/slipstick/sdk/units"
)

// agentTask is a question with its answer. All tasks were written, and their answers computed by hand, before the
// texts of the tools were measured with them.
type agentTask struct {
	Task    string
	Tools   []string // capabilities that answer it
	Value   float64
	Unit    string
	RTol    float64
	ATol    float64
	Version string
	Refused string // error code, or NONE if no calculation fits
	By      string // formula of the answer
}

// leastSolved is how many tasks were solved when they were written.
const leastSolved = 25

// checkAgents makes sure that a generic agent solves tasks with few calls and few bytes.
func (h *server) checkAgents(t *testing.T) {
	var tasks []agentTask
	if err := json.Unmarshal(mustRead(t, filepath.Join("testdata", "agent_tasks.json")), &tasks); err != nil {
		t.Fatal(err)
	}
	var calls, bytes []int
	solved := 0
	for _, task := range tasks {
		s := solver{t: t, server: h}
		found := s.solve(task.Task)
		ok := task.isSolved(&found)
		if ok {
			solved++
		}
		t.Logf("%-5v %d calls %6d bytes  %s: %+v", ok, s.calls, s.bytes, task.Task, found)
		calls, bytes = append(calls, s.calls), append(bytes, s.bytes)
	}
	slices.Sort(calls)
	slices.Sort(bytes)
	t.Logf("%d of %d solved, median %d calls and %d bytes", solved, len(tasks), calls[len(calls)/2], bytes[len(bytes)/2])
	if solved < leastSolved {
		t.Errorf("%d of %d tasks are solved, fewer than %d", solved, len(tasks), leastSolved)
	}
}

// isSolved reports whether the solution is the answer to the task.
func (a *agentTask) isSolved(found *solution) bool {
	if a.Refused != "" || found.refused != "" {
		return a.Refused == found.refused
	}
	if !slices.Contains(a.Tools, found.tool) || a.Version != "" && a.Version != found.version {
		return false
	}
	return math.Abs(inSI(found.value, found.unit)-inSI(a.Value, a.Unit)) <= a.RTol*math.Abs(inSI(a.Value, a.Unit))+a.ATol
}

// inSI converts a value to the SI unit of its quantity.
func inSI(value float64, unit string) float64 {
	named := units.Named(unit)
	if len(named) == 0 {
		return value
	}
	exact := new(big.Rat).SetFloat64(value)
	if exact == nil {
		return value
	}
	converted, _ := units.Convert(exact, named[0], units.SI(named[0].Quantity)).Float64()
	return converted
}
