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

// LossError means that the store can lose snapshots before they expire.
type LossError struct{ Err error }

func (e *LossError) Error() string {
	return "the snapshot store could lose snapshots: " + e.Err.Error()
}
func (e *LossError) Unwrap() error { return e.Err }

// openSnapshots opens the snapshot store. A Redis that can lose snapshots is an error. If Redis is
// down, or the file cannot be used, the server starts nevertheless.
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
			s.useFile(o.File)
		}
		s.snapshots, err = snapshot.New(keys, o)
		return err
	}
	o.Redis = s.client
	err = snapshot.CheckStore(ctx, s.client)
	switch {
	case errors.Is(err, snapshot.ErrUnavailable):
		s.log.Warn("the server cannot reach the snapshot store; new snapshots have embedded ids until it can", "error", err)
	case err != nil && s.config.Snapshots.Ephemeral:
		s.log.Warn("the snapshot store can lose snapshots; --ephemeral-snapshots allows this", "error", err)
	case err != nil:
		return &LossError{err}
	}
	s.snapshots, err = snapshot.New(keys, o)
	return err
}

// useFile stores snapshots in the file.
func (s *Server) useFile(file *snapshot.File) {
	s.file = file
	if err := file.Check(); err != nil {
		s.log.Warn("the server cannot use the snapshot file; new snapshots have embedded ids until it can", "error", err)
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

// openRedis creates the client of Redis, if Redis is configured. It does not connect yet.
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
