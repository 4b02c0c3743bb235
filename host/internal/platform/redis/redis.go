// Package redis is the client of the server for Redis: one Redis server, a failover set or a
// cluster. [Open] returns a [Client]. It keeps the deadlines of callers, and never reads from a
// replica, because replicas lag.
package redis

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/gomodule/redigo/redis"
)

// ErrNone is the error of a command if Redis has no value for the reply.
var ErrNone = errors.New("redis: there is no such value")

// Client sends commands to Redis. It is safe for concurrent use. Replies have the types of the
// protocol: string, int64 and []any. If the reply to a command is lost, the command is sent again.
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
	a, err := parse(address)
	if err != nil {
		return nil, err
	}
	switch {
	case a.master != "":
		return a.node(a.dialMaster), nil
	case len(a.hosts) > 1:
		return newCluster(a), nil
	}
	return a.nodeAt(a.hosts[0]), nil
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
	return errors.As(err, &answer) && strings.HasPrefix(string(answer), word)
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

// setting and about implement the methods of a Client with its Do.
func setting(ctx context.Context, c Client, name string) (string, error) {
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

func about(ctx context.Context, c Client, section string) (string, error) {
	reply, err := c.Do(ctx, "info", section)
	text, _ := reply.(string)
	return text, err
}
