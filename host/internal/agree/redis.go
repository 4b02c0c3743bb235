package agree

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/slipstick/slipstick/host/internal/redis"
)

// prefix begins all keys. The part in braces puts them on one node of a cluster.
const prefix = "slipstick:agree:{slipstick}:"

// Names of keys in Redis.
const (
	keyAlive   = prefix + "alive"   // sorted set of host ids, by the time of their last message
	keyHosts   = prefix + "hosts"   // hash of host ids to records
	keyCurrent = prefix + "current" // hash of capabilities to commits
	keyChanges = prefix + "changes" // sorted set of capabilities, by the counter at their last commit
	keyCounter = prefix + "counter" // of commits
	keyEpoch   = prefix + "epoch"   // a random text, another one if Redis has lost its data
	keyDigests = prefix + "digests" // hash of capability@version to the digest first seen, and by which host
)

var (
	//go:embed beat.lua
	beatText   string
	beatScript = redis.NewScript(beatText)

	//go:embed offer.lua
	offerText   string
	offerScript = redis.NewScript(offerText)

	//go:embed digests.lua
	digestsText   string
	digestsScript = redis.NewScript(digestsText)
)

// store is what the hosts have in common.
type store struct {
	client  redis.Client
	timeout time.Duration // of one call
}

// message is what a host tells.
type message struct {
	host    Host
	epoch   string
	counter uint64
}

// offer is a commit of a capability.
type offer struct {
	capability string
	commit     Commit
}

// reply is what a host hears.
type reply struct {
	now           int64 // ms
	epoch         string
	last, counter uint64 // of the last change in the reply, and of all
	hosts         []Host
	changes       map[string]Commit
}

var errReply = errors.New("redis: the reply is not of the form that the script gives")

func (s store) beat(ctx context.Context, m *message) (*reply, error) {
	record, err := json.Marshal(m.host)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	keys := []string{keyAlive, keyHosts, keyCurrent, keyChanges, keyCounter, keyEpoch}
	answer, err := beatScript.Run(ctx, s.client, keys, m.host.ID, record, Dead.Milliseconds(), rand.Text(), m.epoch, m.counter, maxHosts, maxChanges, maxRecord)
	if err != nil {
		return nil, err
	}
	parts, _ := answer.([]any)
	return parseReply(parts)
}

// parseReply reads a reply. It leaves out records and commits that are none: they are as if
// they were not there.
func parseReply(parts []any) (*reply, error) {
	if len(parts) != 6 {
		return nil, errReply
	}
	r := &reply{changes: map[string]Commit{}}
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
		if h, ok := parseHost(p[0], p[1]); ok {
			r.hosts = append(r.hosts, h)
		}
	}
	for _, p := range changes {
		if c, ok := parseCommit(p[1]); ok && isCapability(p[0]) {
			r.changes[p[0]] = c
		}
	}
	return r, nil
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

// offer stores those commits that are newer than what is stored.
func (s store) offer(ctx context.Context, offers []offer) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	var args []any
	for _, o := range offers {
		args = append(args, o.capability, o.commit.String())
	}
	_, err := offerScript.Run(ctx, s.client, []string{keyCurrent, keyChanges, keyCounter}, args...)
	return err
}

// digests stores what nobody has stored before, and returns what is stored of the others, by
// their place in the list.
func (s store) digests(ctx context.Context, list []string) (others map[int]string, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	args := make([]any, len(list))
	for i, text := range list {
		args[i] = text
	}
	found, err := digestsScript.Run(ctx, s.client, []string{keyDigests}, args...)
	if err != nil {
		return nil, err
	}
	list2, ok := pairs(found, len(list)/2)
	if !ok {
		return nil, errReply
	}
	others = map[int]string{}
	for _, p := range list2 {
		i, ok := number(p[0])
		if !ok || i >= int64(len(list)/2) {
			return nil, fmt.Errorf("%w: place %.20q", errReply, p[0])
		}
		others[int(i)] = p[1]
	}
	return others, nil
}

// leave tells the others that a host has gone. If that fails, they notice after Dead.
func (s store) leave(ctx context.Context, id string) {
	_ = s.client.Together(ctx, []any{"zrem", keyAlive, id}, []any{"hdel", keyHosts, id})
}
