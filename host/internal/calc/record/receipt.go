package record

import (
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
)

// Receipt names a record: the ledger, the segment, the leaf, and a key. The record is shown only to
// holders of the key. The zero Receipt names no record.
type Receipt struct {
	Ledger  string // letters and digits
	Segment uint64
	Leaf    uint64
	Key     Key
}

// Key is the key of a receipt. It is also the key of the hash of the inputs, if the record has one.
type Key [16]byte

// AppendText appends the receipt in the format of a header: LEDGER-SEGMENT/LEAF-KEY.
func (r *Receipt) AppendText(b []byte) []byte {
	b = strconv.AppendUint(append(append(b, r.Ledger...), '-'), r.Segment, 10)
	b = strconv.AppendUint(append(b, '/'), r.Leaf, 10)
	return hex.AppendEncode(append(b, '-'), r.Key[:])
}

// String returns the receipt in the format of a header, or "" if it names no record.
func (r Receipt) String() string {
	if r.Ledger == "" {
		return ""
	}
	return string(r.AppendText(nil))
}

// ErrReceipt means that a text is not a receipt.
var ErrReceipt = errors.New("not a receipt, which looks like k3f9a2c1-17/4231- and 32 hexadecimal digits")

// ParseReceipt parses the format of AppendText.
func ParseReceipt(text string) (r Receipt, err error) {
	segment, leaf, _ := strings.Cut(text, "/")
	ledger, number, _ := strings.Cut(segment, "-")
	index, key, _ := strings.Cut(leaf, "-")
	r.Ledger = ledger
	var errs [3]error
	r.Segment, errs[0] = strconv.ParseUint(number, 10, 63)
	r.Leaf, errs[1] = strconv.ParseUint(index, 10, 62)
	if len(key) != hex.EncodedLen(len(r.Key)) {
		return Receipt{}, ErrReceipt
	}
	_, errs[2] = hex.Decode(r.Key[:], []byte(key))
	if errors.Join(errs[:]...) != nil || r.String() != text {
		return Receipt{}, ErrReceipt
	}
	return r, nil
}
