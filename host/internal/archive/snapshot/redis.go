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

// Deadlines of requests to Redis. A failed put is cheap, because the client gets an embedded id
// instead. A failed get of a short id has no alternative.
const (
	putDeadline = 250 * time.Millisecond
	getDeadline = time.Second
)

// client stores records in Redis.
type client struct {
	redis redis.Client
	toPut time.Duration // deadline
	toGet time.Duration // deadline
}

func newClient(c redis.Client, deadline time.Duration) *client {
	return &client{c, cmp.Or(deadline, putDeadline), cmp.Or(deadline, getDeadline)}
}

// put reads and writes in one atomic step.
func (c *client) put(ctx context.Context, id string, value []byte, _ time.Time) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.toPut)
	defer cancel()
	former, err := c.redis.Do(ctx, "set", keyPrefix+id, value, "ex", int(Lifetime.Seconds()), "nx", "get")
	if errors.Is(err, redis.ErrNone) {
		return nil, nil
	}
	return recordIn(former, err)
}

func (c *client) get(ctx context.Context, id string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.toGet)
	defer cancel()
	value, err := c.redis.Do(ctx, "get", keyPrefix+id)
	if errors.Is(err, redis.ErrNone) {
		return nil, ErrNotFound
	}
	return recordIn(value, err)
}

// recordIn returns the record in a reply, or an error.
func recordIn(reply any, err error) ([]byte, error) {
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
