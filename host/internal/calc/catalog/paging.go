package catalog

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
)

// MaxPage is the maximum number of capabilities on a page of a list.
const MaxPage = 200

// Page selects a part of a list. The zero Page is the first page.
type Page struct {
	Limit  string // the number of items, as the caller sent it; "" for MaxPage
	Cursor string // the position from the previous page; "" for the first page
}

// PageOf returns the part of a list of capabilities for a page, and the cursor of the next page, which
// is "" at the end. The list must be sorted by id. The name of the list makes cursors of other lists
// invalid. A cursor stays valid if capabilities are published or removed, because it contains the last
// id of its page. The error is an INVALID_QUERY problem.
func PageOf(name string, list []*Entry, p Page) (part []*Entry, next string, err error) {
	limit, err := p.limit()
	if err != nil {
		return nil, "", err
	}
	if p.Cursor != "" {
		after, ok := readCursor(name, p.Cursor)
		if !ok {
			return nil, "", badCursor()
		}
		i, found := slices.BinarySearchFunc(list, after, func(e *Entry, id string) int { return strings.Compare(e.ID, id) })
		if found {
			i++
		}
		list = list[i:]
	}
	if len(list) <= limit {
		return list, "", nil
	}
	return list[:limit], writeCursor(name, list[limit-1].ID), nil
}

// RangeOf is PageOf for n items in another order, such as the hits of a search. It returns the page as
// two indexes. Changes between two pages can move the other items.
func RangeOf(name string, n int, p Page) (from, to int, next string, err error) {
	limit, err := p.limit()
	if err != nil {
		return 0, 0, "", err
	}
	if p.Cursor != "" {
		at, ok := readCursor(name, p.Cursor)
		from, err = strconv.Atoi(at)
		if !ok || err != nil {
			return 0, 0, "", badCursor()
		}
	}
	from = min(from, n)
	to = min(from+limit, n)
	if to < n {
		next = writeCursor(name, strconv.Itoa(to))
	}
	return from, to, next, nil
}

func badCursor() error {
	return problem.InvalidParameter("cursor", "Leave it out to start from the first page.", "cursor is not from a page of this list")
}

// CursorBefore returns the cursor of a page that starts with the capability.
func CursorBefore(name string, list []*Entry, i int) string {
	if i == 0 {
		return ""
	}
	return writeCursor(name, list[i-1].ID)
}

// limit returns the maximum number of capabilities on a page.
func (p Page) limit() (int, error) {
	if p.Limit == "" {
		return MaxPage, nil
	}
	n, err := strconv.Atoi(p.Limit)
	if err != nil || n < 1 || n > MaxPage {
		return 0, problem.InvalidParameter("limit", fmt.Sprintf("Send a number from 1 to %d, or leave it out.", MaxPage), "limit is not a number from 1 to %d", MaxPage)
	}
	return n, nil
}

// A cursor is the last id before a page, after a checksum of the id and of the name of the list. Callers
// send cursors back, and do not create them.
func writeCursor(name, after string) string {
	text := binary.BigEndian.AppendUint32(nil, sumOf(name, after))
	return base64.RawURLEncoding.EncodeToString(append(text, after...))
}

func readCursor(name, cursor string) (after string, ok bool) {
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(text) < 4 {
		return "", false
	}
	after = string(text[4:])
	return after, binary.BigEndian.Uint32(text) == sumOf(name, after)
}

func sumOf(name, after string) uint32 { return crc32.ChecksumIEEE([]byte(name + "\x00" + after)) }
