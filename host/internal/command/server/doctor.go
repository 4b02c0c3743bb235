package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/host/internal/platform/redis"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk/preset"
)

// Doctor has the options of slipstick doctor. They have the same meaning as for slipstick serve.
type Doctor struct {
	JSON bool
	Addr string
	Data string

	command.RegistryFlags
	command.TrustFlags

	Redis              string
	EphemeralSnapshots bool
	SnapshotKey        []string
	command.SandboxFlags

	Config kong.ConfigFlag
}

// finding is the result of one check.
type finding struct {
	Check string `json:"check"`
	State state  `json:"state"`
	Text  string `json:"text"`
	Fix   string `json:"fix,omitempty"` // what to do, unless State is ok
}

type state string

const (
	ok      state = "ok"
	warning state = "warning" // a server works, with less than it could have
	failure state = "failure" // a server does not start, or does not answer
)

const checkTime = 10 * time.Second // for one check that asks another program

// Run checks whether a server can run on this machine, and prints a remedy for each fault.
func (c *Doctor) Run(ctx context.Context, s command.Streams) error {
	var list []finding
	for _, check := range []func(context.Context) []finding{c.sandbox, c.registry, c.data, c.keys, c.clock, c.redis, c.port} {
		within, cancel := context.WithTimeout(ctx, checkTime)
		found := check(within)
		cancel()
		if err := ctx.Err(); err != nil {
			return err
		}
		list = append(list, found...)
		if !c.JSON {
			for _, f := range found {
				printFinding(s.Out, f)
			}
		}
	}
	if c.JSON {
		if err := json.NewEncoder(terminal.Plain(s.Out)).Encode(map[string]any{"findings": list}); err != nil {
			return err
		}
	}
	failed := 0
	for _, f := range list {
		if f.State == failure {
			failed++
		}
	}
	if failed > 0 {
		return command.Refused(fmt.Errorf("a server cannot run here: %s", terminal.Count(failed, "failure")))
	}
	return nil
}

func printFinding(w io.Writer, f finding) {
	terminal.Printf(w, "%-8s %-9s %s\n", f.State, f.Check, f.Text)
	if f.Fix != "" {
		terminal.Printf(w, "%-8s %-9s to fix: %s\n", "", "", f.Fix)
	}
}

// sandbox makes the sandbox, and reports the protections that this machine lacks.
func (c *Doctor) sandbox(context.Context) (list []finding) {
	options := c.ConfineOptions(c.Own())
	box, err := sandbox.New(&options)
	if missing, isMissing := errors.AsType[*sandbox.Unavailable](err); isMissing {
		return []finding{{"sandbox", failure, "engines cannot be confined: " + missing.Reason(), missing.Remedy()}}
	}
	if err != nil {
		return []finding{{"sandbox", failure, err.Error(), "correct the named setting"}}
	}
	defer box.Close()
	switch box.Absence() {
	case sandbox.Unwanted:
		return []finding{{"sandbox", warning, "engines can do everything that this user can, because of --no-sandbox", "leave --no-sandbox and SLIPSTICK_NO_SANDBOX out"}}
	case sandbox.NotSupported:
		return []finding{{"sandbox", warning, "this operating system has no sandbox: engines can do everything that this user can", "run the server on Linux, or publish only engines that you trust"}}
	}
	list = []finding{{"sandbox", ok, "engines are confined", ""}}
	groups := finding{"cgroups", ok, "memory, tasks and CPU time of engines are limited", ""}
	for _, gap := range box.Missing() {
		f := finding{"sandbox", warning, gap.Consequence(), gap.Remedy()}
		switch gap.Protection {
		case sandbox.MemoryLimit, sandbox.TaskLimit, sandbox.CPUShares:
			f.Check, groups = "cgroups", finding{}
		}
		list = append(list, f)
	}
	if groups.Check != "" {
		list = append(list, groups)
	}
	return list
}

// registry reads everything that is published.
func (c *Doctor) registry(ctx context.Context) []finding {
	list, down, err := c.Place(c.TrustFlags).Capabilities(ctx, true)
	if command.Is[*source.SettingError](err) {
		return []finding{{"registry", failure, err.Error(), "correct the named setting"}}
	}
	if err != nil {
		return []finding{{"registry", failure, err.Error(), "check the address, the network and the password; slipstick serve --help has the flags"}}
	}
	var found []finding
	if down != nil {
		found = append(found, finding{"registry", warning, fmt.Sprintf("its mirror is used, because it cannot be read: %v", down), "check the address, the network and the password; slipstick serve --help has the flags"})
	}
	releases, tables := 0, 0
	for i := range list {
		if preset.IsTable(list[i].ID) {
			tables++
		}
		found = append(found, c.problems(&list[i])...)
		releases += len(list[i].Releases)
	}
	if releases == 0 {
		return append(found, finding{"registry", warning, c.Registry + " is empty", "slipstick mirror import FILE --to " + c.Registry})
	}
	return append(found, finding{"registry", ok, fmt.Sprintf("%s has %s of %s", c.Registry, terminal.Count(releases, "version"), terminal.Holdings(len(list)-tables, tables)), ""})
}

