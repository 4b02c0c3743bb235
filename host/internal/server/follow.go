package server

import (
	"context"
	"os"
	"time"
)

// pauseRatio is the minimum ratio of the pause after a look at the registry to the time of the look. So a
// slow registry is not read all the time.
const pauseRatio = 3

// follow applies changes of the registry and of the settings until the returned function is called.
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
		case <-time.After(time.Second): // a disk that hangs must not prevent the end of the server
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
			started := time.Now()
			s.follows.Load().Look(ctx)
			next.Reset(max(every, pauseRatio*time.Since(started)))
		case <-s.agreed.Nudged():
			if every > 0 {
				s.follows.Load().Look(ctx)
			}
		case <-ctx.Done():
			return
		}
	}
}
