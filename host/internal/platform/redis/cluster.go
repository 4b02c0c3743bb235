package redis

import (
	"cmp"
	"context"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

const (
	slots        = 16384 // that keys fall into
	redirections = 3     // of one command
)

// share is a range of slots of a node, from and to included.
type share struct {
	from, to int
	host     string
}

// cluster is many servers, each with a share of the keys.
type cluster struct {
	address *address

	mu     sync.Mutex
	nodes  map[string]*node
	shares []share // nil: to be asked for
	closed bool
}

func newCluster(a *address) *cluster { return &cluster{address: a, nodes: map[string]*node{}} }

func (c *cluster) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, n := range c.nodes {
		n.Close()
	}
	return nil
}

// at returns the node with an address.
func (c *cluster) at(host string) (*node, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	n := c.nodes[host]
	if n == nil {
		n = c.address.nodeAt(host)
		c.nodes[host] = n
	}
	return n, nil
}

// known returns the shares. It asks for them if they are not known.
func (c *cluster) known(ctx context.Context) ([]share, error) {
	c.mu.Lock()
	list, hosts := c.shares, slices.Clone(c.address.hosts)
	for host := range c.nodes {
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	c.mu.Unlock()
	if list != nil {
		return list, nil
	}
	list, err := first(ctx, hosts, c.ask)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shares = list
	for host, n := range c.nodes {
		if !slices.Contains(c.address.hosts, host) && !slices.ContainsFunc(list, func(s share) bool { return s.host == host }) {
			n.Close() // it has left the cluster
			delete(c.nodes, host)
		}
	}
	return list, nil
}

// forget makes the next known ask for the shares again.
func (c *cluster) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shares = nil
}

// ask asks a node for the shares.
func (c *cluster) ask(ctx context.Context, host string) ([]share, error) {
	n, err := c.at(host)
	if err != nil {
		return nil, err
	}
	reply, err := only(n.send(ctx, [][]any{{"cluster", "slots"}}))
	if err != nil {
		return nil, err
	}
	rows, _ := reply.([]any)
	var list []share
	for _, row := range rows {
		s, ok := parseShare(row, host)
		if !ok {
			return nil, errProtocol
		}
		list = append(list, s)
	}
	if len(list) == 0 {
		return nil, errors.New("redis: no node of the cluster has keys yet")
	}
	slices.SortFunc(list, func(a, b share) int { return cmp.Compare(a.from, b.from) })
	return list, nil
}

// parseShare reads a row of a node's reply: the slots, and their master as the first node.
func parseShare(row any, asked string) (s share, ok bool) {
	parts, _ := row.([]any)
	if len(parts) < 3 {
		return s, false
	}
	from, isFrom := parts[0].(int64)
	to, isTo := parts[1].(int64)
	master, _ := parts[2].([]any)
	if !isFrom || !isTo || len(master) < 2 {
		return s, false
	}
	name, _ := master[0].(string)
	port, isPort := master[1].(int64)
	return share{int(from), int(to), nodeAddress(asked, net.JoinHostPort(name, strconv.FormatInt(port, 10)))}, isPort
}

// nodeAddress returns an address from the reply of a node. The node leaves out the name if it is
// its own.
func nodeAddress(asked, replied string) string {
	host, port, _ := net.SplitHostPort(replied)
	if host == "" {
		host, _, _ = net.SplitHostPort(asked)
	}
	return net.JoinHostPort(host, port)
}

// hostOf returns the address of the node that has the key of a command.
func hostOf(list []share, words []any) string {
	at := 1
	if name, _ := words[0].(string); strings.HasPrefix(strings.ToLower(name), "eval") {
		at = 3
	}
	if len(words) > at {
		if key, ok := words[at].(string); ok {
			slot := slotOf(key)
			for _, s := range list {
				if s.from <= slot && slot <= s.to {
					return s.host
				}
			}
		}
	}
	return list[0].host
}

// slotOf returns the slot of a key. If the key has a part in braces, only this part counts.
func slotOf(key string) int {
	if _, after, ok := strings.Cut(key, "{"); ok {
		if tag, _, ok := strings.Cut(after, "}"); ok && tag != "" {
			key = tag
		}
	}
	crc := uint16(0) // CRC-16/XMODEM
	for _, b := range []byte(key) {
		crc ^= uint16(b) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return int(crc) % slots
}

// redirected returns the address to which a node redirects a command, and whether this applies only
// to this command.
func redirected(err error, asked string) (host string, once bool) {
	once = IsRefusal(err, "ASK ")
	if !once && !IsRefusal(err, "MOVED ") {
		return "", false
	}
	words := strings.Fields(err.Error())
	if len(words) != 3 {
		return "", false
	}
	return nodeAddress(asked, words[2]), once
}

// send sends a command to the node that has its key, once, and follows redirections.
func (c *cluster) send(ctx context.Context, words []any) ([]any, error) {
	list, err := c.known(ctx)
	if err != nil {
		return nil, err
	}
	host, commands := hostOf(list, words), [][]any{words}
	for range redirections {
		var n *node
		n, err = c.at(host)
		if err != nil {
			return nil, err
		}
		var replies []any
		replies, err = n.send(ctx, commands)
		if err == nil {
			return replies[len(replies)-1:], nil
		}
		to, once := redirected(err, host)
		if !once && (to != "" || IsPassing(err)) {
			c.forget()
		}
		if to == "" {
			return nil, err
		}
		host, commands = to, [][]any{words}
		if once {
			commands = [][]any{{"asking"}, words}
		}
	}
	return nil, err
}

func (c *cluster) Do(ctx context.Context, words ...any) (any, error) {
	return only(persist(ctx, c.address.retries, func(ctx context.Context) ([]any, error) { return c.send(ctx, words) }))
}

// Together sends the commands one after the other, because each may have another node.
func (c *cluster) Together(ctx context.Context, commands ...[]any) error {
	var all error
	for _, words := range commands {
		if _, err := c.Do(ctx, words...); !errors.Is(err, ErrNone) {
			all = errors.Join(all, err)
		}
	}
	return all
}

func (c *cluster) Setting(ctx context.Context, name string) (string, error) {
	return setting(ctx, c, name)
}

func (c *cluster) About(ctx context.Context, section string) (string, error) {
	return about(ctx, c, section)
}

func (c *cluster) EachNode(ctx context.Context, f func(ctx context.Context, node Client) error) error {
	c.forget() // there may be new nodes
	list, err := c.known(ctx)
	if err != nil {
		return err
	}
	asking, ctx := errgroup.WithContext(ctx)
	seen := map[string]bool{}
	for _, s := range list {
		if seen[s.host] {
			continue
		}
		seen[s.host] = true
		asking.Go(func() error {
			n, err := c.at(s.host)
			if err != nil {
				return err
			}
			return f(ctx, n)
		})
	}
	return asking.Wait()
}
