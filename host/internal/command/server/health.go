package server

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
	"github.com/slipstick/slipstick/host/internal/command"
)

// Health has the options of slipstick health.
type Health struct {
	URL     string
	Live    bool
	Timeout time.Duration

	Addr string
}

// Run asks a server whether it is ready. Containers without other programs use it as their health check.
func (c *Health) Run(ctx context.Context, s command.Streams) error {
	at, err := url.Parse(cmp.Or(c.URL, "http://"+reachable(c.Addr)))
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return command.Misuse(fmt.Errorf("%q is not the URL of a server; write it as http://127.0.0.1:8080", c.URL))
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
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer answer.Body.Close()
	said := bufio.NewScanner(answer.Body)
	said.Scan()
	if answer.StatusCode != http.StatusOK {
		return command.Refused(fmt.Errorf("%s answers %s: %s", path, answer.Status, terminal.OneLine(said.Text())))
	}
	_, err = fmt.Fprintln(s.Out, terminal.OneLine(said.Text()))
	return err
}

// reachable returns an address at which a server on this machine answers. For a server that listens on all
// addresses it is the loopback address.
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
