// Package redis answers how a host reaches the Redis it was given: one server, a failover set
// or a cluster. What it returns keeps the deadlines of callers, and is never read from a
// replica, which lags behind.
//
// No other room imports the client library. It is large, and a room whose types show it takes
// three times as long to compile.
package redis

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	library "github.com/redis/go-redis/v9"
)

// ErrNone is the error of a command whose reply is that there is nothing.
var ErrNone = errors.New("redis: there is no such value")

// Client asks a Redis. It is safe for concurrent use. Replies are those of the protocol: string,
// int64 and []any.
type Client interface {
	// Do sends one command.
	Do(ctx context.Context, words ...any) (any, error)

	// Together sends commands at once. Their replies are dropped.
	Together(ctx context.Context, commands ...[]any) error

	// Setting returns the value of a setting, "" if there is no such setting. Nodes of a
	// cluster may differ: see EachNode.
	Setting(ctx context.Context, name string) (string, error)

	// About returns the section of that name of what Redis says about itself.
	About(ctx context.Context, section string) (string, error)

	// EachNode calls f for every node that holds data, at the same time.
	EachNode(ctx context.Context, f func(ctx context.Context, node Client) error) error

	Close() error
}

// dialTimeout bounds a connection: what waits for it has another way.
const dialTimeout = time.Second

// Open makes the client of an address: redis://HOST:PORT/DB for one server, with master_name=
// for a failover set, with addr= for further nodes of a cluster. It does not connect yet. The
// log gets what the client says between commands; it is one for all clients.
func Open(address string, log *slog.Logger) (Client, error) {
	library.SetLogger(logger{log})
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("not a URL such as redis://127.0.0.1:6379/0") // the error would show a password
	}
	switch query := u.Query(); {
	case query.Has("master_name"):
		o, err := library.ParseFailoverURL(address)
		if err != nil {
			return nil, err
		}
		o.ContextTimeoutEnabled, o.DialTimeout, o.DialerRetries = true, dialTimeout, 1
		return Of(library.NewFailoverClient(o))
	case query.Has("addr"):
		o, err := library.ParseClusterURL(address)
		if err != nil {
			return nil, err
		}
		o.ContextTimeoutEnabled, o.DialTimeout, o.DialerRetries = true, dialTimeout, 1
		return Of(library.NewClusterClient(o))
	}
	o, err := library.ParseURL(address)
	if err != nil {
		return nil, err
	}
	o.ContextTimeoutEnabled, o.DialTimeout, o.DialerRetries = true, dialTimeout, 1
	return Of(library.NewClient(o))
}

// Of returns a client of the library as a Client. It refuses one that would break what a Client
// promises.
func Of(client library.UniversalClient) (Client, error) {
	var bounded, replicas bool
	switch c := client.(type) {
	case *library.Client:
		bounded = c.Options().ContextTimeoutEnabled
	case *library.ClusterClient:
		o := c.Options()
		bounded, replicas = o.ContextTimeoutEnabled, o.ReadOnly || o.RouteByLatency || o.RouteRandomly
	default:
		return nil, fmt.Errorf("a %T does not do: use a client, a failover client or a cluster client", client)
	}
	switch {
	case !bounded:
		return nil, errors.New("the client of Redis needs ContextTimeoutEnabled: without it a call to a slow Redis takes as long as ReadTimeout")
	case replicas:
		return nil, errors.New("the client of Redis must not read from replicas, which lag behind")
	}
	return over{client}, nil
}

// over is a Client over one of the library.
type over struct{ library.UniversalClient }

func (c over) Do(ctx context.Context, words ...any) (any, error) {
	reply, err := c.UniversalClient.Do(ctx, words...).Result()
	if errors.Is(err, library.Nil) {
		return nil, ErrNone
	}
	return reply, err
}

func (c over) Together(ctx context.Context, commands ...[]any) error {
	_, err := c.Pipelined(ctx, func(p library.Pipeliner) error {
		for _, words := range commands {
			p.Do(ctx, words...)
		}
		return nil
	})
	return err
}

func (c over) Setting(ctx context.Context, name string) (string, error) {
	values, err := c.ConfigGet(ctx, name).Result()
	return values[name], err
}

func (c over) About(ctx context.Context, section string) (string, error) {
	return c.Info(ctx, section).Result()
}

func (c over) EachNode(ctx context.Context, f func(ctx context.Context, node Client) error) error {
	if cluster, ok := c.UniversalClient.(*library.ClusterClient); ok {
		return cluster.ForEachMaster(ctx, func(ctx context.Context, node *library.Client) error { return f(ctx, over{node}) })
	}
	return f(ctx, c)
}

// Script is a program that Redis runs in one step.
type Script struct{ text, sum string }

// NewScript returns the script with the text.
func NewScript(text string) *Script {
	sum := sha1.Sum([]byte(text)) // what Redis calls a script by
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

// IsRefusal reports whether Redis itself answered with an error that begins with the word, such
// as WRONGTYPE; "" stands for all.
func IsRefusal(err error, word string) bool {
	var answer library.Error
	return errors.As(err, &answer) && !errors.Is(err, library.Nil) && (word == "" || library.HasErrorPrefix(err, word))
}

// IsPassing reports whether the error passes without a change of settings: Redis was not
// reached, or is starting, full of clients or without a master.
func IsPassing(err error) bool {
	return library.IsLoadingError(err) || library.IsClusterDownError(err) || library.IsMasterDownError(err) ||
		library.IsTryAgainError(err) || library.IsMaxClientsError(err) || !IsRefusal(err, "")
}

// logger puts what the library says into the host's log.
type logger struct{ log *slog.Logger }

func (l logger) Printf(_ context.Context, format string, arguments ...any) {
	l.log.Warn("redis", "message", fmt.Sprintf(format, arguments...))
}
