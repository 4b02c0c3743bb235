package world

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The test binary plays a rig when this variable is set. Outside the world, it creates one. Inside, it starts a
// program with this argument on a machine.
const playVar = "CLUSTER_TEST_PLAY"

func TestMain(m *testing.M) {
	mark := os.Getenv(playVar)
	switch {
	case mark == "":
		os.Exit(m.Run())
	case !Inside():
		code, err := Run(context.Background())
		if err != nil {
			fmt.Println(err)
		}
		os.Exit(code)
	}
	if err := play(mark); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	select {}
}

func play(mark string) error {
	w, err := Enter()
	if err != nil {
		return err
	}
	n, err := w.NewNet("net", netip.MustParsePrefix("10.77.0.254/24"))
	if err != nil {
		return err
	}
	m, err := w.NewMachine("one")
	if err != nil {
		return err
	}
	c, err := n.Plug(m, netip.MustParseAddr("10.77.0.1"))
	if err != nil {
		return err
	}
	if err := errors.Join(c.Cut(), c.Mend()); err != nil {
		return err
	}
	if _, err := m.Start(context.Background(), StartOptions{}, "sleep", mark); err != nil {
		return err
	}
	fmt.Println("standing")
	return nil
}

// A rig that is killed leaves no process.
func TestKilledRigLeavesNoProcess(t *testing.T) {
	mark := fmt.Sprintf("%d.25", 1_000_000+os.Getpid()) // seconds
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = append(os.Environ(), playVar+"="+mark)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if strings.Contains(line, "cannot be made") || strings.Contains(line, "not permitted") {
		_ = cmd.Wait()
		t.Skip(line)
	}
	if line != "standing\n" {
		t.Fatal("unexpected output ", line)
	}
	if !running(t, mark) {
		t.Error("the program does not run")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	for deadline := time.Now().Add(10 * time.Second); running(t, mark); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the program outlives the rig")
		}
	}
}

// running reports whether any program on this system runs with the argument.
func running(t *testing.T, arg string) bool {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range lines {
		line, _ := os.ReadFile(name) // the process may have ended
		if strings.HasPrefix(string(line), "sleep\x00"+arg) {
			return true
		}
	}
	return false
}
