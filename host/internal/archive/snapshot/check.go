package snapshot

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

const checkDeadline = 5 * time.Second

const accept = "; or accept that snapshots can be lost, with --ephemeral-snapshots"

// CheckStore returns an error if the store is too old, or if it can lose snapshots before they
// expire, by eviction or by a restart. The error describes the necessary change. If the store does
// not respond now, the error is ErrUnavailable, which need not prevent a start.
func CheckStore(ctx context.Context, client redis.Client) error {
	ctx, cancel := context.WithTimeout(ctx, checkDeadline)
	defer cancel()
	var mu sync.Mutex
	var found []error
	err := client.EachNode(ctx, func(ctx context.Context, node redis.Client) error {
		s, err := readSettings(ctx, node)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		found = append(found, s.problems()...)
		return nil
	})
	if err != nil {
		return checkError(err)
	}
	return errors.Join(found...)
}

// settings are settings of one node of the store.
type settings struct{ policy, appendOnly, savePoints, version string }

func readSettings(ctx context.Context, node redis.Client) (s settings, err error) {
	for name, value := range map[string]*string{
		"maxmemory-policy": &s.policy, "appendonly": &s.appendOnly, "save": &s.savePoints,
	} {
		*value, err = node.Setting(ctx, name)
		if err != nil {
			return s, err
		}
	}
	about, err := node.About(ctx, "server")
	if err != nil {
		return s, err
	}
	_, after, _ := strings.Cut(about, "redis_version:")
	s.version, _, _ = strings.Cut(after, "\r\n")
	return s, nil
}

func (s settings) problems() (found []error) {
	if s.policy != "noeviction" {
		found = append(found, fmt.Errorf("the snapshot store evicts records when its memory is full (maxmemory-policy %s): set maxmemory-policy noeviction%s", s.policy, accept))
	}
	if s.appendOnly != "yes" && s.savePoints == "" {
		found = append(found, fmt.Errorf("the snapshot store forgets its records when it restarts: set appendonly yes, or save points%s", accept))
	}
	major, _, _ := strings.Cut(s.version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < 7 {
		found = append(found, fmt.Errorf("the snapshot store is Redis %q, whose SET does not take NX and GET together: use Redis 7 or later", s.version))
	}
	return found
}

// checkError distinguishes a store that does not respond now from a store that refuses the request.
func checkError(err error) error {
	if redis.IsPassing(err) {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return fmt.Errorf("the snapshot store refused to report its settings: correct the password, or allow CONFIG GET and INFO%s: %w", accept, err)
}
