package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// Parts of the file format of bbolt, version 2, in the byte order of the machine.
const (
	pageHeader = 16 // bytes before the content of a page
	metaSize   = 64
	elementLen = 16
	leafPage   = 2
	isTable    = 1 // flag of an element
	tableRoot  = 16
)

// readHeads returns the number of the page with the tables. The error means that one of the two
// heads of the file is damaged. bbolt then uses the other head, and the last records can be
// missing.
func readHeads(file io.ReaderAt, pageSize int) (root uint64, err error) {
	newest := uint64(0)
	for page := range 2 {
		head := make([]byte, metaSize)
		if _, err := file.ReadAt(head, int64(page*pageSize+pageHeader)); err != nil {
			return 0, err
		}
		sum := fnv.New64a()
		_, _ = sum.Write(head[:metaSize-8])
		if sum.Sum64() != binary.NativeEndian.Uint64(head[metaSize-8:]) {
			err = fmt.Errorf("its head %d does not match its checksum", page)
			continue
		}
		if written := binary.NativeEndian.Uint64(head[metaSize-16:]); written >= newest {
			newest, root = written, binary.NativeEndian.Uint64(head[16:])
		}
	}
	return root, err
}

var errLayout = errors.New("the page with its tables is damaged")

// checkTables checks the page with the tables. bbolt copies small tables into Go memory, where
// wrong lengths would crash the process.
func checkTables(file io.ReaderAt, pageSize int, root uint64) error {
	if root > 1<<40 {
		return errLayout
	}
	page := make([]byte, pageSize)
	if _, err := file.ReadAt(page, int64(root)*int64(pageSize)); err != nil {
		return err
	}
	return checkLeaf(page)
}

// checkLeaf checks that all elements of a leaf page are within the page.
func checkLeaf(page []byte) error {
	if len(page) < pageHeader {
		return errLayout
	}
	count := int(binary.NativeEndian.Uint16(page[10:]))
	first := pageHeader + count*elementLen
	if binary.NativeEndian.Uint16(page[8:]) != leafPage || binary.NativeEndian.Uint32(page[12:]) != 0 || first > len(page) {
		return errLayout
	}
	for at := pageHeader; at < first; at += elementLen {
		number := func(i int) int { return int(binary.NativeEndian.Uint32(page[at+4*i:])) }
		key := at + number(1)
		value := key + number(2)
		end := value + number(3)
		if key < first || end > len(page) {
			return errLayout
		}
		if number(0)&isTable == 0 {
			continue
		}
		table := page[value:end]
		if len(table) < tableRoot {
			return errLayout
		}
		if binary.NativeEndian.Uint64(table) == 0 { // a small table is stored inline
			if err := checkLeaf(table[tableRoot:]); err != nil {
				return err
			}
		}
	}
	return nil
}
