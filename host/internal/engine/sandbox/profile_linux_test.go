package sandbox

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// profileRule is a rule of a seccomp profile, as Docker, Podman and containerd read it.
type profileRule struct {
	Comment  string
	Names    []string
	Action   string
	Args     []any
	Includes map[string]any
}

func readProfile(t *testing.T, path string) []profileRule {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Skip(err)
	}
	var p struct{ Syscalls []profileRule }
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatal(err)
	}
	return p.Syscalls
}

const shippedProfile = "../../../deploy/seccomp/slipstick.json"

// The profile for containers allows every call that the filter of the sandbox allows. So an engine
// runs in a container as it does elsewhere.
func TestProfileAllowsEngines(t *testing.T) {
	var allowed []string
	for _, r := range readProfile(t, shippedProfile) {
		allowed = append(allowed, r.Names...)
	}
	lists := regexp.MustCompile(`(?s)var (common|own) = \[\]uint32\{.*?\n\}`)
	call := regexp.MustCompile(`unix\.SYS_([A-Z0-9_]+)`)
	found := 0
	for _, file := range []string{"seccomp_linux.go", "machine_linux_amd64.go", "machine_linux_arm64.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Skip(err) // the tests run without their source
		}
		for _, list := range lists.FindAll(source, -1) {
			for _, name := range call.FindAllSubmatch(list, -1) {
				found++
				if n := strings.ToLower(string(name[1])); n != "fstatat" && !slices.Contains(allowed, n) { // newfstatat, elsewhere
					t.Errorf("an engine may call %s, and a container with the profile may not", n)
				}
			}
		}
	}
	if found < 150 {
		t.Errorf("only %d calls were found in the filter", found)
	}
}

// The profile allows the calls of Podman's default profile for all containers, the calls that it
// marks as added, and calls of newer kernels.
func TestProfileAddsLittle(t *testing.T) {
	newer := []string{"fchmodat2", "futex_requeue", "futex_wait", "futex_waitv", "futex_wake", "mseal", "socket"}
	var usual, added []string
	for _, r := range readProfile(t, "/usr/share/containers/seccomp.json") {
		if _, conditional := r.Includes["caps"]; r.Action == "SCMP_ACT_ALLOW" && !conditional {
			usual = append(usual, r.Names...)
		}
	}
	for _, r := range readProfile(t, shippedProfile) {
		if strings.HasPrefix(r.Comment, "ADDED") {
			added = append(added, r.Names...)
			continue
		}
		for _, name := range r.Names {
			if !slices.Contains(usual, name) && !slices.Contains(newer, name) {
				t.Errorf("%s is allowed, and is not marked as added", name)
			}
		}
	}
	slices.Sort(added)
	want := []string{"clone", "clone3", "mount", "mount_setattr", "move_mount", "open_tree", "pivot_root", "sethostname", "umount2", "unshare"}
	if !slices.Equal(added, want) {
		t.Errorf("added are %v, want %v", added, want)
	}
}
