package snapshot

import (
	"errors"
	"fmt"
	"os"

	"go.etcd.io/bbolt"

	"github.com/slipstick/slipstick/host/internal/platform/durable"
	"github.com/slipstick/slipstick/registry/regular"
)

// Maximum sizes of a page, which is copied while the file is locked.
const (
	pageRecords = 500
	pageBytes   = 4 << 20
)

// Copied is the result of a copy.
type Copied struct {
	Records int
	Damaged []string // ids of records that do not match their checksum and were omitted
}

// Copy writes all records to a new file, which can replace this one. Other writers wait only for a
// short time, because Copy reads the file in pages, and unlocks it between pages. So the copy
// contains all records that were stored before the start of the copy; records never change. The copy has the
// owner of the file, if this process may set it: root can back up and restore for a server.
func (f *File) Copy(to string) (c Copied, err error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return c, err
	}
	err = durable.Create(to, 0o600, func(temp *os.File) error {
		copied, err := bbolt.Open(temp.Name(), 0o600, &bbolt.Options{NoStatistics: true, NoSync: true})
		if err != nil {
			return err
		}
		regular.KeepOwner(temp, info)
		return errors.Join(f.copyTo(copied, &c), copied.Close())
	})
	return c, err
}

// copyTo copies the records and the identity. With its identity, the copy can replace the file.
func (f *File) copyTo(to *bbolt.DB, c *Copied) error {
	var identity string
	err := f.open(copying, func(o opened) error {
		return o.View(func(tx *bbolt.Tx) error {
			identity = identityOf(tx)
			return nil
		})
	})
	if err != nil {
		return err
	}
	err = to.Update(func(tx *bbolt.Tx) error {
		if err := makeOrder(tx); err != nil || identity == "" {
			return err
		}
		return setIdentity(tx, identity)
	})
	if err != nil {
		return fmt.Errorf("write the copy: %w", err)
	}
	return f.pages(func(page []record) error {
		if err := to.Update(func(tx *bbolt.Tx) error { return c.add(tx, page) }); err != nil {
			return fmt.Errorf("write the copy: %w", err)
		}
		return nil
	})
}

// pages calls do with all records, in pages. The file is unlocked while do runs.
func (f *File) pages(do func([]record) error) error {
	after := ends
	for {
		var page []record
		err := f.open(copying, func(o opened) (err error) {
			page, err = nextPage(o.DB, after)
			return err
		})
		if err != nil || len(page) == 0 {
			return err
		}
		after = page[len(page)-1].id
		if err := do(page); err != nil {
			return err
		}
	}
}

// Each calls do with each record in the order of ids, while other processes use the file. A damaged
// record has an error.
func (f *File) Each(do func(id string, r *Record, err error) error) error {
	if _, err := os.Stat(f.path); err != nil {
		return err
	}
	return f.pages(func(page []record) error {
		for _, stored := range page {
			r, err := readStored(stored.id, stored.value)
			if err := do(stored.id, r, err); err != nil {
				return err
			}
		}
		return nil
	})
}

// record is the value of an id.
type record struct {
	id    string
	value []byte
}

// nextPage reads the records after an id. If the record of an id in the order is missing, its value
// is nil.
func nextPage(db *bbolt.DB, after string) (page []record, err error) {
	err = db.View(func(tx *bbolt.Tx) error {
		t := readTables(tx)
		records, order := walk(t.records, after), walk(t.order.Bucket, after)
		for size := 0; len(page) < pageRecords && size < pageBytes; {
			id := records.id
			if id == "" || order.id != "" && order.id < id {
				id = order.id
			}
			if id == "" {
				return nil
			}
			records.pass(id)
			order.pass(id)
			if id <= after { // only because of damage
				continue
			}
			after = id
			value := t.get(id)
			size += len(value)
			page = append(page, record{id, value})
		}
		return nil
	})
	return page, err
}

// walker iterates over the ids of a table. Its id is "" at the end.
type walker struct {
	cursor *bbolt.Cursor
	id     string
}

func walk(table *bbolt.Bucket, after string) *walker {
	w := new(walker)
	if table != nil {
		w.cursor = table.Cursor()
		key, _ := w.cursor.Seek([]byte(after))
		w.id = string(key)
		w.pass(after)
	}
	return w
}

// pass moves to the next id, if the walker is at the given id.
func (w *walker) pass(id string) {
	if w.id == id && id != "" {
		key, _ := w.cursor.Next()
		w.id = string(key)
	}
}

func (c *Copied) add(tx *bbolt.Tx, page []record) error {
	t, err := openTables(tx)
	if err != nil {
		return err
	}
	for _, r := range page {
		snap, err := parseValue(r.id, r.value)
		if err != nil {
			c.Damaged = append(c.Damaged, r.id)
			continue
		}
		if err := t.add(r.id, r.value, snap.ExpiresAt); err != nil {
			return err
		}
		c.Records++
	}
	return nil
}
