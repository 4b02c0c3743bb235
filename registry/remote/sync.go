package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/opencontainers/go-digest"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/slipstick/slipstick/registry/internal/rounds"
)

// following is the state of the registry, as known from earlier rounds. Each repository is
// asked on its own, so one that hangs or refuses does not delay the others.
type following struct {
	round sync.Mutex // one at a time; guards the fields up to mu
	lists *rounds.Rounds[listing]
	takes *rounds.Rounds[taken]

	listed   map[string]bool // capabilities, at the last listing that succeeded; nil before
	listedAt time.Time       // start of that listing
	unlisted error           // why the last listing failed
	taken    map[string]taken

	logs     *rounds.Rounds[logTaken]
	log      digest.Digest // artifact of the log that is mirrored; "" if there is none
	loggedAt time.Time     // start of the last request for it that succeeded
	unlogged error         // why it could not be mirrored
}

// listing is the result of a request for the list of capabilities; taken is the result of a
// request for one capability.
type listing struct {
	listed map[string]bool
	began  time.Time
	err    error
}

type taken struct {
	damage error // how it differs from its expected state
	unread error // why its state is unknown
}

func newFollowing() following {
	return following{
		lists: rounds.New[listing](rounds.Options{Parallel: 1, Slow: time.Hour, Most: 1}),
		takes: rounds.New[taken](rounds.Options{Parallel: parallel, Slow: 500 * time.Millisecond, Most: 64}),
		taken: map[string]taken{},
		logs:  rounds.New[logTaken](rounds.Options{Parallel: 1, Slow: time.Hour, Most: 1}),
	}
}

const (
	startQuiet = time.Minute      // how long a first look waits while nothing arrives
	overdue    = 30 * time.Second // a request that takes longer is reported
)

// Sync updates the mirror. It returns, by capability, how the registry differs from its
// expected state; the mirror keeps the earlier state of these. The error means that the list
// of capabilities could not be read. If other repositories could be read, there is damage too;
// otherwise the registry is down. Sync waits for all repositories, each with its own timeout.
func (r *Registry) Sync(ctx context.Context) (damage map[string]error, err error) {
	return r.sync(ctx, rounds.Timeout{Idle: startQuiet})
}

// SyncFor is Sync that waits at most for the given time. Capabilities that take longer stay as
// they were, and a later Sync takes their result over.
func (r *Registry) SyncFor(ctx context.Context, wait time.Duration) (damage map[string]error, err error) {
	return r.sync(ctx, rounds.Timeout{Total: wait})
}

// Listed returns the start of the last look that could read the list of capabilities.
func (r *Registry) Listed() time.Time {
	r.round.Lock()
	defer r.round.Unlock()
	return r.listedAt
}

// ReadingSince returns the start of the longest request for a capability under way, or zero if
// there is none.
func (r *Registry) ReadingSince() (since time.Time) {
	r.round.Lock()
	defer r.round.Unlock()
	for id := range r.listed {
		if began, running := r.takes.Since(id); running && (since.IsZero() || began.Before(since)) {
			since = began
		}
	}
	return since
}

func (r *Registry) sync(ctx context.Context, p rounds.Timeout) (damage map[string]error, err error) {
	r.round.Lock()
	defer r.round.Unlock()
	// Before the capabilities, so that the log has no entries that the mirror lacks.
	if err := r.followLog(ctx, p); err != nil {
		return nil, r.failed(err)
	}
	if err := r.list(ctx, p); err != nil {
		return nil, r.failed(err)
	}
	names, err := r.mirror.Names(ctx)
	if err != nil {
		return nil, err
	}
	here := set(names)
	ask := here
	if r.listed != nil {
		ask = r.listed
	}
	err = r.takes.Run(ctx, slices.Sorted(maps.Keys(ask)), p, func(ctx context.Context, id string) taken {
		return r.takeOver(ctx, id)
	}, func(id string, now taken) {
		if !errors.Is(now.unread, context.Canceled) {
			r.taken[id] = now
		}
	})
	if err != nil {
		return nil, r.failed(err)
	}
	damage = r.damage(ask, here)
	if r.unlisted == nil && r.unlogged == nil {
		return damage, nil
	}
	if r.unlisted == nil {
		return damage, r.failed(r.unlogged)
	}
	if r.down(ask) {
		damage = nil
	}
	return damage, r.failed(r.unlisted)
}

// list updates the list of capabilities. The list stays as it was if it does not arrive in
// time, or is refused.
func (r *Registry) list(ctx context.Context, p rounds.Timeout) error {
	err := r.lists.Run(ctx, []string{""}, p, func(ctx context.Context, _ string) listing {
		began := time.Now()
		listed, err := r.capabilities(ctx)
		return listing{listed, began, stable(err)}
	}, func(_ string, l listing) {
		if ctx.Err() != nil {
			return
		}
		r.unlisted = l.err
		if l.err == nil {
			r.listed, r.listedAt = l.listed, l.began
		}
	})
	if began, running := r.lists.Since(""); running && err == nil && r.unlisted == nil && time.Since(began) > overdue {
		r.unlisted = errors.New("the list of its capabilities has not been answered")
	}
	return err
}

// takeOver is take that treats no error as an error of the whole registry.
func (r *Registry) takeOver(ctx context.Context, id string) taken {
	damage, err := r.take(ctx, id)
	if ctx.Err() != nil {
		return taken{unread: context.Canceled}
	}
	return taken{damage, stable(err)}
}

// damage returns the errors of the capabilities that were asked for, and of mirrored
// capabilities that are no longer listed.
func (r *Registry) damage(asked, here map[string]bool) map[string]error {
	wrong := map[string]error{}
	for id := range asked {
		now, known := r.taken[id]
		began, running := r.takes.Since(id)
		switch {
		case running && time.Since(began) > overdue:
			now.damage = errors.Join(now.damage, fmt.Errorf("%s has not answered for it within %s; what was mirrored before is served", r, overdue))
		case now.unread != nil:
			now.damage = fmt.Errorf("%s cannot be asked for it; what was mirrored before is served: %w", r, now.unread)
		case !known && !here[id]:
			now.damage = fmt.Errorf("it has not been fetched from %s yet: wait", r)
		}
		if now.damage != nil {
			wrong[id] = now.damage
		}
	}
	for id := range here {
		if !asked[id] {
			wrong[id] = fmt.Errorf("it is %w from %s, and kept: restore it there", ErrRemoved, r)
		}
	}
	for id := range r.taken {
		if !asked[id] {
			delete(r.taken, id)
		}
	}
	return wrong
}

// down reports whether no repository answers.
func (r *Registry) down(asked map[string]bool) bool {
	for id := range asked {
		if now, known := r.taken[id]; known && now.unread == nil {
			return false
		}
	}
	return true
}

func set(list []string) map[string]bool {
	all := map[string]bool{}
	for _, name := range list {
		all[name] = true
	}
	return all
}

// stable returns an error with a text that is the same at every look, because new texts are
// logged. The text has the HTTP status of the registry, and neither its message nor the local
// port.
func stable(err error) error {
	var answer *errcode.ErrorResponse
	if errors.As(err, &answer) {
		return fmt.Errorf("%s %s answers %d %s", answer.Method, answer.URL.Redacted(), answer.StatusCode, http.StatusText(answer.StatusCode))
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("it does not answer in time (%w)", errSlow)
	}
	var op *net.OpError
	if errors.As(err, &op) {
		op.Source = nil
	}
	return err
}
