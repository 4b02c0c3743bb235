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

// Bounds of what an agent needs. Before the texts of the tools were changed, the same solver solved 25 of the tasks,
// with 3 calls and 22,581 bytes.
const (
	leastSolved   = 25
	mostCalls     = 2    // median of the calls of a task
	mostBytes     = 6000 // median of the bytes of a task, requests and responses
	mostDescribed = 2500 // median of the bytes of a description
)

// checkAgents makes sure that a generic agent solves tasks with few calls and few bytes, and that descriptions are
// short.
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
		t.Logf("%-5v %d calls %6d bytes  %s: %+v", ok, s.calls, s.sent+s.received, task.Task, found)
		calls, bytes = append(calls, s.calls), append(bytes, s.sent+s.received)
	}
	slices.Sort(calls)
	slices.Sort(bytes)
	t.Logf("%d of %d solved, median %d calls and %d bytes", solved, len(tasks), calls[len(calls)/2], bytes[len(bytes)/2])
	if solved < leastSolved || calls[len(calls)/2] > mostCalls || bytes[len(bytes)/2] > mostBytes {
		t.Errorf("want at least %d, at most %d calls and %d bytes", leastSolved, mostCalls, mostBytes)
	}
	if n := h.describedBytes(t); n > mostDescribed {
		t.Errorf("the median description has %d bytes, more than %d", n, mostDescribed)
	}
}

// describedBytes returns the median size of the descriptions of all published capabilities.
func (h *server) describedBytes(t *testing.T) int {
	t.Helper()
	_, text := h.get(t, "/api/v1/capabilities")
	var list struct {
		Capabilities []struct {
			ID string `json:"capability_id"`
		}
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Capabilities) < 50 {
		t.Fatalf("%v in %.200s", err, text)
	}
	var sizes []int
	for _, c := range list.Capabilities {
		s := solver{t: t, server: h}
		s.call("describe_capability", map[string]any{"capability_id": c.ID})
		sizes = append(sizes, s.received)
	}
	slices.Sort(sizes)
	t.Logf("descriptions have %d to %d bytes, median %d", sizes[0], sizes[len(sizes)-1], sizes[len(sizes)/2])
	return sizes[len(sizes)/2]
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
