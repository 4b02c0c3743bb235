package snapshot

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"strings"

	"go.etcd.io/bbolt"
)

// The order table proves that an id is not in the file. For each id, it has a checksum, the
// previous id and the next id. An id is not in the file if it lies between an id and its
// predecessor. Damage breaks these entries, so a stored id never looks like an absent one.
type order struct{ *bbolt.Bucket }

// ends is less than any id. It precedes the first id and follows the last one.
const ends = "\x00"

// errBroken means that the order cannot prove that an id is not in the file.
var errBroken = errors.New("the order of its ids is broken")

// neighbours are the ids before and after an id.
type neighbours struct{ former, next string }

// checkSize is the number of bytes of a checksum in an entry.
const checkSize = 8

func (n neighbours) entry(id string) []byte {
	text := n.former + "\n" + n.next
	sum := sha256.Sum256([]byte(id + "\n" + text))
	return append(sum[:checkSize:checkSize], text...)
}

func (o order) put(id string, n neighbours) error { return o.Put([]byte(id), n.entry(id)) }

// read returns the neighbours of an id in the order.
func (o order) read(id string) (n neighbours, err error) {
	entry := o.Get([]byte(id))
	if len(entry) < checkSize {
		return n, errBroken
	}
	n.former, n.next, _ = strings.Cut(string(entry[checkSize:]), "\n")
	if !bytes.Equal(entry, n.entry(id)) {
		return n, errBroken
	}
	return n, nil
}

// around returns the ids between which an id is absent. If the order has the id, ok is true.
func (o order) around(id string) (n neighbours, ok bool, err error) {
	if o.Bucket == nil {
		return n, false, errBroken
	}
	key, _ := o.Cursor().Seek([]byte(id))
	if string(key) == id {
		return n, true, nil
	}
	n.next = ends
	if key != nil {
		n.next = string(key)
	}
	of, err := o.read(n.next)
	n.former = of.former
	if err == nil && n.former >= id {
		err = errBroken
	}
	return n, false, err
}

// add adds an id to the order, unless the order has it already.
func (o order) add(id string) error {
	n, ok, err := o.around(id)
	if err != nil || ok {
		return err
	}
	return o.link(n, id)
}

// remove removes an id from the order.
func (o order) remove(id string) error {
	n, err := o.read(id)
	if err != nil {
		return err
	}
	if err := o.link(n, ""); err != nil {
		return err
	}
	return o.Delete([]byte(id))
}

// link makes the neighbours follow each other. If the id is not "", it is put between them.
func (o order) link(n neighbours, id string) error {
	former, err := o.read(n.former)
	if err != nil {
		return err
	}
	if _, err := o.read(n.next); err != nil {
		return err
	}
	former.next = cmp.Or(id, n.next)
	if err := o.put(n.former, former); err != nil {
		return err
	}
	next, err := o.read(n.next) // can be the same as former
	if err != nil {
		return err
	}
	next.former = cmp.Or(id, n.former)
	err = o.put(n.next, next)
	if err == nil && id != "" {
		err = o.put(id, n)
	}
	return err
}
