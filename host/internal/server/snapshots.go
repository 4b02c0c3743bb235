package server

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/platform/redis"
	"github.com/slipstick/slipstick/host/internal/source"
)

// LossError says that the store could lose snapshots before their time.
type LossError struct{ Err error }

func (e *LossError) Error() string {
	return "the snapshot store could lose snapshots: " + e.Err.Error()
}
func (e *LossError) Unwrap() error { return e.Err }

// openSnapshots opens the store of snapshots. It refuses a Redis that could lose them; one
// that is down, or a file that cannot be used, is no reason not to start.
func (s *Server) openSnapshots(ctx context.Context) (err error) {
	if err := s.openRedis(); err != nil {
		return err
	}
	keys, err := s.config.keys()
	if err != nil {
		return err
	}
	o := &snapshot.Options{Embed: s.config.Snapshots.Embed}
	o.File = snapshot.NewFile(s.config.Source.Data, &snapshot.FileOptions{Size: s.config.Snapshots.Size})
	if s.client == nil {
		if !o.Embed {
			s.keepIn(o.File)
		}
		s.snapshots, err = snapshot.New(keys, o)
		return err
	}
	o.Redis = s.client
	err = snapshot.CheckStore(ctx, s.client)
	switch {
	case errors.Is(err, snapshot.ErrUnavailable):
		s.log.Warn("the snapshot store cannot be reached; snapshots get embedded ids until it can", "error", err)
	case err != nil && s.config.Snapshots.Ephemeral:
		s.log.Warn("the snapshot store may lose snapshots, as --ephemeral-snapshots accepts", "error", err)
	case err != nil:
		return &LossError{err}
	}
	s.snapshots, err = snapshot.New(keys, o)
	return err
}

// keepIn keeps snapshots in the file.
func (s *Server) keepIn(file *snapshot.File) {
	s.file = file
	if err := file.Check(); err != nil {
		s.log.Warn("snapshots cannot be kept; they get embedded ids until they can", "error", err)
	}
}

// keys reads the keys that sign snapshots.
func (c *Config) keys() (*snapshot.Keys, error) {
	keys, err := snapshot.LoadKeys(filepath.Join(c.Source.Data, "keys"), c.Snapshots.Keys...)
	if err != nil {
		return nil, fmt.Errorf("keys of snapshots: %w", err)
	}
	return keys, nil
}

// openRedis makes the client of the configured Redis, if there is one. It does not connect
// yet.
func (s *Server) openRedis() (err error) {
	if s.config.Snapshots.Redis == "" {
		return nil
	}
	s.client, err = redis.Open(s.config.Snapshots.Redis)
	if err != nil {
		s.client = nil
		return &source.SettingError{Err: fmt.Errorf("--redis: %w", err)}
	}
	s.closers = append(s.closers, func() { _ = s.client.Close() })
	return nil
}
