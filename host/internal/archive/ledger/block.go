package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/slipstick/slipstick/host/internal/calc/record"
)

// A segment is a file of blocks. The first block (H) has the header. Data blocks (D) have records,
// and follow blocks with the releases (R) that their records name. The last block (C) closes the
// segment. Each block has a checksum:
//
//	kind      1 byte: H, R, D or C
//	records   4 bytes, little-endian as all numbers here; 0 but in D
//	first     8 bytes, index in the segment of its first record; in R, of its first release
//	size      4 bytes, of the content
//	checksum  4 bytes, CRC-32C of all before it and of the content
//	content   JSON in H and C; in R encoded releases, each rest its length; in D records likewise
const (
	blockHead     = 'H'
	blockReleases = 'R'
	blockData     = 'D'
	blockClose    = 'C'
)

const (
	headSize = 1 + 4 + 8 + 4 + 4

	// maxContent bounds the content of a block: a full chunk, and one record beyond.
	maxContent = chunkSize + record.MaxSize + 16
)

// block is one block of a file.
type block struct {
	kind    byte
	records int
	first   uint64
	content []byte
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (k *block) append(b []byte) []byte { return append(k.appendHead(b), k.content...) }

// appendHead appends the head of the block, which precedes the content.
func (k *block) appendHead(b []byte) []byte {
	from := len(b)
	b = binary.LittleEndian.AppendUint32(append(b, k.kind), uint32(k.records))
	b = binary.LittleEndian.AppendUint64(b, k.first)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(k.content)))
	return binary.LittleEndian.AppendUint32(b, k.checksum(b[from:]))
}

// checksum returns the checksum of the rest of the head and of the content.
func (k *block) checksum(head []byte) uint32 {
	return crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, k.content)
}

// Errors of blocks.
var (
	errTorn    = errors.New("the file ends within a block")
	errDamaged = errors.New("a block is damaged")
)

// readBlock reads the next block. The error is io.EOF at the end of the file, errTorn within a
// block, and errDamaged if the checksum is wrong.
func readBlock(r io.Reader) (*block, error) {
	var head [headSize]byte
	switch _, err := io.ReadFull(r, head[:]); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errTorn
	case err != nil:
		return nil, err
	}
	k := &block{kind: head[0], records: int(binary.LittleEndian.Uint32(head[1:])), first: binary.LittleEndian.Uint64(head[5:])}
	size := binary.LittleEndian.Uint32(head[13:])
	if size > maxContent || k.records > maxContent {
		return nil, errDamaged
	}
	k.content = make([]byte, size)
	switch _, err := io.ReadFull(r, k.content); {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return nil, errTorn
	case err != nil:
		return nil, err
	}
	if k.checksum(head[:headSize-4]) != binary.LittleEndian.Uint32(head[headSize-4:]) {
		return nil, errDamaged
	}
	return k, nil
}

// size returns the size of the block in its file.
func (k *block) size() int64 { return headSize + int64(len(k.content)) }

// eachLeaf calls do for each encoded record of a data block, in order.
func (k *block) eachLeaf(do func(index uint64, leaf []byte) error) error {
	rest := k.content
	for i := range k.records {
		leaf, remaining, err := cutLeaf(rest)
		if err != nil {
			return err
		}
		if err := do(k.first+uint64(i), leaf); err != nil {
			return err
		}
		rest = remaining
	}
	if len(rest) > 0 {
		return fmt.Errorf("%w: more than its records", errDamaged)
	}
	return nil
}

// cutLeaf returns the first record or release of a block, and the remaining bytes.
func cutLeaf(content []byte) (leaf, rest []byte, err error) {
	size, n := binary.Uvarint(content)
	if n <= 0 || size > uint64(len(content)-n) {
		return nil, nil, errDamaged
	}
	return content[n : n+int(size)], content[n+int(size):], nil
}
