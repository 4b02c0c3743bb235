package sandbox

import (
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/engine/sandbox/shim"
)

// The error names the permission that is missing, and how to grant it.
func TestDiagnose(t *testing.T) {
	started := func(errno syscall.Errno) Refusal { return Refusal{Way: InUserNamespace, Call: startCall, Errno: errno} }
	shimmed := func(call string, errno syscall.Errno) Refusal {
		return Refusal{Way: InUserNamespace, Call: call, Errno: errno}
	}
	free := system{users: 100, cloning: unix.EINVAL}
	with := func(change func(*system)) system {
		s := free
		change(&s)
		return s
	}
	filtered := with(func(s *system) { s.filtered = true })
	for name, tt := range map[string]struct {
		refusal Refusal
		system  system
		want    Permission
	}{
		"a filter refuses user namespaces":       {started(unix.EPERM), with(func(s *system) { s.filtered, s.cloning = true, unix.EPERM }), NamespaceCalls},
		"a filter knows no user namespaces":      {started(unix.EPERM), with(func(s *system) { s.filtered, s.cloning = true, unix.ENOSYS }), NamespaceCalls},
		"a filter that lets user namespaces be":  {started(unix.EPERM), filtered, ""},
		"a filter refuses mounts":                {shimmed("mount", unix.EPERM), filtered, NamespaceCalls},
		"a filter does not know move_mount":      {shimmed("move_mount", unix.ENOSYS), filtered, NamespaceCalls},
		"a filter refuses pivot_root":            {shimmed("pivot_root", unix.EPERM), filtered, NamespaceCalls},
		"a full disk is nobody's permission":     {shimmed("mount", unix.ENOSPC), filtered, ""},
		"no filter, mount refused":               {shimmed("mount", unix.EPERM), free, ""},
		"no more namespaces":                     {started(unix.ENOSPC), free, NamespaceCount},
		"no namespaces at all":                   {started(unix.EPERM), with(func(s *system) { s.users = 0 }), NamespaceCount},
		"too many processes":                     {started(unix.EAGAIN), filtered, Processes},
		"root without capabilities":              {started(unix.EPERM), with(func(s *system) { s.root = true }), OtherUsers},
		"a chroot":                               {started(unix.EPERM), with(func(s *system) { s.chrooted = true }), OwnRoot},
		"Debian's switch":                        {started(unix.EPERM), with(func(s *system) { s.noUsers, s.unpriv = true, true }), Unprivileged},
		"Debian's switch, which root may ignore": {started(unix.EPERM), with(func(s *system) { s.noUsers = true }), ""},
		"Ubuntu's switch":                        {shimmed("mount", unix.EACCES), with(func(s *system) { s.appArmor = true }), AppArmorUser},
		"AppArmor in Docker":                     {shimmed("mount", unix.EACCES), with(func(s *system) { s.filtered, s.label = true, "docker-default (enforce)" }), AppArmorProfile},
		"AppArmor that only complains":           {shimmed("mount", unix.EACCES), with(func(s *system) { s.label = "slipstick (complain)" }), ""},
		"SELinux":                                {shimmed("mount", unix.EACCES), with(func(s *system) { s.label = "system_u:system_r:container_t:s0:c1,c2" }), SELinuxLabel},
		"a masked /proc":                         {shimmed(shim.MountProc, unix.EPERM), with(func(s *system) { s.filtered, s.masked = true, true }), WholeProc},
		"nothing in memory may run":              {shimmed("execveat", unix.EACCES), with(func(s *system) { s.noMemfd = true }), MemoryExecutables},
		"nothing is known":                       {Refusal{Way: InUserNamespace}, filtered, ""},
	} {
		if got := diagnose(&tt.refusal, &tt.system); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// Every permission that can be named has a line that grants it.
func TestGrants(t *testing.T) {
	for _, o := range obstacles {
		r := Refusal{Way: InUserNamespace, Call: startCall, Errno: unix.EPERM, Permission: o.permission, Text: "start a process"}
		text := (&Unavailable{Refusals: []Refusal{r}}).Error()
		g := o.permission.grant()
		if g == nil || g.docker == "" && g.system == "" || strings.Contains(text, "CALL") || strings.Contains(text, "\n") {
			t.Errorf("%s: %s", o.permission, text)
		} else if !strings.Contains(text, g.docker) || !strings.Contains(text, g.kubernetes) || !strings.Contains(text, g.system) || !strings.Contains(text, "--no-sandbox") {
			t.Errorf("%s has no remedy: %s", o.permission, text)
		}
	}
	if text := (&Unavailable{Refusals: []Refusal{{Way: AsRoot, Call: "pivot_root", Permission: NamespaceCalls}}}).Error(); !strings.Contains(text, "refuses pivot_root;") {
		t.Errorf("the call is not named: %s", text)
	}
}

// Without a filter, the kernel refuses the invalid clone that detects filters, and makes no
// process.
func TestInvalidClone(t *testing.T) {
	if s := inspect(); !s.filtered && s.cloning != unix.EINVAL {
		t.Errorf("%v, want EINVAL", s.cloning)
	}
}
