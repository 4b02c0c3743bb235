package system

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// session returns the commands of a document for one shell: a block with several commands, and the output of the
// last one.
func session(t *testing.T, document string) (commands []string, printed string) {
	t.Helper()
	for _, b := range blocks(document) {
		if !b.isSession() {
			continue
		}
		if commands != nil {
			t.Fatalf("line %d: another block with several commands", b.first)
		}
		for i, line := range b.lines {
			command, ok := strings.CutPrefix(line, "$ ")
			if !ok {
				return commands, strings.Join(b.lines[i:], "\n")
			}
			commands = append(commands, command)
		}
	}
	t.Fatal("the document has no block with several commands that print something")
	return nil, ""
}

// The six commands of the guide start three servers that form one service. Each server can read the snapshots of
// the others, and knows the others.
func TestThreeServers(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"redis-server", "haproxy", "openssl", "curl"} {
		if _, err := exec.LookPath(program); err != nil || runtime.GOOS != "linux" {
			t.Skip(program, "is not installed; scripts/test installs it on Debian")
		}
	}
	commands, printed := session(t, string(mustRead(t, filepath.Join(root, "docs", "guides", "several-servers.md"))))
	if len(commands) != 6 {
		t.Errorf("the guide has %d commands for three servers instead of six", len(commands))
	}
	// The ports are from the guide. The loopback address is unique to this process.
	address := fmt.Sprintf("127.%d.%d.9", 64+os.Getpid()>>8&63, os.Getpid()&255)
	script := strings.NewReplacer("/usr/share/doc/slipstick/examples", "host/deploy", "127.0.0.1:", address+":", "--bind 127.0.0.1", "--bind "+address).Replace(strings.Join(commands, "\n"))
	// The shell ends when its stdin is closed.
	shell := exec.Command("bash", "-c", "trap 'kill -9 $(jobs -p); wait' EXIT\n"+script+"\nread -r")
	shell.Dir = checkout(t, built.registry)
	shell.Env = append(os.Environ(), "PATH="+filepath.Join(shell.Dir, "bin")+":"+os.Getenv("PATH"))
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var complaints strings.Builder
	shell.Stderr = &complaints
	input, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := shell.StdoutPipe()
	if err == nil {
		err = shell.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(2*time.Minute, func() { _ = syscall.Kill(-shell.Process.Pid, syscall.SIGKILL) })
	t.Cleanup(func() {
		input.Close()
		_ = shell.Wait()
		hung.Stop()
		if t.Failed() {
			t.Log(complaints.String())
		}
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != printed+"\n" {
		t.Fatalf("the commands print %q: %v\nthe guide has %q", line, err, printed)
	}
	checkOneService(t, address)
}

// checkout returns a directory with the files that the commands use from the top of a checkout.
func checkout(t *testing.T, registry string) string {
	t.Helper()
	dir := t.TempDir()
	deploy, err := filepath.Abs(filepath.Join(root, "host", "deploy"))
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{built.slipstick: "bin/slipstick", registry: "var/registry", deploy: "host/deploy"} {
		to = filepath.Join(dir, to)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(from, to); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// checkOneService checks that the servers at the load balancer's address know each other and share the snapshot key.
func checkOneService(t *testing.T, address string) {
	t.Helper()
	balancer := &server{url: "http://" + address + ":8090"}
	hosts := []*server{{url: "http://" + address + ":8091"}, {url: "http://" + address + ":8092"}, {url: "http://" + address + ":8093"}}
	for _, h := range hosts {
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			ready, how := h.get(t, "/readyz")
			if _, figures := h.get(t, "/metrics"); ready == 200 && strings.Contains(figures, "\nslipstick_agreement_hosts 3\n") {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s is not ready, or does not know of three hosts: %d %s", h.url, ready, how)
			}
		}
	}
	status, id, created := balancer.createSnapshot(t)
	if status != 200 && status != 201 {
		t.Fatalf("%d %s", status, created)
	}
	for _, h := range hosts {
		if status, read := h.getStored(t, "/api/v1/share/"+id); status != 200 || !strings.Contains(read, id) {
			t.Errorf("%s cannot read the snapshot: %d %s", h.url, status, read)
		}
	}
}
