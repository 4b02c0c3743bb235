package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/slipstick/slipstick/host/internal/calc/record"
)

// A segment is a file of blocks: one that says which segment it is, any number with records, each
// behind those with the releases that they name, and one that closes it. Each block checks itself:
//
//	kind      1 byte: H, R, D or C
//	records   4 bytes, little-endian as all numbers here; 0 but in D
//	first     8 bytes, index in the segment of its first record; in R, of its first release
//	size      4 bytes, of the content
//	checksum  4 bytes, CRC-32C of all before it and of the content
//	content   JSON in H and C; in R encoded releases, each behind its length; in D records likewise
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

// block is one block as it is stored.
type block struct {
	kind    byte
	records int
	first   uint64
	content []byte
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (k *block) append(b []byte) []byte { return append(k.appendHead(b), k.content...) }

// appendHead appends what stands before the content.
func (k *block) appendHead(b []byte) []byte {
	from := len(b)
	b = binary.LittleEndian.AppendUint32(append(b, k.kind), uint32(k.records))
	b = binary.LittleEndian.AppendUint64(b, k.first)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(k.content)))
	return binary.LittleEndian.AppendUint32(b, k.checksum(b[from:]))
}

// checksum returns that of the head before it, and of the content.
func (k *block) checksum(head []byte) uint32 {
	return crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, k.content)
}

// Errors of a block.
var (
	errTorn    = errors.New("the file ends within a block")
	errDamaged = errors.New("a block is damaged")
)

// readBlock reads the next block. The error is io.EOF at the end of the file, errTorn within a
// block, and errDamaged if the block is not what was written.
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

// size is how many bytes the block has in its file.
func (k *block) size() int64 { return headSize + int64(len(k.content)) }

// eachLeaf gives the encoded records of a data block to the function, in order.
func (k *block) eachLeaf(do func(index uint64, leaf []byte) error) error {
	rest := k.content
	for i := range k.records {
		leaf, behind, err := cutLeaf(rest)
		if err != nil {
			return err
		}
		if err := do(k.first+uint64(i), leaf); err != nil {
			return err
		}
		rest = behind
	}
	if len(rest) > 0 {
		return fmt.Errorf("%w: more than its records", errDamaged)
	}
	return nil
}

// cutLeaf returns what stands first in a block, and what stands behind it.
func cutLeaf(content []byte) (leaf, rest []byte, err error) {
	size, n := binary.Uvarint(content)
	if n <= 0 || size > uint64(len(content)-n) {
		return nil, nil, errDamaged
	}
	return content[n : n+int(size)], content[n+int(size):], nil
}
