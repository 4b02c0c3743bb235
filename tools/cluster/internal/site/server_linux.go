package site

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/tools/cluster/internal/world"
)

// Server is one server of the service.
type Server struct {
	Addr    netip.AddrPort
	Front   *world.Cable // to the load balancers and clients
	Back    *world.Cable // to Redis and the registry
	Program string       // the slipstick program for the next start
	Flags   []string     // in addition to the flags of every server
	Key     string       // replaces the key that all servers share

	site    *Site
	machine *world.Machine
	process *world.Process
}

// sharedKey signs the snapshots of all servers.
const sharedKey = "SLIPSTICK_SNAPSHOT_KEY=6b657920666f7220612074657374206f66206120636c757374657220686f7374"

// stopTime is how long a server may take to end.
const stopTime = 60 * time.Second

// Start starts the server and returns when it is ready.
func (h *Server) Start(ctx context.Context) error {
	data, err := h.site.world.Dir(h.machine.Name)
	if err != nil {
		return err
	}
	args := []string{
		"serve", "--addr", h.Addr.String(), "--base-url", "http://calc.example.org",
		"--registry", library, "--plain-http", "--mirror", filepath.Join(data, "mirror"), "--data", filepath.Join(data, "data"),
		"--redis", fmt.Sprintf("redis://%s:%d/0", addrRedis, portRedis),
		"--trusted-proxy", addrHAProxy.String(), "--trusted-proxy", addrNginx.String(), "--trusted-proxy", addrGateway.String(),
	}
	key := sharedKey
	if h.Key != "" {
		key = "SLIPSTICK_SNAPSHOT_KEY=" + h.Key
	}
	h.process, err = h.machine.Start(ctx, world.StartOptions{Env: []string{key}}, h.Program, append(args, h.Flags...)...)
	if err != nil {
		return err
	}
	return h.AwaitReady(ctx, startTime)
}

// AwaitReady returns when the server reports that it is ready.
func (h *Server) AwaitReady(ctx context.Context, within time.Duration) error {
	err := await(ctx, h.machine.Name+" ready", within, func() bool {
		if ended, _ := h.process.Ended(); ended {
			return true
		}
		r, err := h.Ready()
		return err == nil && r.Code == http.StatusOK
	})
	if ended, how := h.process.Ended(); err == nil && ended {
		err = fmt.Errorf("%s has ended: %w", h.machine.Name, how)
	}
	if err != nil {
		return fmt.Errorf("%w; its output: %s", err, h.process.Output())
	}
	return nil
}

// Stop asks the server to end and waits until it has ended.
func (h *Server) Stop() error {
	if err := h.process.Stop(stopTime); err != nil {
		return fmt.Errorf("%s: %w; its output: %s", h.machine.Name, err, h.process.Output())
	}
	return nil
}

// Process returns the running process of the server.
func (h *Server) Process() *world.Process { return h.process }

// Name returns the name of the server in the load balancers.
func (h *Server) Name() string { return h.machine.Name }

// Readiness is the readiness report of a server.
type Readiness struct {
	Code   int    `json:"-"`
	Text   string `json:"-"`
	Status string `json:"status"`
	Limits string `json:"limits"`
}

var impatient = &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// Ready requests the readiness report of the server.
func (h *Server) Ready() (Readiness, error) {
	var r Readiness
	resp, err := impatient.Get("http://" + h.Addr.String() + "/readyz?verbose")
	if err != nil {
		return r, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return r, err
	}
	r.Code, r.Text = resp.StatusCode, string(body)
	return r, json.Unmarshal(body, &r)
}

// StartAll starts all servers at once.
func (s *Site) StartAll(ctx context.Context) error {
	failed := make(chan error, Servers)
	for _, h := range s.Servers {
		go func() { failed <- h.Start(ctx) }()
	}
	var first error
	for range s.Servers {
		if err := <-failed; first == nil {
			first = err
		}
	}
	return first
}

// StopAll ends every server.
func (s *Site) StopAll() {
	for _, h := range s.Servers {
		if h.process != nil {
			h.process.Kill()
		}
	}
}

// Slipstick runs the command on another machine to its end.
func (s *Site) Slipstick(ctx context.Context, args ...string) (string, error) {
	dir, err := s.world.Dir("office")
	if err != nil {
		return "", err
	}
	program := filepath.Join(s.options.Programs, "slipstick")
	full := append([]string{"--net=/run/netns/" + s.office.Name, "--", program}, args...)
	full = append(full, "--plain-http", "--mirror", filepath.Join(dir, "mirror"))
	cmd := exec.CommandContext(ctx, "nsenter", full...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("slipstick %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

var engineDigest = regexp.MustCompile(`engine (sha256:[0-9a-f]{64})`)

// Publish publishes the engine of a version, which becomes the current one.
func (s *Site) Publish(ctx context.Context, version string) error {
	out, err := s.Slipstick(ctx, "publish", "--to", library, filepath.Join(s.options.Programs, "engine-"+version))
	if err != nil {
		return err
	}
	m := engineDigest.FindStringSubmatch(out)
	if m == nil {
		return fmt.Errorf("publish printed no digest: %s", out)
	}
	s.Truth.Publish(version, m[1])
	return nil
}

// Life changes the status of a version: promote, yank, revoke.
func (s *Site) Life(ctx context.Context, verb, version string) error {
	args := []string{verb, "cluster-probe", version, "--registry", library}
	if verb != "promote" {
		args = slices.Concat(args, []string{"--reason", "a test"})
	}
	_, err := s.Slipstick(ctx, args...)
	return err
}

// Metric reads a metric of the server.
func (h *Server) Metric(name string) (float64, error) {
	resp, err := impatient.Get("http://" + h.Addr.String() + "/metrics")
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(body)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("%s counts no %s", h.machine.Name, name)
}
