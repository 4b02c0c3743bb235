package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
	"time"

	"go.etcd.io/bbolt"
)

// The tables of a file: values by id, and ids in the order in which they expire.
var (
	recordsTable = []byte("records")
	expiryTable  = []byte("expiry")
)

// How many records that have expired one transaction removes: beside what it writes, and when
// it does nothing else.
const (
	fewExpired  = 64
	manyExpired = 1000
)

type tables struct{ records, expiry *bbolt.Bucket }

// openTables returns the tables for writing, and makes them in a new file.
func openTables(tx *bbolt.Tx) (t tables, err error) {
	var other error
	t.records, err = tx.CreateBucketIfNotExists(recordsTable)
	t.expiry, other = tx.CreateBucketIfNotExists(expiryTable)
	return t, errors.Join(err, other)
}

// get returns what is kept under the id, or nil.
func (t tables) get(id string) []byte {
	if t.records == nil { // a file without tables
		return nil
	}
	return bytes.Clone(bounded(t.records.Get([]byte(id))))
}

// bounded cuts a value that no record has, as only damage makes it.
func bounded(value []byte) []byte { return value[:min(len(value), MaxRecord)] }

// put keeps the value, unless one is kept already that lives: it returns that one.
func (t tables) put(id string, value []byte, expires, now time.Time) (former []byte, err error) {
	if former = t.get(id); former != nil {
		until, known := expiryOf(former)
		if !known || now.Before(until) {
			return former, nil
		}
		if err := t.expiry.Delete(expiryKey(id, until)); err != nil {
			return nil, err
		}
	}
	return nil, t.add(id, value, expires)
}

func (t tables) add(id string, value []byte, expires time.Time) error {
	return errors.Join(t.records.Put([]byte(id), value), t.expiry.Put(expiryKey(id, expires), nil))
}

// expire removes what has expired, the oldest first, up to a number.
func (t tables) expire(now time.Time, most int) (removed int, err error) {
	c := t.expiry.Cursor()
	for key, _ := c.First(); len(key) > 8 && removed < most; key, _ = c.First() {
		if until := time.Unix(int64(binary.BigEndian.Uint64(key)), 0); now.Before(until) {
			break
		}
		if err := errors.Join(t.records.Delete(key[8:]), t.expiry.Delete(key)); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// expiryKey sorts by time.
func expiryKey(id string, expires time.Time) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(expires.Unix())), id...)
}

// expiryOf returns the time at which a value expires, which stands in its first line.
func expiryOf(value []byte) (time.Time, bool) {
	words := bytes.SplitN(value, []byte{' '}, 3)
	if len(words) < 3 {
		return time.Time{}, false
	}
	seconds, err := strconv.ParseInt(string(words[1]), 10, 64)
	return time.Unix(seconds, 0), err == nil
}
