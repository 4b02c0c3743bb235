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

// prefix begins all keys. The part in braces puts them on one node of a cluster. The number is
// that of the format: servers that wrote values without a seal used slipstick:agree:, and neither
// read nor change what is here.
const prefix = "slipstick:agree2:{slipstick}:"

// Names of keys in Redis.
const (
	keyAlive   = prefix + "alive"   // sorted set of host ids, by the time of their last message
	keyHosts   = prefix + "hosts"   // hash of host ids to sealed records
	keyCurrent = prefix + "current" // hash of capabilities to sealed commits
	keyChanges = prefix + "changes" // sorted set of capabilities, by the counter at their last commit
	keyCounter = prefix + "counter" // of commits
	keyEpoch   = prefix + "epoch"   // a random text, another one if Redis has lost its data
	keyDigests = prefix + "digests" // hash of capability@version to the digest first seen, and by which host, sealed
)

var (
	//go:embed beat.lua
	beatText   string
	beatScript = redis.NewScript(beatText)

	//go:embed put.lua
	putText   string
	putScript = redis.NewScript(putText)
)

// store is what the hosts have in common.
type store struct {
	client  redis.Client
	timeout time.Duration // of one call
}

// message is what a host tells.
type message struct {
	host    Host
	record  string // the host, sealed; "" before the host knows Redis's time
	keys    Keys
	epoch   string
	counter uint64
}

// reply is what a host hears.
type reply struct {
	now           int64 // ms
	epoch         string
	last, counter uint64 // of the last change in the reply, and of all
	hosts         []Host // others that share a key with this one and have told this lately
	strangers     []Host // others that share no key with this one; only read for a host that is not admitted
	changes       map[string]change
	forged        []forgery
}

// change is a value of Redis that has changed, and the commit that it is.
type change struct {
	value  string
	commit Commit
	sealed bool // and so a commit at all
}

// forgery is a value in Redis without a valid seal.
type forgery struct{ kind, name string }

var errReply = errors.New("redis: the reply is not of the form that the script gives")

func (s store) beat(ctx context.Context, m *message) (*reply, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	keys := []string{keyAlive, keyHosts, keyCurrent, keyChanges, keyCounter, keyEpoch}
	answer, err := beatScript.Run(ctx, s.client, keys, m.host.ID, m.record, Dead.Milliseconds(), rand.Text(), m.epoch, m.counter, maxHosts, maxChanges, maxRecord+maxSeal, maxValue)
	if err != nil {
		return nil, err
	}
	parts, _ := answer.([]any)
	return m.parse(parts)
}

// parse reads the reply to a message. Records and commits without a valid seal are left out.
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
	hosts, hostsOK := pairs(parts[4], maxHosts)
	changes, changesOK := pairs(parts[5], maxChanges)
	if !ok[0] || !ok[1] || len(r.epoch) > 64 || !isLast || !isCounter || last > counter || !hostsOK || !changesOK {
		return nil, errReply
	}
	r.last, r.counter = uint64(last), uint64(counter)
	for _, p := range hosts {
		if p[0] != m.host.ID {
			m.addHost(r, p[0], p[1])
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

// addHost reads the record of another host. A copy of an old record is as if it were not there.
func (m *message) addHost(r *reply, id, value string) {
	text, sealed := m.keys.unseal(kindHost, id, value)
	if !sealed {
		r.forged = append(r.forged, forgery{kindHost, id})
		if m.host.Admitted {
			return
		}
	}
	h, ok := parseHost(id, text)
	switch {
	case !ok:
	case !sealed:
		r.strangers = append(r.strangers, h)
	case max(h.SentAt-r.now, r.now-h.SentAt) <= Dead.Milliseconds():
		r.hosts = append(r.hosts, h)
	}
}

func number(part any) (int64, bool) {
	text, _ := part.(string)
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && isTime(n)
}

// pairs reads a list of two texts each.
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

// entry is a value to put into a hash, and the one that it replaces there.
type entry struct{ name, was, value string }

// put stores each value whose predecessor is still there; "" is none. It returns the values that
// were there instead of the others' predecessors, by name.
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

// leave tells the others that a host has gone. If that fails, they notice after Dead.
func (s store) leave(ctx context.Context, id string) {
	_ = s.client.Together(ctx, []any{"zrem", keyAlive, id}, []any{"hdel", keyHosts, id})
}
