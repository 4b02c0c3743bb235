package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/develop"
	"github.com/slipstick/slipstick/host/internal/release/document"
	"github.com/slipstick/slipstick/host/internal/release/publish"
)

// Dev has the options of slipstick dev.
type Dev struct {
	Dir   string
	Addr  string // HOST:PORT of the pages
	Every time.Duration

	// PublishFlags returns the flags with which slipstick publish publishes Dir to a registry.
	PublishFlags func(ctx context.Context, s command.Streams, registry string) (*Publish, error)
	// Serve runs a server until ctx ends.
	Serve func(ctx context.Context, s command.Streams, d *Developed) error
}

// Developed is a server of the engine under development.
type Developed struct {
	Registry, Data string
	Addr           string // HOST:PORT that it listens on
	URL            string // that people open; it belongs to the front
}

// Run publishes and serves the engine again after every change, until ctx ends.
func (c *Dev) Run(ctx context.Context, s command.Streams) error {
	if !document.Is(c.Dir) {
		if info, err := os.Stat(c.Dir); err == nil && !info.IsDir() {
			return command.Misuse(fmt.Errorf("%s is neither the directory of a program nor a document: %w", c.Dir, document.ErrName))
		}
		err := build.Available()
		if err != nil {
			return err
		}
	}
	inner, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("the address %s is taken: stop the other slipstick dev with Ctrl+C, or choose another address with --addr", c.Addr)
	}
	if err != nil {
		return err
	}
	front := develop.NewFront(inner)
	pages := &http.Server{Handler: front, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		_ = pages.Serve(listener) // it ends with Close
	}()
	defer pages.Close()
	at := listener.Addr().String()
	fmt.Fprintf(s.Err, "slipstick: open http://%s\n", at)
	s.Err = &renaming{s.Err, inner, at}
	return develop.Run(ctx, develop.Config{
		Dir: c.Dir, Every: c.Every,
		Publish: func(ctx context.Context, registry string) (publish.Result, error) {
			front.Check()
			return c.publish(ctx, registry)
		},
		Serve: func(ctx context.Context, registry, data string) {
			command.End(s.Err, c.Serve(ctx, s, &Developed{Registry: registry, Data: data, Addr: inner, URL: "http://" + at}))
		},
		Observe: func(r publish.Result, err error) {
			terminal.Developed(s.Err, r, err)
			mistaken, ok := errors.AsType[*document.Error](err)
			switch {
			case err == nil:
				front.Good(developed(r, nil), catalog.PagePath(&r.Spec))
			case ok:
				front.Bad("it does not conform yet:", mistaken.Reports()...)
			default:
				front.Bad(developed(r, err))
			}
		},
	})
}

// developed returns the outcome of a check as text.
func developed(r publish.Result, err error) string {
	var b strings.Builder
	terminal.Developed(&b, r, err)
	if err == nil && r.Report != nil {
		b.WriteString(r.Report.Headline() + "\n")
	}
	return strings.TrimPrefix(b.String(), "slipstick: ")
}

// freeAddress returns an address of this machine that no program listens on.
func freeAddress(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// renaming replaces the address of the inner server in messages, because people open the front.
type renaming struct {
	io.Writer
	from, to string
}

// Write implements [io.Writer].
func (w *renaming) Write(p []byte) (int, error) {
	_, err := w.Writer.Write(bytes.ReplaceAll(p, []byte(w.from), []byte(w.to)))
	return len(p), err
}

func (c *Dev) publish(ctx context.Context, registry string) (publish.Result, error) {
	quiet := command.Streams{Out: io.Discard, Err: io.Discard} // the server prints the same warnings
	flags, err := c.PublishFlags(ctx, quiet, registry)
	if err != nil {
		return publish.Result{}, err
	}
	to, launch, end, err := flags.open(ctx, quiet)
	if err != nil {
		return publish.Result{}, err
	}
	defer end()
	if document.Is(c.Dir) {
		err := publish.UsedTables(ctx, to, c.Dir)
		if err != nil {
			return publish.Result{}, err
		}
	}
	return publish.Run(ctx, to, c.Dir, &publish.Options{Launch: launch, OwnSteps: true})
}
