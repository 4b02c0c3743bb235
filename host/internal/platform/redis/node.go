package redis

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"runtime"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
)

const (
	dialTimeout = time.Second     // of a connection: callers have another way if it fails
	callTimeout = 3 * time.Second // of a command whose caller has no deadline
	firstWait   = 8 * time.Millisecond
)

var (
	errProtocol = errors.New("redis: the reply is not of the form that the command has")
	errClosed   = errors.New("redis: the client is closed")
)

// connection is a connection to a server.
type connection struct {
	library redis.Conn
	socket  net.Conn
	era     int // the era of its node when it was made
}

// close closes the socket first, because TLS would send a message to a server that may not read it.
func (c *connection) close() {
	c.socket.Close()
	c.library.Close()
}

// do sends a command. The command ends with the context.
func (c *connection) do(ctx context.Context, words ...any) (any, error) {
	replies, err := c.send(ctx, [][]any{words})
	if err != nil {
		return nil, err
	}
	if refusal, ok := replies[0].(redis.Error); ok {
		return nil, refusal
	}
	return replies[0], nil
}

// send sends commands at once, and returns their replies, refusals among them. After an error the
// connection cannot be used.
func (c *connection) send(ctx context.Context, commands [][]any) (replies []any, err error) {
	inTime := context.AfterFunc(ctx, func() { c.socket.Close() })
	defer func() {
		if !inTime() {
			c.close()
		}
		if err != nil && ctx.Err() != nil {
			err = ctx.Err()
		}
	}()
	for _, words := range commands {
		name, _ := words[0].(string)
		if err := c.library.Send(name, words[1:]...); err != nil {
			return nil, err
		}
	}
	return redis.Values(c.library.Do(""))
}

// node is one server, or the master of a failover set. It keeps connections.
type node struct {
	dial    func(ctx context.Context) (*connection, error)
	retries int
	places  chan struct{} // one for each connection in use

	mu     sync.Mutex
	idle   []*connection
	era    int // increases when a connection is lost, because the others are lost too
	closed bool
}

func (a *address) node(dial func(ctx context.Context) (*connection, error)) *node {
	return &node{dial: dial, retries: a.retries, places: make(chan struct{}, 10*runtime.GOMAXPROCS(0))}
}

func (a *address) nodeAt(host string) *node {
	return a.node(func(ctx context.Context) (*connection, error) { return a.dial(ctx, host) })
}

func (n *node) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	n.drop()
	return nil
}

// drop closes the idle connections.
func (n *node) drop() {
	for _, c := range n.idle {
		c.close()
	}
	n.idle = nil
}

// take returns a connection. The caller must put it back. If the caller stops waiting for a new
// connection, take still completes it for the next caller.
func (n *node) take(ctx context.Context) (*connection, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	select {
	case n.places <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	n.mu.Lock()
	era, closed := n.era, n.closed
	if last := len(n.idle) - 1; last >= 0 {
		c := n.idle[last]
		n.idle = n.idle[:last]
		n.mu.Unlock()
		return c, nil
	}
	n.mu.Unlock()
	if closed {
		<-n.places
		return nil, errClosed
	}
	type result struct {
		c   *connection
		err error
	}
	made := make(chan result, 1)
	go func() {
		c, err := n.dial(context.WithoutCancel(ctx))
		if err == nil {
			c.era = era
		}
		made <- result{c, err}
	}()
	select {
	case one := <-made:
		if one.err != nil {
			<-n.places
		}
		return one.c, one.err
	case <-ctx.Done():
		go func() {
			if one := <-made; one.err == nil {
				n.put(one.c)
			} else {
				<-n.places
			}
		}()
		return nil, ctx.Err()
	}
}

// put takes a connection back.
func (n *node) put(c *connection) {
	n.mu.Lock()
	if c.library.Err() != nil || c.era != n.era || n.closed {
		c.close()
	} else {
		n.idle = append(n.idle, c)
	}
	n.mu.Unlock()
	<-n.places
}

// lost ends the era of a connection that the server has closed. The server has also closed the
// others, or is not the master any more.
func (n *node) lost(c *connection) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.era == n.era {
		n.era++
		n.drop()
	}
}

// send sends commands once.
func (n *node) send(ctx context.Context, commands [][]any) ([]any, error) {
	c, err := n.take(ctx)
	if err != nil {
		return nil, err
	}
	defer n.put(c)
	replies, err := c.send(ctx, commands)
	if err != nil && ctx.Err() == nil {
		n.lost(c)
	}
	for i, reply := range replies {
		if refusal, ok := reply.(redis.Error); ok {
			if IsRefusal(refusal, "READONLY ") {
				n.lost(c)
			}
			return nil, refusal
		}
		replies[i] = text(reply)
	}
	return replies, err
}

// text returns a reply with strings in place of bytes.
func text(reply any) any {
	switch r := reply.(type) {
	case []byte:
		return string(r)
	case []any:
		for i := range r {
			r[i] = text(r[i])
		}
	}
	return reply
}

// persist calls f until it succeeds, fails with a permanent error, or was called 1 + times times.
// Redis may have executed an attempt without an answer.
func persist(ctx context.Context, times int, f func(ctx context.Context) ([]any, error)) (replies []any, err error) {
	if _, has := ctx.Deadline(); !has {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, callTimeout)
		defer cancel()
	}
	for i := 0; ; i++ {
		replies, err = f(ctx)
		if err == nil || i >= times || errors.Is(err, errClosed) || !IsPassing(err) && !IsRefusal(err, "READONLY ") {
			return replies, err
		}
		wait := firstWait << min(i, 6)
		select {
		case <-time.After(wait/2 + rand.N(wait)):
		case <-ctx.Done():
			return nil, err
		}
	}
}

func (n *node) Do(ctx context.Context, words ...any) (any, error) {
	replies, err := persist(ctx, n.retries, func(ctx context.Context) ([]any, error) { return n.send(ctx, [][]any{words}) })
	return only(replies, err)
}

// only returns the reply to one command.
func only(replies []any, err error) (any, error) {
	switch {
	case err != nil:
		return nil, err
	case len(replies) != 1:
		return nil, errProtocol
	case replies[0] == nil:
		return nil, ErrNone
	}
	return replies[0], nil
}

func (n *node) Together(ctx context.Context, commands ...[]any) error {
	_, err := persist(ctx, n.retries, func(ctx context.Context) ([]any, error) { return n.send(ctx, commands) })
	return err
}

func (n *node) Setting(ctx context.Context, name string) (string, error) {
	return setting(ctx, n, name)
}

func (n *node) About(ctx context.Context, section string) (string, error) {
	return about(ctx, n, section)
}

func (n *node) EachNode(ctx context.Context, f func(ctx context.Context, node Client) error) error {
	return f(ctx, n)
}
