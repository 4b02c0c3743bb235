package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
)

type healthCmd struct {
	URL     string        `arg:"" optional:"" help:"Address of the host, such as http://127.0.0.1:8080. Default: where serve listens on this machine, by SLIPSTICK_ADDR."`
	Live    bool          `help:"Ask /livez instead of /readyz: does the process answer at all?"`
	Timeout time.Duration `default:"3s" help:"Time to wait for the answer. Default: ${default}." placeholder:"TIME"`

	Addr string `hidden:"" default:"127.0.0.1:8080" env:"SLIPSTICK_ADDR"`
}

// Run asks a host how it is. It is the health check of containers that have no other
// program.
func (c *healthCmd) Run(ctx context.Context, s streams) error {
	at, err := url.Parse(cmp.Or(c.URL, "http://"+reachable(c.Addr)))
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return &failure{exitMisuse, fmt.Errorf("%q is not the address of a host; write it as http://127.0.0.1:8080", c.URL)}
	}
	path := "/readyz"
	if c.Live {
		path = "/livez"
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	asked, err := http.NewRequestWithContext(ctx, http.MethodGet, at.JoinPath(path).String(), nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(asked)
	if err != nil {
		return fmt.Errorf("the host does not answer: %w", err)
	}
	defer answer.Body.Close()
	said := bufio.NewScanner(answer.Body)
	said.Scan()
	if answer.StatusCode != http.StatusOK {
		return &failure{exitFailed, fmt.Errorf("%s answers %s: %s", path, answer.Status, terminal.OneLine(said.Text()))}
	}
	_, err = fmt.Fprintln(s.out, terminal.OneLine(said.Text()))
	return err
}

// reachable is where a host that listens on an address can be asked on its own machine: one
// that listens on all addresses is asked at the loopback.
func reachable(listens string) string {
	host, port, err := net.SplitHostPort(listens)
	if err != nil {
		return listens
	}
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip.Is6() {
			host = "::1"
		}
	}
	return net.JoinHostPort(host, port)
}
