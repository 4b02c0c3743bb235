package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseMounts(t *testing.T) {
	compare := cmp.AllowUnexported(cgroupMount{})
	for name, tt := range map[string]struct {
		mounts, mine string
		want         []cgroupMount
	}{
		"version 2": {
			"30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n1 2 0:3 / /proc rw - proc proc rw\n",
			"0::/system.slice/slipstick.service\n",
			[]cgroupMount{{"/sys/fs/cgroup", "/sys/fs/cgroup/system.slice/slipstick.service", true, []string{"rw", "nsdelegate"}}},
		},
		"version 1 and 2": {
			"35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n" +
				"33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n",
			"9:name=systemd:/x\n4:memory:/a/b\n2:cpu,cpuacct:/\n0::/\n",
			[]cgroupMount{
				{"/sys/fs/cgroup/memory", "/sys/fs/cgroup/memory/a/b", false, []string{"rw", "memory"}},
				{"/sys/fs/cgroup/unified", "/sys/fs/cgroup/unified", true, []string{"rw"}},
				{"/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpu,cpuacct", false, []string{"rw", "cpu", "cpuacct"}},
				{"/sys/fs/cgroup/systemd", "/sys/fs/cgroup/systemd/x", false, []string{"rw", "name=systemd"}},
			},
		},
		"in a container": {
			"35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n36 31 0:33 /docker/other /sys/fs/cgroup/pids ro - cgroup cgroup rw,pids\n",
			"4:memory:/docker/abc\n3:pids:/docker/abc\n",
			[]cgroupMount{{"/sys/fs/cgroup/memory", "/sys/fs/cgroup/memory", false, []string{"rw", "memory"}}},
		},
		"nothing": {"nonsense\n1 2 - cgroup\n", "x\n", nil},
	} {
		if diff := cmp.Diff(tt.want, parseMounts(tt.mounts, tt.mine), compare); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSettings(t *testing.T) {
	l, err := Limits{}.complete()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range settings(&hierarchy{unified: true, controllers: controllers}, l) {
		got = append(got, s.file+"="+s.text)
	}
	want := []string{"memory.max=268435456", "memory.swap.max=0", "memory.oom.group=1", "pids.max=64", "cpu.weight=100", "cgroup.pressure=0"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// unifiedVar makes the test binary a server in its own group.
const unifiedVar = "SANDBOX_TEST_UNIFIED"

// The server prepares the unified hierarchy for groups of engines, wherever it was started, and
// restores it. The test uses a controller that this machine has in that hierarchy.
func TestUnified(t *testing.T) {
	if os.Getenv(unifiedVar) != "" {
		if err := tryUnified(os.Getenv(unifiedVar)); err != nil {
			t.Error(err)
		}
		return
	}
	m, controller := unifiedMount(t)
	for _, place := range []string{"alone", "delegated"} {
		t.Run(place, func(t *testing.T) {
			top := filepath.Join(m.top, fmt.Sprintf("slipstick-test-%d", os.Getpid()))
			group := top
			if place == "delegated" {
				group = filepath.Join(top, "host")
			}
			makeGroup(t, top)
			if err := setting(m.top, "cgroup.subtree_control", "+"+controller); err != nil {
				t.Skip(err)
			}
			if group != top {
				makeGroup(t, group)
				if err := syscall.Setxattr(top, "user.delegate", []byte("1"), 0); err != nil {
					t.Skip(err)
				}
			}
			dir, err := os.Open(group)
			if err != nil {
				t.Fatal(err)
			}
			defer dir.Close()
			cmd := exec.Command("/proc/self/exe", "-test.run", "^TestUnified$")
			cmd.Env = append(os.Environ(), unifiedVar+"="+controller+" "+top, "SANDBOX_TEST_EVIL=none")
			cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(dir.Fd())}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// unifiedMount finds the hierarchy and a controller in it.
func unifiedMount(t *testing.T) (cgroupMount, string) {
	t.Helper()
	for _, m := range cgroupMounts() {
		if available := words(m.top, "cgroup.controllers"); m.unified && len(available) > 0 && os.Geteuid() == 0 {
			controller := available[0]
			if enabled := words(m.top, "cgroup.subtree_control"); !slices.Contains(enabled, controller) {
				t.Cleanup(func() { _ = setting(m.top, "cgroup.subtree_control", "-"+controller) })
			}
			return m, controller
		}
	}
	t.Skip("no unified hierarchy with a controller")
	return cgroupMount{}, ""
}

func makeGroup(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := syscall.Rmdir(dir); err != nil {
			t.Error(err)
		}
	})
}

// tryUnified is the server in its own group.
func tryUnified(what string) error {
	controller, top, _ := strings.Cut(what, " ")
	var own cgroupMount
	for _, m := range cgroupMounts() {
		if m.unified {
			own = m
		}
	}
	h := openUnified(own, "slipstick-test", []string{controller})
	if h.dir != top || !slices.Equal(h.controllers, []string{controller}) {
		return fmt.Errorf("groups are made in %s with %v, want %s with %s", h.dir, h.controllers, top, controller)
	}
	engine := h.path("engine")
	if err := h.make(engine); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(engine, controller+".2MB.max")); controller == "hugetlb" && err != nil {
		return fmt.Errorf("the group has no limits: %w", err)
	}
	if err := syscall.Rmdir(engine); err != nil {
		return err
	}
	g := &groups{name: "slipstick-test", hierarchies: []*hierarchy{h}}
	j := &Sandbox{disk: 1 << 20, way: ways()[0], groups: g} // the program is started in its group
	if _, err := j.probe(nil); err != nil {
		return err
	}
	if err := j.Close(); err != nil {
		return err
	}
	if enabled := words(top, "cgroup.subtree_control"); len(enabled) > 0 {
		return fmt.Errorf("%v is still enabled", enabled)
	}
	if members := words(own.own, "cgroup.procs"); !slices.Equal(members, []string{strconv.Itoa(os.Getpid())}) {
		return fmt.Errorf("the host's group has %v", members)
	}
	if _, err := os.Stat(filepath.Join(top, "slipstick-test"+leaf)); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the server's own group is still there: %v", err)
	}
	return nil
}

// Sweep compares start times, because process ids are reused. It keeps groups that it cannot judge:
// servers in other containers may share these cgroups.
func TestSweep(t *testing.T) {
	var dir string
	for _, m := range cgroupMounts() {
		dir = m.own
	}
	if dir == "" || os.Geteuid() != 0 {
		t.Skip("no cgroups can be made")
	}
	pid, space := os.Getpid(), processSpace()
	if space == 0 {
		t.Fatal("this process does not know its PID namespace")
	}
	here, elsewhere := fmt.Sprintf("slipstick-%d", space), fmt.Sprintf("slipstick-%d", space+1)
	for name, stays := range map[string]bool{
		groupName() + ".7":                           true,
		fmt.Sprintf("%s-%d-1.7", here, pid):          false, // an earlier process with the same id
		here + "-4194999-5.7":                        false, // above the largest process id
		here + "-4194999-5" + leaf:                   false,
		elsewhere + "-4194999-5.7":                   true, // a process id that means another process there
		fmt.Sprintf("%s-x-%d.7", here, pid):          true,
		fmt.Sprintf("another-%d-4194999-5.7", space): true,
		fmt.Sprintf("%s-4194999-%d", here, pid):      true, // no dot: not a group of a server
	} {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Skip(err)
		}
		Sweep()
		if err := syscall.Rmdir(path); (err == nil) != stays {
			t.Errorf("%s: stays %v, want %v", name, err == nil, stays)
		}
	}
}
