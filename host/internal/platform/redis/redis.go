// Package redis is the client of the server for Redis: one Redis server, a failover set or a
// cluster. [Open] returns a [Client]. It keeps the deadlines of callers, and never reads from a
// replica, because replicas lag.
package redis

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

// ErrNone is the error of a command if Redis has no value for the reply.
var ErrNone = errors.New("redis: there is no such value")

const (
	dialTimeout  = time.Second     // of a connection: callers have another way if it fails
	callTimeout  = 3 * time.Second // of a command whose caller has no deadline
	redirections = 3               // of a command in a cluster
)

// Client sends commands to Redis. It is safe for concurrent use. Replies have the types of the
// protocol: string, int64 and []any. If the reply to a command is lost, the command is sent again
// before the deadline of its context. So a command must be safe if Redis runs it twice. The
// cancellation of a context does not end a command that was sent.
type Client interface {
	// Do sends one command. In a cluster the first key selects the node. The first key is the word
	// after the name of the command. For a script, it is the word after the number of keys.
	Do(ctx context.Context, words ...any) (any, error)

	// Together sends several commands at once, and drops their replies.
	Together(ctx context.Context, commands ...[]any) error

	// Setting returns the value of a setting, "" if there is no such setting. Nodes of a
	// cluster may differ: see EachNode.
	Setting(ctx context.Context, name string) (string, error)

	// About returns the section of that name from the INFO of Redis.
	About(ctx context.Context, section string) (string, error)

	// EachNode calls f for every node that holds data, at the same time.
	EachNode(ctx context.Context, f func(ctx context.Context, node Client) error) error

	Close() error
}

// Open returns the client of a URL: redis://HOST:PORT/DB for one server, with master_name= for a
// failover set, with addr= for further nodes of a cluster. It does not connect yet.
func Open(address string) (Client, error) {
	o, err := parse(address)
	if err != nil {
		return nil, err
	}
	logging.Disable() // each failure is also returned
	c := &universal{set: o.MasterName}
	switch {
	case o.MasterName != "":
		c.library = redis.NewFailoverClient(o.Failover())
	case len(o.Addrs) > 1:
		nodes := o.Cluster()
		nodes.DisableRoutingPolicies = true                          // they need the table of all commands
		nodes.ClusterStateReloadInterval = time.Second               // a node that is down does not redirect
		nodes.MaxRedirects = redirections + max(nodes.MaxRetries, 0) // attempts in other nodes are included
		nodes.MaxRetries = -1
		c.library = redis.NewClusterClient(nodes)
	default:
		c.library = redis.NewClient(o.Simple())
	}
	return c, nil
}

// universal is a Client of one server, a failover set or a cluster.
type universal struct {
	library redis.UniversalClient
	set     string // name of the failover set; "": none
}

func (c *universal) Do(ctx context.Context, words ...any) (any, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	reply, err := c.library.Do(ctx, words...).Result()
	return reply, c.failure(ctx, err)
}

func (c *universal) Together(ctx context.Context, commands ...[]any) error {
	ctx, cancel := limited(ctx)
	defer cancel()
	sent, _ := c.library.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, words := range commands {
			p.Do(ctx, words...)
		}
		return nil
	})
	for _, one := range sent {
		if err := c.failure(ctx, one.Err()); err != nil && err != ErrNone {
			return err
		}
	}
	return nil
}

func (c *universal) Setting(ctx context.Context, name string) (string, error) {
	reply, err := c.Do(ctx, "config", "get", name)
	if err != nil {
		return "", err
	}
	if pair, ok := reply.([]any); ok && len(pair) == 2 {
		value, _ := pair[1].(string)
		return value, nil
	}
	return "", nil
}

func (c *universal) About(ctx context.Context, section string) (string, error) {
	reply, err := c.Do(ctx, "info", section)
	text, _ := reply.(string)
	return text, err
}

func (c *universal) EachNode(ctx context.Context, f func(ctx context.Context, node Client) error) error {
	nodes, ok := c.library.(*redis.ClusterClient)
	if !ok {
		return f(ctx, c)
	}
	return nodes.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
		return f(ctx, &universal{library: node})
	})
}

func (c *universal) Close() error { return c.library.Close() }

// limited returns a context with a deadline.
func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, has := ctx.Deadline(); has {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, callTimeout)
}

// failure returns the error of a command for an error of the library.
func (c *universal) failure(ctx context.Context, err error) error {
	switch {
	case err == redis.Nil:
		return ErrNone
	case errors.Is(err, redis.Nil): // the reply of all sentinels
		return fmt.Errorf("redis: no sentinel knows a failover set %s", c.set)
	case err != nil && ctx.Err() != nil && !IsRefusal(err, ""):
		return ctx.Err()
	}
	return err
}

// Script is a program that Redis runs in one step.
type Script struct{ text, sum string }

// NewScript returns the script with the text.
func NewScript(text string) *Script {
	sum := sha1.Sum([]byte(text)) // the name of a script in Redis
	return &Script{text, hex.EncodeToString(sum[:])}
}

// Run runs the script. Its text is sent only if Redis does not know it.
func (s *Script) Run(ctx context.Context, c Client, keys []string, arguments ...any) (any, error) {
	words := make([]any, 0, 3+len(keys)+len(arguments))
	words = append(words, "evalsha", s.sum, len(keys))
	for _, key := range keys {
		words = append(words, key)
	}
	words = append(words, arguments...)
	reply, err := c.Do(ctx, words...)
	if IsRefusal(err, "NOSCRIPT") {
		words[0], words[1] = "eval", s.text
		reply, err = c.Do(ctx, words...)
	}
	return reply, err
}

// IsRefusal reports whether Redis itself answered with an error that starts with the word, such as
// WRONGTYPE. The word "" matches all errors.
func IsRefusal(err error, word string) bool {
	var answer redis.Error
	return errors.As(err, &answer) && strings.HasPrefix(answer.Error(), word)
}

// IsPassing reports whether the error can end without a change of settings. Then Redis was not
// reached, is starting, has too many clients, or has no master.
func IsPassing(err error) bool {
	return !IsRefusal(err, "") || isBusy(err)
}

// isBusy reports whether Redis cannot answer now.
func isBusy(err error) bool {
	for _, word := range []string{"LOADING ", "CLUSTERDOWN ", "MASTERDOWN ", "TRYAGAIN ", "ERR max number of clients reached"} {
		if IsRefusal(err, word) {
			return true
		}
	}
	return false
}
