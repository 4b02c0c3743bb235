package system

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// namedPrograms print one result of the function with the plain name.
var namedPrograms = map[string]string{
	"go.mod": "module example.com/named\n\ngo 1.24\n",
	"main.go": `package main

import (
	"context"
	"fmt"
	"os"

	"example.com/named/calculations"
)

func main() {
	a, err := calculations.New(os.Args[1], nil).GreySurfaceRadiation(context.Background(), calculations.GreySurfaceRadiationInput{
		Emissivity: calculations.Some(0.9), Temperature: calculations.NewTemperature(350, "K"),
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(a.Result.HeatFlux)
}
`,
	"package.json": `{"type": "module"}`,
	"main.ts": `import { argv } from "node:process";
import { Client, q } from "./calculations/calculations.js";

const { result } = await new Client(argv[2] ?? "").greySurfaceRadiation({ emissivity: 0.9, temperature: q(350, "K") });
console.log(String(result.heat_flux));
`,
	"main.py": `import sys

from calculations.calculations import Client, Q

print(Client(sys.argv[1]).grey_surface_radiation(emissivity=0.9, temperature=Q(350, "K")).result.heat_flux)
`,
}

// An unchanged program prints the same numbers after a version was added and its client was written again. That holds
// in each language. The lock file and the Specs come from a running server. An upgrade changes the numbers.
func TestClientNamesKeepTheirVersions(t *testing.T) {
	busy(t)
	h := startAll(t)
	dir := t.TempDir()
	for name, text := range namedPrograms {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	compile, err := filepath.Abs(filepath.Join(root, "scripts", "node", "clients", "compile"))
	if err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(dir, "slipstick.lock")
	prints := func(want, python string) {
		t.Helper()
		for _, l := range languagesOfClients {
			does(t, "client", "--lock", lock, "--lang", l.lang, "--out", filepath.Join(dir, "calculations"))
			text, err := os.ReadFile(filepath.Join(dir, "calculations", l.file))
			if err != nil || strings.Contains(string(text), python) == (python == "") {
				t.Errorf("%s has %q: %v", l.file, python, err)
			}
		}
		for _, command := range []string{"go run . " + h.url, compile + " . --noCheck && node main.js " + h.url, "python3 -W error main.py " + h.url} {
			cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
			if out, err := cmd.Output(); err != nil || string(out) != want {
				t.Errorf("%s: %q, %v; want %q", command, out, err, want)
			}
		}
	}
	does(t, "lock", "--registry", h.url, "-o", lock, "grey-surface-radiation@1.0.0")
	prints("765.81850314375 W/m2\n", "1.0.0")
	out := does(t, "lock", "-o", lock, "grey-surface-radiation")
	if !strings.Contains(out, "the plain name means 1.0.0") || !strings.Contains(out, "--current ") {
		t.Errorf("lock prints %q", out)
	}
	prints("765.81850314375 W/m2\n", "2.0.0")
	does(t, "lock", "-o", lock, "--check")

	// The server has no engines to give away, so only the Specs are compared. With the registry, the answers are.
	again := filepath.Join(dir, "again.lock")
	text, err := os.ReadFile(lock)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(again, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-o", again, "--registry", built.registry}, {"-o", lock}} {
		out = does(t, append([]string{"lock", "--upgrade", "grey-surface-radiation"}, args...)...)
		compared := strings.Contains(out, "345 are answered differently")
		if !strings.Contains(out, "one is worded differently") || !strings.Contains(out, "2.0.0 replaces 1.0.0") || compared != (args[1] == again) {
			t.Errorf("%v: the impact is %s", args, out)
		}
	}
	prints("765.8195051509771 W/m2\n", "2.0.0")
}

// A lock file from a server is the one from its registry. The commands that cannot work with a server report that.
func TestLockFromServer(t *testing.T) {
	h := startAll(t)
	dir := t.TempDir()
	files := map[string]string{}
	for _, from := range []string{h.url, built.registry} {
		lock := filepath.Join(dir, "slipstick.lock")
		does(t, "lock", "--registry", from, "-o", lock)
		text, err := os.ReadFile(lock)
		if err != nil || os.Remove(lock) != nil {
			t.Fatal(err)
		}
		files[from] = strings.Replace(string(text), from, "PLACE", 1)
	}
	if files[h.url] != files[built.registry] {
		t.Errorf("the server gives another lock file than its registry:\n%.3000s", files[h.url])
	}
	at := filepath.Join(dir, "steel.lock")
	does(t, "lock", "--registry", h.url, "-o", at, "amps-to-volts")
	for _, tt := range []struct {
		args []string
		code int
		has  string
	}{
		{[]string{"lock", "-o", at, "--remove", "ohms-law"}, exitFailed, "no version of electrical.basic.ohms_law is locked"},
		{[]string{"lock", "-o", at, "--upgrade", "ohms-law"}, exitFailed, "no locked version has the plain name"},
		{[]string{"lock", "-o", at, "--current", "ohms-law"}, exitMisuse, "names no version"},
		{[]string{"lock", "-o", at, "--upgrade", "amps-to-volts"}, exitOK, "already"},
		{[]string{"lock", "-o", at, "--over", dir}, exitMisuse, "--over goes with --upgrade"},
		{[]string{"lock", "-o", at, "--check", "--remove", "ohms-law"}, exitMisuse, "change nothing"},
		{[]string{"lock", "-o", at, "--current", "ohms-law@1.0.1"}, exitOK, "means 1.0.1"},
		{[]string{"lock", "-o", at, "--remove", "ohms-law@1.0.1"}, exitOK, "removed ohms-law@1.0.1"},
		{[]string{"lock", "-o", filepath.Join(dir, "none"), "--remove", "ohms-law"}, exitMisuse, "slipstick lock makes one"},
		{[]string{"calc", "--registry", h.url, "ohms-law", "V=12"}, exitMisuse, "this needs engines"},
		{[]string{"verify", "--registry", h.url}, exitMisuse, "slipstick lock --check"},
		{[]string{"verify", "--registry", h.url, "--run", "ohms-law"}, exitMisuse, "--run needs engines"},
	} {
		r := slipstick(t.Context(), tt.args...)
		if r.code != tt.code || !strings.Contains(r.out+r.err, tt.has) {
			t.Errorf("%v: %d, want %d and %q\n%s%s", tt.args, r.code, tt.code, tt.has, r.out, r.err)
		}
	}
}

// A snapshot is verified with only a server: its public keys, and the digests of its releases.
func TestVerifyAtServer(t *testing.T) {
	h := startAll(t)
	_, created := h.post(t, "/api/v1/share", `{"tool_id":"ohms-law","inputs":{"V":12,"R":{"value":8,"unit":"ohm"}}}`)
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(created), &made); err != nil || made.ID == "" {
		t.Fatal(created, err)
	}
	_, signed := h.get(t, "/api/v1/share/"+made.ID+"/signed")
	for _, target := range []string{h.url + "/s/" + made.ID, write(t, "snapshot.json", signed)} {
		verifies(t, exitOK, []string{target, "--registry", h.url, "--keys", h.url}, "holds      snapshot signature", "holds      published release")
	}
}
