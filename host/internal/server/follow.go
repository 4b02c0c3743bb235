package server

import (
	"context"
	"os"
	"time"
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
		s.pollRegistry(ctx)
	}()
	return func() {
		cancel()
		select {
		case <-done:
		case <-time.After(time.Second): // a disk that hangs keeps nobody from ending
		}
	}
}

func (s *Server) pollRegistry(ctx context.Context) {
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
			s.follows.Load().Look(ctx)
			next.Reset(max(every, rest*time.Since(began)))
		case <-s.agreed.Nudged():
			if every > 0 {
				s.follows.Load().Look(ctx)
			}
		case <-ctx.Done():
			return
		}
	}
}
