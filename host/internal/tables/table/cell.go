package table

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/slipstick/slipstick/sdk/value"
)

// cellKind is the kind of a cell.
type cellKind byte

const (
	blank    cellKind = iota
	text              // as people write it; all cells of CSV are texts
	number            // a binary64
	integer           // of 64 bits
	truth             // true or false
	raw               // bytes that may not be valid text
	doubtful          // a text with two readings as a number
	unread            // none of these; no row has such a cell
)

// cell is one cell of a row. A row is encoded as the bytes of its cells, one after the other.
type cell struct {
	kind  cellKind
	text  string // or bytes
	float float64
	whole int64 // an integer, or 1 for true
}

func appendBlank(row []byte) []byte { return append(row, byte(blank)) }

func appendText[T string | []byte](row []byte, s T) []byte { return appendBytes(row, text, s) }

// appendBytes appends a cell of text or bytes.
func appendBytes[T string | []byte](row []byte, k cellKind, s T) []byte {
	return append(binary.AppendUvarint(append(row, byte(k)), uint64(len(s))), s...)
}

func appendNumber(row []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(append(row, byte(number)), math.Float64bits(x))
}

func appendInteger(row []byte, n int64) []byte {
	return binary.LittleEndian.AppendUint64(append(row, byte(integer)), uint64(n))
}

func appendTruth(row []byte, b bool) []byte {
	if b {
		return append(row, byte(truth), 1)
	}
	return append(row, byte(truth), 0)
}

// cutCell returns the first cell of a row, and the rest of the row.
func cutCell(row string) (c cell, more string) {
	c.kind, row = cellKind(row[0]), row[1:]
	switch c.kind {
	case text, raw, doubtful:
		size, n := uint64(row[0]), 1
		if size >= 0x80 {
			size, n = binary.Uvarint([]byte(row[:min(len(row), binary.MaxVarintLen64)]))
		}
		end := n + int(size)
		c.text, row = row[n:end], row[end:]
	case number:
		c.float, row = math.Float64frombits(bits(row)), row[8:]
	case integer:
		c.whole, row = int64(bits(row)), row[8:]
	case truth:
		c.whole, row = int64(row[0]), row[1:]
	}
	return c, row
}

// cutNumber is cutCell for a row that starts with a number, which is the common case.
func cutNumber(row string) (x float64, more string, ok bool) {
	if cellKind(row[0]) != number {
		return 0, row, false
	}
	return math.Float64frombits(bits(row[1:])), row[9:], true
}

// countCells returns the number of cells of a row.
func countCells(row string) (n int) {
	for ; row != ""; n++ {
		_, row = cutCell(row)
	}
	return n
}

func bits(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// String returns the cell in the notation of CSV.
func (c cell) String() string {
	switch c.kind {
	case number:
		return string(value.AppendNumber(nil, c.float))
	case integer:
		return strconv.FormatInt(c.whole, 10)
	case truth:
		return strconv.FormatBool(c.whole != 0)
	}
	return c.text
}
