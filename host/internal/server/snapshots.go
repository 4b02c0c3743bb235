package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slipstick/slipstick/host/internal/snapshot"
	"github.com/slipstick/slipstick/host/internal/source"
)

// LossError says that the store could lose snapshots before their time.
type LossError struct{ Err error }

func (e *LossError) Error() string {
	return "the snapshot store could lose snapshots: " + e.Err.Error()
}
func (e *LossError) Unwrap() error { return e.Err }

// openSnapshots opens the store of snapshots. It refuses a Redis that could lose them; one
// that is down is no reason not to start.
func (s *Server) openSnapshots(ctx context.Context) (err error) {
	if err := s.openRedis(); err != nil {
		return err
	}
	keys, err := s.config.keys()
	if err != nil {
		return err
	}
	if s.client == nil {
		s.snapshots, err = snapshot.New(keys, nil)
		return err
	}
	err = snapshot.CheckStore(ctx, s.client)
	switch {
	case errors.Is(err, snapshot.ErrUnavailable):
		s.log.Warn("the snapshot store cannot be reached; snapshots get embedded ids until it can", "error", err)
	case err != nil && s.config.Snapshots.Ephemeral:
		s.log.Warn("the snapshot store may lose snapshots, as --ephemeral-snapshots accepts", "error", err)
	case err != nil:
		return &LossError{err}
	}
	s.snapshots, err = snapshot.New(keys, &snapshot.Options{Redis: s.client})
	return err
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
	redis.SetLogger(redisLog{s.log})
	if s.client, err = redisClient(s.config.Snapshots.Redis); err != nil {
		s.client = nil
		return &source.SettingError{Err: fmt.Errorf("--redis: %w", err)}
	}
	s.closers = append(s.closers, func() { _ = s.client.Close() })
	return nil
}

// redisLog puts what the Redis library says into the host's log.
type redisLog struct{ log *slog.Logger }

func (l redisLog) Printf(_ context.Context, format string, args ...any) {
	l.log.Warn("redis", "message", fmt.Sprintf(format, args...))
}

// dialTimeout bounds a connection to Redis: what waits for it has another way.
const dialTimeout = time.Second

// redisClient understands the URLs of one server, of a cluster and of a failover set.
func redisClient(address string) (redis.UniversalClient, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("not a URL such as redis://127.0.0.1:6379/0") // the error would show a password
	}
	switch query := u.Query(); {
	case query.Has("master_name"):
		o, err := redis.ParseFailoverURL(address)
		if err != nil {
			return nil, err
		}
		o.ContextTimeoutEnabled, o.DialTimeout, o.DialerRetries = true, dialTimeout, 1
		return redis.NewFailoverClient(o), nil
	case query.Has("addr"):
		o, err := redis.ParseClusterURL(address)
		if err != nil {
			return nil, err
		}
		o.ContextTimeoutEnabled, o.DialTimeout, o.DialerRetries = true, dialTimeout, 1
		return redis.NewClusterClient(o), nil
	}
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, err
	}
	o.ContextTimeoutEnabled, o.DialTimeout, o.DialerRetries = true, dialTimeout, 1
	return redis.NewClient(o), nil
}
