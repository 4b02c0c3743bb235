package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// valueFormat is the first word of a stored value.
const valueFormat = "slipstick-snapshot-1"

// read returns the snapshot in a stored value. The checksum detects damage, but everyone who can
// write to the store can compute it. So read also derives the id from the content, which needs the
// keys.
func (s *Store) read(id string, value []byte) (Snapshot, error) {
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
		return errors.New("there is data after the record")
	case r.ID != snap.ID:
		return fmt.Errorf("it is the record of %.100q", r.ID)
	case !snap.ExpiresAt.Equal(r.checked.created.Add(Lifetime)) || !snap.ExpiresAt.Equal(r.expires):
		return errors.New("its expiry time is not the creation time plus the lifetime of a snapshot")
	case !s.keys.Load().derives(r.checked, snap.ID):
		return errors.New("no key of this server derives the id from its content")
	}
	return nil
}

// appendValue appends the stored form of a snapshot. The first line has the format, the expiry time
// in seconds since 1970, and the checksum. The record follows.
func appendValue(dst []byte, snap Snapshot) []byte {
	expires := strconv.FormatInt(snap.ExpiresAt.Unix(), 10)
	dst = fmt.Appendf(dst, "%s %s %s\n", valueFormat, expires, checksum(snap.ID, expires, snap.Body))
	return append(dst, snap.Body...)
}

// parseValue reads a value that appendValue wrote for the same id.
func parseValue(id string, value []byte) (Snapshot, error) {
	head, body, _ := bytes.Cut(value, []byte{'\n'})
	words := strings.Split(string(head), " ")
	if len(words) != 3 || words[0] != valueFormat {
		return Snapshot{}, fmt.Errorf("%w: %s is not in the format %s", ErrCorrupt, id, valueFormat)
	}
	seconds, err := strconv.ParseInt(words[1], 10, 64)
	if err != nil || words[2] != checksum(id, words[1], body) {
		return Snapshot{}, fmt.Errorf("%w: %s does not match its checksum", ErrCorrupt, id)
	}
	return Snapshot{ID: id, Body: body, ExpiresAt: time.Unix(seconds, 0).UTC()}, nil
}

// checksum also covers the id, so that a record that was moved to another id is detected.
func checksum(id, expires string, body []byte) string {
	sum := sha256.Sum256(bytes.Join([][]byte{[]byte(id), []byte(expires), body}, []byte{'\n'}))
	return hex.EncodeToString(sum[:])
}
