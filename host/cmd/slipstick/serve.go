package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/api"
	"github.com/slipstick/slipstick/host/internal/calc"
)

type serveCmd struct {
	Addr     string `default:"127.0.0.1:8080" help:"Address to listen on; port 0 picks a free one." placeholder:"HOST:PORT"`
	BaseURL  string `name:"base-url" help:"Public address of the service, for the links in answers. Never taken from a request. Default: http:// and the address listened on." placeholder:"URL"`
	Registry string `default:"${registry}" env:"SLIPSTICK_REGISTRY" help:"Directory of the published engines." placeholder:"DIR"`
}

func (c *serveCmd) Help() string {
	return `Answers POST /api/v1/calc/{id}, and describes what is published at GET /api/v1/calc.

A release whose bytes are not the published ones, or whose engine does not start, is
reported and answered with 503, and an engine is tried again when it is asked for; the
others are served. When ready, one line beginning
"slipstick: serving http://" goes to stderr. SIGTERM or SIGINT lets the requests under
way finish and then ends the engines.`
}

// Limits of the HTTP server.
const (
	readHeaderTimeout = 2 * time.Second
	readTimeout       = 5 * time.Second
	writeTimeout      = 15 * time.Second
	idleTimeout       = 60 * time.Second
	maxHeaderBytes    = 16 << 10
	drainTimeout      = 10 * time.Second
)

func (c *serveCmd) Run(ctx context.Context, s streams) error {
	base, err := c.baseURL()
	if err != nil {
		return &failure{exitMisuse, err}
	}
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return &failure{exitInternal, fmt.Errorf("cannot listen: %w; is another server running? Choose another address with --addr", err)}
	}
	defer listener.Close()
	if base == "" {
		base = "http://" + listener.Addr().String()
	}
	log := slog.New(slog.NewTextHandler(s.err, nil))
	catalog, err := openCatalog(ctx, c.Registry)
	if err != nil {
		return err
	}
	engines, err := newEngines(log)
	if err != nil {
		return err
	}
	defer engines.pool.Close()
	service := calc.New(catalog, engines, &calc.Options{BaseURL: base})

	capabilities, releases, out := catalog.Summary(engines.startAll(ctx, catalog))
	for _, line := range out {
		fmt.Fprintln(s.err, "slipstick: out of service:", line)
	}
	if capabilities == 0 {
		fmt.Fprintf(s.err, "slipstick: the registry %s holds nothing that can be served; add engines with slipstick publish\n", c.Registry)
	}
	fmt.Fprintf(s.err, "slipstick: serving http://%s with %d capabilities in %d versions\n", listener.Addr(), capabilities, releases)
	return serve(ctx, listener, api.New(service, log), log)
}

// serve answers on the listener until the context ends, then lets the requests
// under way finish.
func serve(ctx context.Context, listener net.Listener, handler http.Handler, log *slog.Logger) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		return fmt.Errorf("requests were cut off after %s: %w", drainTimeout, errors.Join(err, server.Close()))
	}
	return nil
}

// baseURL is the configured public address without a slash at the end, "" if none.
func (c *serveCmd) baseURL() (string, error) {
	if c.BaseURL == "" {
		return "", nil
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", fmt.Errorf("--base-url %q is not an address such as https://calc.example.org", c.BaseURL)
	}
	return strings.TrimRight(c.BaseURL, "/"), nil
}
