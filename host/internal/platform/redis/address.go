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

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	portOfRedis    = "6379"
	portOfSentinel = "26379"
	usualRetries   = 3 // of a command
	bufferSize     = 4 << 10
)

// parameters are the query parameters that a URL may have. With master_name, the user and password
// in the URL are for the sentinels, and the parameters are for the servers.
var parameters = []string{"addr", "master_name", "username", "password", "db", "max_retries", "skip_verify"}

// parse reads a URL. Its errors do not show passwords.
func parse(text string) (*redis.UniversalOptions, error) {
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
	o := usual()
	o.MasterName, o.Username = query.Get("master_name"), u.User.Username()
	o.Password, _ = u.User.Password()
	port := portOfRedis
	if o.MasterName != "" {
		port = portOfSentinel
		o.SentinelUsername, o.SentinelPassword = o.Username, o.Password
		o.Username, o.Password = "", ""
		o.OnConnect = refuseReplica
	}
	if query.Has("username") {
		o.Username = query.Get("username")
	}
	if query.Has("password") {
		o.Password = query.Get("password")
	}
	host := u.Hostname()
	if host == "" {
		host = "localhost"
	}
	if p := u.Port(); p != "" {
		port = p
	}
	o.Addrs = []string{net.JoinHostPort(host, port)}
	for _, other := range query["addr"] {
		if h, p, err := net.SplitHostPort(other); err != nil || h == "" || p == "" {
			return nil, fmt.Errorf("addr=%.100s is not HOST:PORT", other)
		}
		o.Addrs = append(o.Addrs, other)
	}
	if u.Scheme == "rediss" {
		o.TLSConfig = &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12, InsecureSkipVerify: query.Get("skip_verify") == "true"}
	}
	database := strings.Trim(u.Path, "/")
	if query.Has("db") {
		database = query.Get("db")
	}
	if err := number(database, &o.DB); err != nil {
		return nil, err
	}
	if o.DB != 0 && len(o.Addrs) > 1 && o.MasterName == "" {
		return nil, errors.New("a cluster has only the database 0")
	}
	if err := number(query.Get("max_retries"), &o.MaxRetries); err != nil {
		return nil, err
	}
	if o.MaxRetries == 0 {
		o.MaxRetries = -1 // the library reads 0 as its own number
	}
	return o, nil
}

// usual returns the options that are the same for each URL.
func usual() *redis.UniversalOptions {
	return &redis.UniversalOptions{
		MaxRetries:            usualRetries,
		DialTimeout:           dialTimeout,
		DialerRetries:         1, // the attempts of a command dial again
		ReadTimeout:           callTimeout,
		WriteTimeout:          callTimeout,
		ContextTimeoutEnabled: true,

		Protocol:        2, // replies have the types that Client documents, and Redis sends nothing unasked
		DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{
			Mode: maintnotifications.ModeDisabled, // only services of one provider send them
		},

		PipelinePoolSize: -1, // Together is rare
		ReadBufferSize:   bufferSize,
		WriteBufferSize:  bufferSize,
	}
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

// refuseReplica fails a new connection to a replica, because a sentinel may not know the new master
// yet. It fails as dialing does, so that the command is sent again.
func refuseReplica(ctx context.Context, c *redis.Conn) error {
	role, _ := c.Do(ctx, "role").Slice()
	if len(role) > 0 && role[0] == "slave" {
		return &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("the server is a replica")}
	}
	return nil
}
