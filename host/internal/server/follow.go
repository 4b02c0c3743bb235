package server

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/openapi"
)

// rest is how many times longer than a look the pause after it is: what takes long is not
// asked all the time.
const rest = 3

// follow makes what changes in the registry and in the settings effective until the
// returned function is called.
func (s *Server) follow(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.lookAgainAndAgain(ctx)
	}()
	return func() {
		cancel()
		select {
		case <-done:
		case <-time.After(time.Second): // a disk that hangs keeps nobody from ending
		}
	}
}

func (s *Server) lookAgainAndAgain(ctx context.Context) {
	every := s.config.Follow
	next := time.NewTimer(every)
	defer next.Stop()
	if every == 0 {
		next.Stop()
	}
	var reloads <-chan os.Signal
	if s.config.Reloader != nil {
		reloads = s.config.Reloader.Requests()
	}
	for {
		select {
		case <-reloads:
			s.reload(ctx)
		case <-next.C:
			began := time.Now()
			s.following.Look(ctx)
			next.Reset(max(every, rest*time.Since(began)))
		case <-ctx.Done():
			return
		}
	}
}

// published is the service as what follows the registry sees it: with a catalog the
// document of its addresses changes.
type published struct {
	*calc.Service
	server *Server
}

// Publish implements [source.Service].
func (p *published) Publish(catalog *calc.Catalog) {
	p.Service.Publish(catalog)
	if err := p.server.describe(); err != nil {
		p.server.log.Error("the OpenAPI document cannot be made", "error", err)
	}
}

// describe makes the OpenAPI document of what is published now.
func (s *Server) describe() error {
	document, err := openapi.Document(s.service.Catalog(), s.config.BaseURL)
	if err != nil {
		return err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, document); err != nil {
		return err
	}
	document = compact.Bytes()
	s.document.Store(&document)
	return nil
}
