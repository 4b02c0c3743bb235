package snapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

const keyPrefix = "slipstick:snapshot:"

// How long a Store waits for Redis. Whoever makes a snapshot gets an embedded id instead; whoever
// reads a short id has no other way.
const (
	putDeadline = 250 * time.Millisecond
	getDeadline = time.Second
)

// client keeps records in Redis.
type client struct {
	redis redis.Client
	toPut time.Duration // deadline
	toGet time.Duration // deadline
}

func newClient(c redis.Client, deadline time.Duration) *client {
	return &client{c, cmp.Or(deadline, putDeadline), cmp.Or(deadline, getDeadline)}
}

// put does both in one atomic step.
func (c *client) put(ctx context.Context, id string, value []byte, _ time.Time) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.toPut)
	defer cancel()
	former, err := c.redis.Do(ctx, "set", keyPrefix+id, value, "ex", int(Lifetime.Seconds()), "nx", "get")
	if errors.Is(err, redis.ErrNone) {
		return nil, nil
	}
	return kept(former, err)
}

func (c *client) get(ctx context.Context, id string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.toGet)
	defer cancel()
	value, err := c.redis.Do(ctx, "get", keyPrefix+id)
	if errors.Is(err, redis.ErrNone) {
		return nil, ErrNotFound
	}
	return kept(value, err)
}

// kept returns a reply that is a record, or why there is none.
func kept(reply any, err error) ([]byte, error) {
	text, ok := reply.(string)
	switch {
	case redis.IsRefusal(err, "WRONGTYPE"):
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	case !ok:
		return nil, fmt.Errorf("%w: redis: %T in place of a text", ErrCorrupt, reply)
	}
	return []byte(text), nil
}
