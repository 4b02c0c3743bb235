package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
	"time"

	"go.etcd.io/bbolt"
)

// Names of the tables of a file: values by id, ids by expiry time, and the order of the ids.
var (
	recordsTable = []byte("records")
	expiryTable  = []byte("expiry")
	orderTable   = []byte("order")
)

// The number of expired records that one transaction removes: in addition to its writes, and
// without any.
const (
	fewExpired  = 64
	manyExpired = 1000
)

type tables struct {
	records, expiry *bbolt.Bucket
	order           order
}

// openTables returns the tables for writing, and creates missing tables.
func openTables(tx *bbolt.Tx) (t tables, err error) {
	for name, to := range map[string]**bbolt.Bucket{string(recordsTable): &t.records, string(expiryTable): &t.expiry, string(orderTable): &t.order.Bucket} {
		*to, err = tx.CreateBucketIfNotExists([]byte(name))
		if err != nil {
			return t, err
		}
	}
	return t, nil
}

// readTables returns the tables for reading. Missing tables are nil.
func readTables(tx *bbolt.Tx) tables {
	return tables{tx.Bucket(recordsTable), tx.Bucket(expiryTable), order{tx.Bucket(orderTable)}}
}

// get returns the value of the id, or nil.
func (t tables) get(id string) []byte {
	if t.records == nil { // a file without tables
		return nil
	}
	return bytes.Clone(bounded(t.records.Get([]byte(id))))
}

// bounded shortens a value that is longer than any record. Only damage makes such values.
func bounded(value []byte) []byte { return value[:min(len(value), MaxRecord)] }

// lookUp returns the value of the id, or nil. If the file may have had the id, the error is
// errBroken.
func (t tables) lookUp(id string) ([]byte, error) {
	if value := t.get(id); value != nil {
		return value, nil
	}
	_, has, err := t.order.around(id)
	if has {
		err = errBroken
	}
	return nil, err
}

// put stores the value. If the id has an unexpired value, put returns that value instead. If the
// error is errBroken, nothing is changed.
func (t tables) put(id string, value []byte, expires, now time.Time) (former []byte, err error) {
	former, err = t.lookUp(id)
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

// expire removes at most the given number of expired records, the oldest first. It skips records at
// which the order is broken.
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

// expiryKey returns a key that sorts by expiry time.
func expiryKey(id string, expires time.Time) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(expires.Unix())), id...)
}

// expiryOf returns the expiry time of a value, from its first line.
func expiryOf(value []byte) (time.Time, bool) {
	words := bytes.SplitN(value, []byte{' '}, 3)
	if len(words) < 3 {
		return time.Time{}, false
	}
	seconds, err := strconv.ParseInt(string(words[1]), 10, 64)
	return time.Unix(seconds, 0), err == nil
}
