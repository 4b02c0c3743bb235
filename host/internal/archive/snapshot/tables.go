package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
	"time"

	"go.etcd.io/bbolt"
)

// The tables of a file: values by id, ids in the order in which they expire, and the order of the ids.
var (
	recordsTable = []byte("records")
	expiryTable  = []byte("expiry")
	orderTable   = []byte("order")
)

// How many records that have expired one transaction removes: beside what it writes, and when
// it does nothing else.
const (
	fewExpired  = 64
	manyExpired = 1000
)

type tables struct {
	records, expiry *bbolt.Bucket
	order           order
}

// openTables returns the tables for writing, and makes them in a new file.
func openTables(tx *bbolt.Tx) (t tables, err error) {
	for name, to := range map[string]**bbolt.Bucket{string(recordsTable): &t.records, string(expiryTable): &t.expiry, string(orderTable): &t.order.Bucket} {
		*to, err = tx.CreateBucketIfNotExists([]byte(name))
		if err != nil {
			return t, err
		}
	}
	return t, nil
}

// readTables returns the tables for reading, nil for those that are not there.
func readTables(tx *bbolt.Tx) tables {
	return tables{tx.Bucket(recordsTable), tx.Bucket(expiryTable), order{tx.Bucket(orderTable)}}
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

// look returns what is kept under the id, or nil. The error is errBroken if the file may have had the
// id.
func (t tables) look(id string) ([]byte, error) {
	if value := t.get(id); value != nil {
		return value, nil
	}
	_, has, err := t.order.around(id)
	if has {
		err = errBroken
	}
	return nil, err
}

// put keeps the value, unless one is kept already that lives: it returns that one. It changes
// nothing if the error is errBroken.
func (t tables) put(id string, value []byte, expires, now time.Time) (former []byte, err error) {
	former, err = t.look(id)
	if err != nil {
		return nil, err
	}
	until, known := expiryOf(former)
	if former != nil && (!known || now.Before(until)) {
		return former, nil
	}
	if err := t.add(id, value, expires); err != nil || former == nil {
		return nil, err
	}
	return nil, t.expiry.Delete(expiryKey(id, until))
}

func (t tables) add(id string, value []byte, expires time.Time) error {
	if err := t.order.add(id); err != nil {
		return err
	}
	return errors.Join(t.records.Put([]byte(id), value), t.expiry.Put(expiryKey(id, expires), nil))
}

// expire removes what has expired, the oldest first, up to a number. Where the order is broken it
// removes nothing.
func (t tables) expire(now time.Time, most int) (removed int, err error) {
	var expired [][]byte
	c := t.expiry.Cursor()
	for key, _ := c.First(); len(key) > 8 && len(expired) < most; key, _ = c.Next() {
		if until := time.Unix(int64(binary.BigEndian.Uint64(key)), 0); now.Before(until) {
			break
		}
		expired = append(expired, bytes.Clone(key))
	}
	for _, key := range expired {
		if err := t.order.remove(string(key[8:])); errors.Is(err, errBroken) {
			continue
		} else if err != nil {
			return removed, err
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
