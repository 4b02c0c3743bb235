package snapshot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

const keyPrefix = "slipstick:snapshot:"

// valueFormat is the first word of a value in the store.
const valueFormat = "slipstick-snapshot-1"

// put stores the record unless there is one already, in one atomic step, and returns
// the one that is there then. Doing it again after a lost reply is harmless.
func (s *Store) put(ctx context.Context, f *frozen) (Snapshot, error) {
	id := s.keys.Load().shortID(f)
	expires := f.created.Add(Lifetime)
	snap := Snapshot{ID: id, Body: f.appendRecord(nil, id, expires), ExpiresAt: expires, Created: true}
	ctx, cancel := context.WithTimeout(ctx, s.toPut)
	defer cancel()
	former, err := s.redis.SetArgs(ctx, keyPrefix+id, appendValue(nil, snap), redis.SetArgs{Mode: "NX", Get: true, TTL: Lifetime}).Result()
	if errors.Is(err, redis.Nil) {
		return snap, nil
	}
	if err != nil {
		return Snapshot{}, storeError(err)
	}
	first, err := s.read(id, former)
	if err == nil && !s.now().Before(first.ExpiresAt) {
		// The store keeps a record for up to a second longer than it says.
		return Snapshot{}, fmt.Errorf("%w: %s is about to be removed", ErrUnavailable, id)
	}
	return first, err
}

func (s *Store) get(ctx context.Context, id string) (Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, s.toGet)
	defer cancel()
	value, err := s.redis.Get(ctx, keyPrefix+id).Result()
	if errors.Is(err, redis.Nil) {
		return Snapshot{}, ErrNotFound
	}
	if err != nil {
		return Snapshot{}, storeError(err)
	}
	snap, err := s.read(id, value)
	if err == nil && !s.now().Before(snap.ExpiresAt) {
		return Snapshot{}, ErrNotFound
	}
	return snap, err
}

// read returns the snapshot that the store holds under the id. The checksum of a value detects
// damage, but anybody who can write to the store can compute it. So the id, which requires our
// keys, is derived again from the content every time.
func (s *Store) read(id, value string) (Snapshot, error) {
	snap, err := parseValue(id, value)
	if err != nil {
		return Snapshot{}, err
	}
	if err := s.verifyID(&snap); err != nil {
		s.forged.Add(1)
		return Snapshot{}, fmt.Errorf("%w: %s: %w", ErrForged, id, err)
	}
	return snap, nil
}

// verifyID returns an error if the id cannot be derived from the snapshot's content.
func (s *Store) verifyID(snap *Snapshot) error {
	r, err := ReadRecord(snap.Body)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(r.body, snap.Body):
		return errors.New("something stands behind the record")
	case r.ID != snap.ID:
		return fmt.Errorf("it is the record of %.100q", r.ID)
	case !snap.ExpiresAt.Equal(r.frozen.created.Add(Lifetime)) || !snap.ExpiresAt.Equal(r.expires):
		return errors.New("its life is another than that of a snapshot")
	case !s.keys.Load().derives(r.frozen, snap.ID):
		return errors.New("its content does not give the id under any key of this host")
	}
	return nil
}

func storeError(err error) error {
	if redis.HasErrorPrefix(err, "WRONGTYPE") {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// appendValue appends what is kept in the store: a line of format, expiry in seconds
// since 1970 and checksum, and the record.
func appendValue(dst []byte, snap Snapshot) []byte {
	expires := strconv.FormatInt(snap.ExpiresAt.Unix(), 10)
	dst = fmt.Appendf(dst, "%s %s %s\n", valueFormat, expires, checksum(snap.ID, expires, snap.Body))
	return append(dst, snap.Body...)
}

// parseValue reads what appendValue wrote for the same id.
func parseValue(id, value string) (Snapshot, error) {
	head, body, _ := strings.Cut(value, "\n")
	words := strings.Split(head, " ")
	if len(words) != 3 || words[0] != valueFormat {
		return Snapshot{}, fmt.Errorf("%w: %s is not in the format %s", ErrCorrupt, id, valueFormat)
	}
	seconds, err := strconv.ParseInt(words[1], 10, 64)
	if err != nil || words[2] != checksum(id, words[1], []byte(body)) {
		return Snapshot{}, fmt.Errorf("%w: %s does not match its checksum", ErrCorrupt, id)
	}
	return Snapshot{ID: id, Body: []byte(body), ExpiresAt: time.Unix(seconds, 0).UTC()}, nil
}

// checksum covers the id, too, so that a record moved to another key is detected.
func checksum(id, expires string, body []byte) string {
	sum := sha256.Sum256(bytes.Join([][]byte{[]byte(id), []byte(expires), body}, []byte{'\n'}))
	return hex.EncodeToString(sum[:])
}
