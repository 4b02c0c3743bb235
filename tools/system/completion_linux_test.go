package system

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Each shell completes the text before a tab. The slipstick in this test prints its arguments.
func TestCompletion(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	shim := fmt.Sprintf("#!/bin/sh\ncase $1 in complete | completion) exec %q \"$@\" ;; esac\nprintf '<%%s>' \"$@\"; echo DONE\n", built.slipstick)
	if err := os.WriteFile(filepath.Join(bin, "slipstick"), []byte(shim), 0o700); err != nil {
		t.Fatal(err)
	}
	const ready = "READY>"
	for shell, start := range map[string]struct {
		args, setUp []string
	}{
		"bash": {[]string{"--norc", "--noprofile", "-i"}, []string{"source <(slipstick completion bash)", "PS1=READY''\\>"}},
		"zsh":  {[]string{"-f", "-i"}, []string{"autoload -U compinit; compinit -u -D", "source <(slipstick completion zsh)", "PS1=READY''\\>"}},
		"fish": {[]string{"--no-config", "-i"}, []string{"slipstick completion fish | source", "function fish_prompt; echo -n READY'>'; end"}},
	} {
		t.Run(shell, func(t *testing.T) {
			program, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(err)
			}
			keyboard, screen := openTerminal(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a shell that waits for more input never ends
			defer cancel()
			cmd := exec.CommandContext(ctx, program, start.args...)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir = screen, screen, screen, t.TempDir()
			cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TERM=dumb", "SLIPSTICK_REGISTRY=" + built.registry}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			screen.Close()
			defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
			seen := ""
			awaits := func(text string) {
				t.Helper()
				for piece := make([]byte, 4096); !strings.Contains(seen, text); {
					n, err := keyboard.Read(piece)
					seen += string(piece[:n])
					if err != nil {
						t.Fatalf("%v, and no %q in\n%s", err, text, seen)
					}
				}
				_, seen, _ = strings.Cut(seen, text)
			}
			types := func(text string) {
				t.Helper()
				if _, err := keyboard.WriteString(text); err != nil {
					t.Fatal(err)
				}
			}
			types(strings.Join(start.setUp, "\n") + "\n")
			for typed, want := range map[string]string{
				"slipstick publi\t--revi\tr1":                   "<publish><--revision><r1>",
				"slipstick check --format=ju\tx":                "<check><--format=junit><x>",
				"slipstick calc ohms-l\tcurr\t3":                "<calc><ohms-law><current=3>",
				"slipstick diff grey-surface-radiation@1\tx":    "<diff><grey-surface-radiation@1.0.0><x>",
				"slipstick yank grey-surf\t2\t--reason why":     "<yank><grey-surface-radiation><2.0.0><--reason><why>",
				"slipstick show electrical.ba\t--pin=1\t--json": "<show><electrical.basic.ohms_law><--pin=1.0.1><--json>",
			} {
				awaits(ready)
				types(typed + "\n")
				awaits(want + "DONE")
			}
		})
	}
}
