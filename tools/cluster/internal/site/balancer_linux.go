package site

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/slipstick/slipstick/host/tools/cluster/internal/world"
)

// LoadBalancer is a load balancer in front of the servers. It runs with the published example.
type LoadBalancer struct {
	Addr netip.AddrPort

	site    *Site
	machine *world.Machine
	process *world.Process

	example, installed string // paths of the settings: in the examples, and where the load balancer reads them
	program            string
	args               []string
	ready              func(addr netip.AddrPort) bool
	server             func(line string) (name string, failed, ok bool) // parses a line of its log

	mu     sync.Mutex
	failed map[string]int // failed calls by server
	served map[string]int
	output []string // other lines
}

func useHAProxy(b *LoadBalancer) {
	b.example, b.installed = "balancer/haproxy.cfg", "/etc/haproxy/haproxy.cfg"
	b.program, b.args = "haproxy", []string{"-db", "-f", b.installed}
	b.server, b.ready = haproxyServer, serverReady
}

func useNginx(b *LoadBalancer) {
	b.example, b.installed = "balancer/nginx.conf", "/etc/nginx/nginx.conf"
	b.program, b.args = "nginx", []string{"-e", "stderr", "-g", "daemon off;", "-c", b.installed}
	b.server, b.ready = nginxServer, serverReady
}

func useGateway(b *LoadBalancer) {
	useNginx(b)
	b.example, b.ready = "gateway/nginx.conf", listening
	b.Addr = netip.AddrPortFrom(b.Addr.Addr(), 443)
}

// Install writes a file next to the settings of the load balancer.
func (b *LoadBalancer) Install(name string, text []byte) error {
	path := filepath.Join(filepath.Dir(b.installed), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// Edit changes the settings of the load balancer before it starts.
type Edit struct{ From, To string }

// Start installs the example with the edits, starts the load balancer, and returns when it answers.
func (b *LoadBalancer) Start(ctx context.Context, edits ...Edit) error {
	if err := b.install(edits...); err != nil {
		return err
	}
	b.Reset()
	process, err := b.machine.Start(ctx, world.StartOptions{Lines: b.read}, b.program, b.args...)
	if err != nil {
		return err
	}
	b.process = process
	err = await(ctx, b.machine.Name, startTime, func() bool {
		if ended, _ := process.Ended(); ended {
			return true
		}
		return b.ready(b.Addr)
	})
	if ended, how := process.Ended(); err == nil && ended {
		err = fmt.Errorf("it has ended: %w", how)
	}
	if err != nil {
		return fmt.Errorf("%s: %w; its output: %s", b.machine.Name, err, b.Output())
	}
	b.Reset()
	return nil
}

// install writes the settings.
func (b *LoadBalancer) install(edits ...Edit) error {
	text, err := os.ReadFile(filepath.Join(b.site.options.Deploy, b.example))
	if err != nil {
		return err
	}
	for _, e := range edits {
		if !strings.Contains(string(text), e.From) {
			return fmt.Errorf("%s has no %q", b.example, e.From)
		}
		text = []byte(strings.ReplaceAll(string(text), e.From, e.To))
	}
	return os.WriteFile(b.installed, text, 0o644)
}

// Reload makes the load balancer read changed settings.
func (b *LoadBalancer) Reload(edits ...Edit) error {
	if err := b.install(edits...); err != nil {
		return err
	}
	return b.process.Signal(syscall.SIGHUP)
}

// Stop ends the load balancer.
func (b *LoadBalancer) Stop() { _ = b.process.Stop(5 * time.Second) }

// serverReady reports whether a server answers through the load balancer that it is ready.
func serverReady(addr netip.AddrPort) bool {
	resp, err := impatient.Get("http://" + addr.String() + "/readyz")
	if err == nil {
		resp.Body.Close()
	}
	return err == nil && resp.StatusCode == http.StatusOK
}

// listening reports whether a process accepts connections at the address.
func listening(addr netip.AddrPort) bool {
	c, err := net.DialTimeout("tcp", addr.String(), time.Second)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// read reads a line of the log.
func (b *LoadBalancer) read(line string) {
	name, failed, ok := b.server(line)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case !ok:
		b.output = append(b.output, line)
		if len(b.output) > 200 {
			b.output = b.output[100:]
		}
	case failed:
		b.failed[name]++
		b.output = append(b.output, line)
	default:
		b.served[name]++
	}
}

// Reset sets the counters to zero.
func (b *LoadBalancer) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed, b.served = map[string]int{}, map[string]int{}
}

// Failed returns how many calls failed at each server, by the load balancer's log. A call that was sent to no
// server has an empty name.
func (b *LoadBalancer) Failed() map[string]int { return b.copied(b.failed) }

// Served returns how many calls each server answered.
func (b *LoadBalancer) Served() map[string]int { return b.copied(b.served) }

func (b *LoadBalancer) copied(from map[string]int) map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	to := map[string]int{}
	for name, n := range from {
		to[name] = n
	}
	return to
}

// Output returns the log lines of the load balancer without successful calls.
func (b *LoadBalancer) Output() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.output, "\n")
}

// haproxyLine matches option httplog: backend/server, times, status, bytes, cookies, and how the session ended.
var haproxyLine = regexp.MustCompile(` hosts/(\S+) [-0-9/+]+ (-?\d+) [0-9+]+ \S+ \S+ (\S)(\S)\S\S `)

func haproxyServer(line string) (name string, failed, ok bool) {
	m := haproxyLine.FindStringSubmatch(line)
	if m == nil {
		return "", false, false
	}
	name = m[1]
	if name == "<NOSRV>" {
		name = ""
	}
	ended := m[3]
	return name, strings.HasPrefix(m[2], "5") || ended != "-" && ended != "C", true
}

// nginxLine matches the log of the example: status, and the servers that were tried.
var nginxLine = regexp.MustCompile(`status=(\d+) host=(\S+)`)

func nginxServer(line string) (name string, failed, ok bool) {
	m := nginxLine.FindStringSubmatch(line)
	if m == nil {
		return "", false, false
	}
	return m[2], strings.HasPrefix(m[1], "5"), true
}

// Of returns the name of a server in the load balancer's log.
func (b *LoadBalancer) Of(h *Server) string {
	if b.program == "nginx" {
		return h.Addr.String()
	}
	return h.Name()
}
