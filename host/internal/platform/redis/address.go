package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gomodule/redigo/redis"
)

// address has the servers of a Redis and the credentials for them.
type address struct {
	hosts          []string // HOST:PORT of a server, of nodes of a cluster, or of sentinels
	master         string   // name of a failover set; "": none
	user, password string
	sentinelUser   string
	sentinelSecret string
	database       int
	tls            *tls.Config // nil: none
	retries        int         // of a command
}

const (
	portOfRedis    = "6379"
	portOfSentinel = "26379"
	usualRetries   = 3
)

// parameters are the query parameters that a URL may have. With master_name, the user and password
// in the URL are for the sentinels, and the parameters are for the servers.
var parameters = []string{"addr", "master_name", "username", "password", "db", "max_retries", "skip_verify"}

// parse reads a URL. Its errors do not show passwords.
func parse(text string) (*address, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" {
		return nil, errors.New("not a URL such as redis://127.0.0.1:6379/0")
	}
	query := u.Query()
	for name := range query {
		if !slices.Contains(parameters, name) {
			return nil, fmt.Errorf("there is no parameter %.40q: use one of %s", name, strings.Join(parameters, ", "))
		}
	}
	a := &address{master: query.Get("master_name"), retries: usualRetries}
	port := portOfRedis
	a.user = u.User.Username()
	a.password, _ = u.User.Password()
	if a.master != "" {
		port = portOfSentinel
		a.sentinelUser, a.sentinelSecret = a.user, a.password
		a.user, a.password = "", ""
	}
	if query.Has("username") {
		a.user = query.Get("username")
	}
	if query.Has("password") {
		a.password = query.Get("password")
	}
	host := u.Hostname()
	if host == "" {
		host = "localhost"
	}
	if p := u.Port(); p != "" {
		port = p
	}
	a.hosts = []string{net.JoinHostPort(host, port)}
	for _, other := range query["addr"] {
		if h, p, err := net.SplitHostPort(other); err != nil || h == "" || p == "" {
			return nil, fmt.Errorf("addr=%.100s is not HOST:PORT", other)
		}
		a.hosts = append(a.hosts, other)
	}
	if u.Scheme == "rediss" {
		a.tls = &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12, InsecureSkipVerify: query.Get("skip_verify") == "true"}
	}
	database := strings.Trim(u.Path, "/")
	if query.Has("db") {
		database = query.Get("db")
	}
	if err := number(database, &a.database); err != nil {
		return nil, err
	}
	if err := number(query.Get("max_retries"), &a.retries); err != nil {
		return nil, err
	}
	return a, nil
}

// number reads a number, if there is one.
func number(text string, to *int) (err error) {
	if text == "" {
		return nil
	}
	*to, err = strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("%.40q is not a number", text)
	}
	return nil
}

// dial connects to a server.
func (a *address) dial(ctx context.Context, host string) (*connection, error) {
	return a.connect(ctx, host, redis.DialUsername(a.user), redis.DialPassword(a.password), redis.DialDatabase(a.database))
}

// dialMaster connects to the server that is the master of the failover set now.
func (a *address) dialMaster(ctx context.Context) (*connection, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	host, err := first(ctx, a.hosts, a.askSentinel)
	if err != nil {
		return nil, err
	}
	c, err := a.dial(ctx, host)
	if err != nil {
		return nil, err
	}
	role, err := redis.Values(c.do(ctx, "role")) // a sentinel may not know it yet
	if err == nil && (len(role) == 0 || fmt.Sprintf("%s", role[0]) != "master") {
		err = fmt.Errorf("redis: %s is not the master of %s", host, a.master)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// first asks all servers at once and returns the first answer, or why there is none.
func first[T any](ctx context.Context, hosts []string, ask func(ctx context.Context, host string) (T, error)) (answer T, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers, failures := make(chan T, len(hosts)), make(chan error, len(hosts))
	for _, host := range hosts {
		go func() {
			if answer, err := ask(ctx, host); err != nil {
				failures <- err
			} else {
				answers <- answer
			}
		}()
	}
	for range hosts {
		select {
		case answer := <-answers:
			return answer, nil
		case failure := <-failures:
			err = errors.Join(err, failure)
		}
	}
	return answer, err
}

func (a *address) askSentinel(ctx context.Context, sentinel string) (string, error) {
	c, err := a.connect(ctx, sentinel, redis.DialUsername(a.sentinelUser), redis.DialPassword(a.sentinelSecret))
	if err != nil {
		return "", err
	}
	defer c.close()
	pair, err := redis.Strings(c.do(ctx, "sentinel", "get-master-addr-by-name", a.master))
	switch {
	case errors.Is(err, redis.ErrNil):
		return "", fmt.Errorf("redis: the sentinel %s knows no failover set %s", sentinel, a.master)
	case err != nil:
		return "", err
	case len(pair) != 2:
		return "", errProtocol
	}
	return net.JoinHostPort(pair[0], pair[1]), nil
}

// connect connects within dialTimeout.
func (a *address) connect(ctx context.Context, host string, options ...redis.DialOption) (*connection, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	c, inTime := &connection{}, func() bool { return true }
	dial := func(ctx context.Context, network, host string) (socket net.Conn, err error) {
		socket, err = new(net.Dialer).DialContext(ctx, network, host)
		if err == nil {
			c.socket = socket
			inTime = context.AfterFunc(ctx, func() { socket.Close() })
		}
		return socket, err
	}
	var err error
	c.library, err = redis.DialContext(ctx, "tcp", host, append(options, redis.DialContextFunc(dial), redis.DialUseTLS(a.tls != nil), redis.DialTLSConfig(a.tls))...)
	if !inTime() {
		err = context.DeadlineExceeded
	}
	if err != nil {
		if c.library != nil {
			c.close()
		}
		return nil, err
	}
	return c, nil
}
