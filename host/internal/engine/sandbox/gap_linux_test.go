package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// gapsVar makes the test binary a server that finds cgroups in a certain state.
const gapsVar = "SANDBOX_TEST_GROUPS"

// groupStates are the states of cgroups that a server can find, with the causes of the missing
// limits. Each is made in a mount namespace. The controller of version 2 is one that this machine
// has there.
var groupStates = map[string]struct {
	make        func() error
	controllers []string
	want        []Cause
}{
	"none": {
		make: func() error { return eachGroupMount(unmount) },
		want: []Cause{NotMounted, NotMounted, NotMounted},
	},
	"version 1 or both, read-only": {
		make: func() error { return eachGroupMount(readOnly) },
		want: []Cause{ReadOnly, ReadOnly, ReadOnly},
	},
	"version 2 without the controllers": {
		make: aloneUnified,
		want: []Cause{NotOffered, NotOffered, NotOffered},
	},
	"version 2, read-only": {
		make:        func() error { return firstError(aloneUnified, func() error { return readOnly("/sys/fs/cgroup") }) },
		controllers: []string{"hugetlb"},
		want:        []Cause{ReadOnly},
	},
	"version 2, of another user": {
		make:        func() error { return firstError(aloneUnified, becomeNobody) },
		controllers: []string{"hugetlb"},
		want:        []Cause{NotDelegated},
	},
	"version 2, with controllers": {
		make:        aloneUnified,
		controllers: []string{"hugetlb"},
		want:        nil,
	},
}

func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func readOnly(dir string) error {
	return unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "")
}

func eachGroupMount(do func(dir string) error) error {
	for _, m := range cgroupMounts() {
		if err := do(m.top); err != nil {
			return err
		}
	}
	return nil
}

func unmount(dir string) error { return unix.Unmount(dir, unix.MNT_DETACH) }

// aloneUnified leaves only the unified hierarchy mounted.
func aloneUnified() error {
	if err := eachGroupMount(unmount); err != nil {
		return err
	}
	return unix.Mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, "")
}

// becomeNobody gives up root for all threads.
func becomeNobody() error { return syscall.Setresuid(overflowID, overflowID, overflowID) }

// The server reports which limits of its engines are absent, and why, in every state of cgroups.
func TestGroupStates(t *testing.T) {
	if name := os.Getenv(gapsVar); name != "" {
		if err := findGaps(name); err != nil {
			t.Error(err)
		}
		return
	}
	if os.Geteuid() != 0 || len(cgroupMounts()) == 0 {
		t.Skip("only root mounts cgroups, where there are some")
	}
	for name, state := range groupStates {
		t.Run(name, func(t *testing.T) {
			if state.controllers != nil {
				unifiedMount(t) // skips
			}
			cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run", "^TestGroupStates$")
			cmd.Env = append(os.Environ(), gapsVar+"="+name, "SANDBOX_TEST_EVIL=none")
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
			out, err := cmd.CombinedOutput()
			if errors.Is(err, unix.EPERM) {
				t.Skip("this container makes no mount namespaces for root")
			}
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func findGaps(name string) error {
	state := groupStates[name]
	if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
		return err
	}
	if err := state.make(); err != nil {
		return err
	}
	if state.controllers != nil {
		for i, c := range state.controllers {
			protections[c] = protections[controllers[i]]
		}
		controllers = state.controllers
	}
	l, err := Limits{}.complete()
	if err != nil {
		return err
	}
	g := openGroups("slipstick-test-"+fmt.Sprint(os.Getpid()), l)
	defer g.close()
	var got []Cause
	for _, gap := range g.lacking {
		got = append(got, gap.Cause)
		if text := gap.String(); !strings.Contains(text, "no cgroup here limits") || !strings.Contains(text, remedies[gap.Cause]) {
			return fmt.Errorf("%+v has the text %q", gap, text)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(state.want) {
		return fmt.Errorf("causes %q, want %q", got, state.want)
	}
	return nil
}
