package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// podman is a podman with its own images, settings and network, which end with the test.
type podman struct{ network, args, env []string }

func newPodman(t *testing.T) *podman {
	t.Helper()
	dir := t.TempDir()
	settings := filepath.Join(dir, "containers.conf")
	const text = `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "crun"
`
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	policy := filepath.Join(dir, "policy.json")
	if err := os.WriteFile(policy, []byte(`{"default":[{"type":"insecureAcceptAnything"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	network := newNetwork(t)
	// crun refuses a mixture of both cgroup versions, so the script hides the second one.
	script := `umount /sys/fs/cgroup/unified 2>/dev/null; mount --bind "$1" /etc/containers/policy.json || exit; shift; exec podman "$@"`
	return &podman{
		network,
		append(network[1:len(network):len(network)], "unshare", "--mount", "sh", "-c", script, "podman", policy, "--root", filepath.Join(dir, "storage"), "--runroot", filepath.Join(dir, "run"), "--storage-driver", "vfs"),
		append(os.Environ(), "CONTAINERS_CONF="+settings),
	}
}

// newNetwork creates a network namespace with only a loopback address, and returns the command
// that runs others in it. So the containers can use their usual ports.
func newNetwork(t *testing.T) []string {
	t.Helper()
	holder := exec.Command("unshare", "--net", "sh", "-c", "ip link set lo up && echo up && exec sleep infinity")
	out, err := holder.StdoutPipe()
	if err == nil {
		err = holder.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = holder.Process.Kill(); _ = holder.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "up\n" {
		t.Fatalf("no network: %q %v", line, err)
	}
	return []string{"nsenter", fmt.Sprintf("--net=/proc/%d/ns/net", holder.Process.Pid)}
}

// try runs podman and returns its output.
func (p *podman) try(t *testing.T, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute) // longer than the test, for the cleanup
	defer stop()
	cmd := exec.CommandContext(ctx, p.network[0], append(p.args[:len(p.args):len(p.args)], args...)...)
	cmd.Env = p.env
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("podman %s: %w: %s", strings.Join(args, " "), err, complaints.String())
	}
	return strings.TrimSpace(string(out)), err
}

func (p *podman) must(t *testing.T, args ...string) string {
	t.Helper()
	out, err := p.try(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// load loads an image and returns its name.
func (p *podman) load(t *testing.T, pattern string) string {
	t.Helper()
	_, image, _ := strings.Cut(p.must(t, "load", "--input", delivered(t, pattern)), "Loaded image: ")
	t.Cleanup(func() {
		if out, err := p.try(t, "rmi", "--force", image); err != nil {
			t.Log(out, err)
		}
	})
	return image
}

// start runs an image without privileges and with a read-only root, until the test ends.
func (p *podman) start(t *testing.T, image string, args ...string) string {
	t.Helper()
	strict := []string{"run", "--detach", "--network", "host", "--read-only", "--cap-drop", "all", "--security-opt", "no-new-privileges"}
	it := p.must(t, append(append(strict, args...), image)...)
	t.Cleanup(func() {
		if out, err := p.try(t, "rm", "--force", "--volumes", "--time", "20", it); err != nil {
			t.Log(out, err)
		}
	})
	return it
}

// ready waits until a container is ready.
func (p *podman) ready(t *testing.T, it string) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		_, err = p.try(t, "exec", it, "/usr/bin/slipstick", "health")
		if err == nil {
			return
		}
	}
	out, _ := p.try(t, "logs", it)
	t.Fatal(err, out)
}

const address = "http://127.0.0.1:8080"

// asks sends a request within the network of the containers, and returns the status and the body.
func (p *podman) asks(t *testing.T, path string, more ...string) string {
	t.Helper()
	return output(t, p.network[0], append(append(p.network[1:], "curl", "-s", "-w", " %{http_code}", address+path), more...)...)
}

// calculation is a request, and what the answer must have.
type calculation struct{ tool, inputs, result string }

var (
	ofLibrary = calculation{"ohms-law", `{"V": 12, "R": 8}`, `"current":1.5`}
	published = calculation{"own-sheet", `{"width": 1, "height": 2, "density": 7850}`, `"mass":23.55`} // what slipstick new writes
)

// answers sends a calculation to the server of a container, and checks that a sandbox computed it.
func (p *podman) answers(t *testing.T, it string, c calculation) {
	t.Helper()
	if answer := p.asks(t, "/api/v1/calc/"+c.tool, "-H", "Content-Type: application/json", "-d", c.inputs); !strings.Contains(answer, c.result) || !strings.HasSuffix(answer, " 200") {
		t.Error(answer)
	}
	host := p.must(t, "inspect", "--format", "{{.State.Pid}}", it)
	status := output(t, "cat", "/proc/"+host+"/status")
	for _, want := range []string{"Uid:\t65532\t65532\t65532\t65532\n", "CapEff:\t0000000000000000\n", "CapBnd:\t0000000000000000\n", "NoNewPrivs:\t1\n", "Seccomp:\t2\n"} {
		if !strings.Contains(status, want) {
			t.Errorf("the host in the container has other rights than %q:\n%s", want, status)
		}
	}
	engines := strings.Fields(output(t, "pgrep", "--parent", host))
	for _, space := range []string{"user", "mnt", "pid", "net", "ipc", "uts"} {
		for _, engine := range engines {
			if outer, inner := output(t, "readlink", "/proc/"+host+"/ns/"+space), output(t, "readlink", "/proc/"+engine+"/ns/"+space); outer == inner {
				t.Errorf("an engine shares the %s namespace of its host", space)
			}
		}
	}
	if out := p.must(t, "logs", it); strings.Contains(out, "out of service") {
		t.Error(out)
	}
}

// TestPodman runs the image as in docs/guides/install.md, with the sandbox, in podman's default profile.
func TestPodman(t *testing.T) {
	p := newPodman(t)
	image := p.load(t, "slipstick-[0-9]*-linux-"+runtime.GOARCH+".docker.tar")
	t.Run("library", func(t *testing.T) {
		it := p.start(t, image)
		p.ready(t, it)
		p.must(t, "healthcheck", "run", it)
		p.answers(t, it, ofLibrary)
		if answer := p.must(t, "exec", it, "/usr/bin/slipstick", "calc", "ohms-law", "V=12", "R=8"); !strings.Contains(answer, "1.5 A") {
			t.Error(answer)
		}
	})
	t.Run("remote registry", func(t *testing.T) {
		registry := "SLIPSTICK_REGISTRY=oci://" + p.registry(t, image) + "/calc"
		it := p.start(t, image, "--env", registry)
		p.ready(t, it)
		p.answers(t, it, published)
		if answer := p.asks(t, "/api/v1/calc/"+ofLibrary.tool, "-d", ofLibrary.inputs); !strings.HasSuffix(answer, " 404") {
			t.Errorf("the library is served in addition to a remote registry: %s", answer)
		}
		alone := p.start(t, image, "--env", "SLIPSTICK_REGISTRY=oci://127.0.0.1:5001/calc", "--env", "SLIPSTICK_ADDR=127.0.0.1:8081")
		if code := p.must(t, "wait", alone); code == "0" || code == "2" {
			t.Errorf("a host without its registry ends with %s", code)
		}
	})
}

// registry runs Debian's registry in the network of the containers. A container checks an engine in its
// sandbox and publishes it. registry returns the URL of the registry.
func (p *podman) registry(t *testing.T, image string) string {
	t.Helper()
	const address = "127.0.0.1:5000"
	dir := t.TempDir()
	settings := filepath.Join(dir, "config.yml")
	text := fmt.Sprintf("version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: %q}}\nhttp: {addr: %q}\n", dir, address)
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	registry := exec.Command(p.network[0], append(p.network[1:], "docker-registry", "serve", settings)...)
	if err := registry.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = registry.Process.Kill(); _ = registry.Wait() })
	output(t, p.network[0], append(p.network[1:], "curl", "-s", "--retry", "100", "--retry-delay", "1", "--retry-connrefused", "http://"+address+"/v2/")...)
	work := t.TempDir()
	if err := os.Chmod(work, 0o777); err != nil { // for the user of the image
		t.Fatal(err)
	}
	for _, args := range [][]string{{"new", "--text", "structural.steel.own_sheet"}, {"publish", "--to", "oci://" + address + "/calc", "own_sheet.calc.md"}} {
		p.must(t, append([]string{
			"run", "--rm", "--network", "host", "--read-only", "--cap-drop", "all", "--security-opt", "no-new-privileges",
			"--volume", work + ":/work", "--workdir", "/work", image,
		}, args...)...)
	}
	return address
}