// problems reports what cannot be served of a capability.
func (c *Doctor) problems(of *registry.Capability) (list []finding) {
	const fix = "restore the registry from a backup, or publish the same release again; slipstick verify lists all faults"
	if of.Problem != nil {
		list = append(list, finding{"registry", warning, fmt.Sprintf("%s: %v", of.ID, of.Problem), fix})
	}
	for _, rel := range of.Releases {
		if rel.Problem != nil {
			list = append(list, finding{"registry", warning, fmt.Sprintf("%s %s: %v", of.ID, rel.Version, rel.Problem), fix})
		}
	}
	return list
}

// data writes a file into the data directory.
func (c *Doctor) data(context.Context) []finding {
	dir := c.Data
	for {
		_, err := os.Stat(dir)
		if err == nil || !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir) // the server makes what is missing
	}
	file, err := os.CreateTemp(dir, ".doctor-*")
	if err == nil {
		err = errors.Join(file.Sync(), file.Close(), os.Remove(file.Name()))
	}
	if err != nil {
		return []finding{{"data", failure, err.Error(), "name a directory that this user may write, with --data or SLIPSTICK_DATA"}}
	}
	return []finding{{"data", ok, c.Data + " can be written", ""}}
}

// keys reads the keys that sign snapshots. The registry check has read the trust file.
func (c *Doctor) keys(context.Context) []finding {
	keys, err := snapshot.FindKeys(filepath.Join(c.Data, "keys"), c.SnapshotKey...)
	if err != nil {
		return []finding{{"keys", failure, err.Error(), "correct the file or --snapshot-key; slipstick keys snapshots --help has their form"}}
	}
	if keys == nil {
		return []finding{{"keys", ok, "the first start creates a key for snapshots", ""}}
	}
	signs, all := keys.Fingerprints(time.Now())
	return []finding{{"keys", ok, fmt.Sprintf("%s for snapshots; %s signs", terminal.Count(len(all), "key"), signs), ""}}
}

// clock asks the system whether its clock is synchronized. Signatures contain its time.
func (c *Doctor) clock(context.Context) []finding {
	now := time.Now().UTC().Format(time.RFC3339)
	switch synchronized, known := isSynchronized(); {
	case !known:
		return []finding{{"clock", ok, now + "; this system does not report whether it is synchronized", ""}}
	case !synchronized:
		return []finding{{"clock", warning, now + ", and not synchronized: signatures and records have this time", "timedatectl set-ntp true, or in a container on the machine that runs it"}}
	}
	return []finding{{"clock", ok, now + ", and synchronized", ""}}
}

// redis asks the store for its settings.
func (c *Doctor) redis(ctx context.Context) []finding {
	if c.Redis == "" {
		return []finding{{"redis", ok, "not used: limits and short snapshots belong to this server alone", ""}}
	}
	client, err := redis.Open(c.Redis)
	if err != nil {
		return []finding{{"redis", failure, err.Error(), "correct --redis or SLIPSTICK_REDIS, such as redis://127.0.0.1:6379/0"}}
	}
	defer client.Close()
	err = snapshot.CheckStore(ctx, client)
	switch {
	case errors.Is(err, snapshot.ErrUnavailable):
		return []finding{{"redis", warning, err.Error(), "start Redis, or correct --redis; until then limits are per server, and snapshots have long ids"}}
	case err != nil && c.EphemeralSnapshots:
		return []finding{{"redis", warning, err.Error(), "change the named setting of Redis"}}
	case err != nil:
		return []finding{{"redis", failure, err.Error(), "change the named setting of Redis"}}
	}
	return []finding{{"redis", ok, "it answers, and keeps snapshots", ""}}
}

// port listens where the server would.
func (c *Doctor) port(ctx context.Context) []finding {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Addr)
	if err == nil {
		listener.Close()
		return []finding{{"port", ok, c.Addr + " is free", ""}}
	}
	_, port, _ := net.SplitHostPort(c.Addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE) && c.answers(ctx):
		return []finding{{"port", ok, "a server answers at " + c.Addr, ""}}
	case errors.Is(err, syscall.EADDRINUSE):
		return []finding{{"port", failure, c.Addr + " is taken by another program", "choose another --addr, or end the program that ss -ltnp 'sport = :" + port + "' shows"}}
	case errors.Is(err, os.ErrPermission):
		return []finding{{"port", failure, err.Error(), "choose a port above 1023 with --addr, or grant the capability CAP_NET_BIND_SERVICE"}}
	}
	return []finding{{"port", failure, err.Error(), "choose an address of this machine with --addr, such as 127.0.0.1:8080"}}
}

// answers reports whether a server of Slipstick listens at the address.
func (c *Doctor) answers(ctx context.Context) bool {
	asked, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+reachable(c.Addr)+"/livez", nil)
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(asked)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
	return answer.StatusCode == http.StatusOK && strings.Contains(string(text), `"status":"live"`)
}
