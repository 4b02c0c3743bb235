package sandbox_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
)

// A script that starts the tests in a container sets these variables to the permissions of the
// container. One has the gaps of the sandbox, as protection=cause with commas between. The other
// has the permission that is missing.
const (
	gapsVar    = "SANDBOX_TEST_GAPS"
	refusedVar = "SANDBOX_TEST_REFUSED"
)

// The sandbox reports exactly the protections that its container does not allow.
func TestWhatIsAllowed(t *testing.T) {
	gaps, known := os.LookupEnv(gapsVar)
	permission, refused := os.LookupEnv(refusedVar)
	if !known && !refused {
		t.Skip("the permissions of this container are not known")
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
