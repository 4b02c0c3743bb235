package sandbox_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
)

// Whoever starts the tests in a container says with these what the container allows: the gaps
// of the sandbox, as protection=cause with commas between, or the permission that is missing.
const (
	gapsVar    = "SANDBOX_TEST_GAPS"
	refusedVar = "SANDBOX_TEST_REFUSED"
)

// The sandbox says exactly what the container that it is in does not allow.
func TestWhatIsAllowed(t *testing.T) {
	gaps, told := os.LookupEnv(gapsVar)
	permission, refused := os.LookupEnv(refusedVar)
	if !told && !refused {
		t.Skip("nobody said what is allowed here")
	}
	j, err := sandbox.New(nil)
	if refused {
		unavailable, ok := errors.AsType[*sandbox.Unavailable](err)
		if !ok || string(unavailable.Missing()) != permission {
			t.Fatalf("%v, want that %s is missing", err, permission)
		}
		for _, r := range unavailable.Refusals {
			t.Logf("%s: step %q, call %q, %v, missing %q", r.Way, r.Step, r.Call, r.Errno, r.Permission)
		}
		t.Log(err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	var got []string
	for _, g := range j.Missing() {
		if g.Cause == sandbox.NotInKernel { // whatever the container allows
			continue
		}
		got = append(got, string(g.Protection)+"="+string(g.Cause))
		t.Log(g)
	}
	want := strings.FieldsFunc(gaps, func(r rune) bool { return r == ',' })
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("gaps %q, want %q", got, want)
	}
}
