package agree

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"strconv"
	"time"

	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

// prefix is the start of all keys. The part in braces puts them on one node of a cluster. The number is the
// version of the format. Servers that wrote values without a seal used slipstick:agree:, and neither read
// nor change these keys.
const prefix = "slipstick:agree2:{slipstick}:"

// Names of keys in Redis.
const (
	keyAlive   = prefix + "alive"   // sorted set of server ids, by the time of their last message
	keyServers = prefix + "hosts"   // hash of server ids to sealed records
	keyCurrent = prefix + "current" // hash of capabilities to sealed commits
	keyChanges = prefix + "changes" // sorted set of capabilities, by the counter at their last commit
	keyCounter = prefix + "counter" // number of commits
	keyEpoch   = prefix + "epoch"   // a random text, which changes if Redis loses its data
	keyDigests = prefix + "digests" // hash of capability@version to the first digest and the server that saw it, sealed
)

var (
	//go:embed beat.lua
	beatText   string
	beatScript = redis.NewScript(beatText)

	//go:embed put.lua
	putText   string
	putScript = redis.NewScript(putText)
)

// store is the data that the servers share in Redis.
type store struct {
	client  redis.Client
	timeout time.Duration // for one call
}

// message is a message of a server to Redis.
type message struct {
	server  Server
	record  string // the sealed record of the server; "" before it knows Redis's time
	keys    Keys
	epoch   string
	counter uint64
}

// reply is the reply of Redis to a message.
type reply struct {
	now           int64 // ms
	epoch         string
	last, counter uint64   // numbers of the last change in the reply, and of the last change in Redis
	servers       []Server // other servers that share a key with this one and sent their record within Dead
	strangers     []Server // servers that share no key with this one; only read while this one is not admitted
	changes       map[string]change
	forged        []forgery
}

// change is a changed value in Redis, with the commit in it.
type change struct {
	value  string
	commit Commit
	sealed bool // the seal and the commit are valid
}

// forgery is a value in Redis without a valid seal.
type forgery struct{ kind, name string }

var errReply = errors.New("redis: the reply does not have the form of the script's replies")

// beat sends a message, and returns the reply.
func (s store) beat(ctx context.Context, m *message) (*reply, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	keys := []string{keyAlive, keyServers, keyCurrent, keyChanges, keyCounter, keyEpoch}
	answer, err := beatScript.Run(ctx, s.client, keys, m.server.ID, m.record, Dead.Milliseconds(), rand.Text(), m.epoch, m.counter, maxServers, maxChanges, maxRecord+maxSeal, maxValue)
	if err != nil {
		return nil, err
	}
	parts, _ := answer.([]any)
	return m.parse(parts)
}

// parse parses the reply to a message. It collects values without a valid seal in forged.
func (m *message) parse(parts []any) (*reply, error) {
	if len(parts) != 6 {
		return nil, errReply
	}
	r := &reply{changes: map[string]change{}}
	var ok [6]bool
	r.now, ok[0] = number(parts[0])
	r.epoch, ok[1] = parts[1].(string)
	last, isLast := number(parts[2])
	counter, isCounter := number(parts[3])
	servers, serversOK := pairs(parts[4], maxServers)
	changes, changesOK := pairs(parts[5], maxChanges)
	if !ok[0] || !ok[1] || len(r.epoch) > 64 || !isLast || !isCounter || last > counter || !serversOK || !changesOK {
		return nil, errReply
	}
	r.last, r.counter = uint64(last), uint64(counter)
	for _, p := range servers {
		if p[0] != m.server.ID {
			m.addServer(r, p[0], p[1])
		}
	}
	for _, p := range changes {
		if !isCapability(p[0]) {
			continue
		}
		c := change{value: p[1]}
		text, sealed := m.keys.unseal(kindCommit, p[0], p[1])
		if sealed {
			c.commit, c.sealed = parseCommit(text)
		} else {
			r.forged = append(r.forged, forgery{kindCommit, p[0]})
		}
		r.changes[p[0]] = c
	}
	return r, nil
}

// addServer adds the record of another server to the reply. It ignores a copy of an old record.
func (m *message) addServer(r *reply, id, value string) {
	text, sealed := m.keys.unseal(kindServer, id, value)
	if !sealed {
		r.forged = append(r.forged, forgery{kindServer, id})
		if m.server.Admitted {
			return
		}
	}
	h, ok := parseServer(id, text)
	switch {
	case !ok:
	case !sealed:
		r.strangers = append(r.strangers, h)
	case max(h.SentAt-r.now, r.now-h.SentAt) <= Dead.Milliseconds():
		r.servers = append(r.servers, h)
	}
}

func number(part any) (int64, bool) {
	text, _ := part.(string)
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && isTime(n)
}

// pairs parses a list of pairs of texts, with a maximum number of pairs.
func pairs(part any, most int) (out [][2]string, ok bool) {
	list, ok := part.([]any)
	if !ok || len(list)%2 != 0 || len(list) > 2*most {
		return nil, false
	}
	for i := 0; i < len(list); i += 2 {
		a, isText := list[i].(string)
		b, areTexts := list[i+1].(string)
		if !isText || !areTexts {
			return nil, false
		}
		out = append(out, [2]string{a, b})
	}
	return out, true
}

// entry is a value to store in a hash, with the value that it replaces.
type entry struct{ name, was, value string }

// put stores each value if Redis still has the value that it replaces; "" means none. For the other
// entries it returns the values in Redis, by name.
func (s store) put(ctx context.Context, keys []string, list []entry) (others map[string]string, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	args := []any{maxValue}
	for _, e := range list {
		args = append(args, e.name, e.was, e.value)
	}
	found, err := putScript.Run(ctx, s.client, keys, args...)
	if err != nil {
		return nil, err
	}
	values, ok := pairs(found, len(list))
	if !ok {
		return nil, errReply
	}
	others = make(map[string]string, len(values))
	for _, p := range values {
		others[p[0]] = p[1]
	}
	return others, nil
}

// leave removes a server from Redis. If that fails, the other servers ignore it after Dead.
func (s store) leave(ctx context.Context, id string) {
	_ = s.client.Together(ctx, []any{"zrem", keyAlive, id}, []any{"hdel", keyServers, id})
}
