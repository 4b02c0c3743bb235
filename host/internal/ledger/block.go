package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/s2"

	"github.com/slipstick/slipstick/host/internal/record"
)

// A segment is a file of blocks: one that says which segment it is, any number with records, each
// behind those with the releases that they name, and one that closes it. Each block checks itself:
//
//	kind      1 byte: H, R, D or C
//	records   4 bytes, little-endian as all numbers here; 0 but in D
//	first     8 bytes, index of its first record in the segment
//	raw       4 bytes, size of the content
//	stored    4 bytes, size of what follows
//	checksum  4 bytes, CRC-32C of all before it and of what follows
//	content   JSON in H and C; in R encoded releases, each behind its length; in D records likewise,
//	          compressed with S2
const (
	blockHead     = 'H'
	blockReleases = 'R'
	blockData     = 'D'
	blockClose    = 'C'
)

const (
	headSize = 1 + 4 + 8 + 4 + 4 + 4

	// maxRaw bounds the content of a block: a full chunk, and one record beyond.
	maxRaw = chunkSize + record.MaxSize + 16
)

// block is one block as it is stored.
type block struct {
	kind    byte
	records int
	first   uint64
	raw     int
	stored  []byte
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (k *block) append(b []byte) []byte {
	from := len(b)
	b = binary.LittleEndian.AppendUint32(append(b, k.kind), uint32(k.records))
	b = binary.LittleEndian.AppendUint64(b, k.first)
	b = binary.LittleEndian.AppendUint32(b, uint32(k.raw))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(k.stored)))
	sum := crc32.Update(crc32.Checksum(b[from:], castagnoli), castagnoli, k.stored)
	return append(binary.LittleEndian.AppendUint32(b, sum), k.stored...)
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
	k := &block{
		kind: head[0], records: int(binary.LittleEndian.Uint32(head[1:])), first: binary.LittleEndian.Uint64(head[5:]),
		raw: int(binary.LittleEndian.Uint32(head[13:])),
	}
	stored := int(binary.LittleEndian.Uint32(head[17:]))
	if k.raw > maxRaw || stored > maxRaw+maxRaw/8 || k.records > maxRaw {
		return nil, errDamaged
	}
	k.stored = make([]byte, stored)
	switch _, err := io.ReadFull(r, k.stored); {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return nil, errTorn
	case err != nil:
		return nil, err
	}
	sum := crc32.Update(crc32.Checksum(head[:headSize-4], castagnoli), castagnoli, k.stored)
	if sum != binary.LittleEndian.Uint32(head[headSize-4:]) {
		return nil, errDamaged
	}
	return k, nil
}

// size is how many bytes the block has in its file.
func (k *block) size() int64 { return headSize + int64(len(k.stored)) }

// eachLeaf gives the encoded records of a data block to the function, in order.
func (k *block) eachLeaf(do func(index uint64, leaf []byte) error) error {
	if size, err := s2.DecodedLen(k.stored); err != nil || size != k.raw {
		return errDamaged
	}
	raw, err := s2.Decode(nil, k.stored)
	if err != nil {
		return errDamaged
	}
	for i := range k.records {
		leaf, rest, err := cutLeaf(raw)
		if err != nil {
			return err
		}
		if err := do(k.first+uint64(i), leaf); err != nil {
			return err
		}
		raw = rest
	}
	if len(raw) > 0 {
		return fmt.Errorf("%w: more than its records", errDamaged)
	}
	return nil
}

// cutLeaf returns what stands first in a block, and what stands behind it.
func cutLeaf(raw []byte) (leaf, rest []byte, err error) {
	size, n := binary.Uvarint(raw)
	if n <= 0 || size > uint64(len(raw)-n) {
		return nil, nil, errDamaged
	}
	return raw[n : n+int(size)], raw[n+int(size):], nil
}

// releases adds the releases of the block to others.
func (k *block) releases(to record.Releases) error {
	for raw := k.stored; len(raw) > 0; {
		release, rest, err := cutLeaf(raw)
		if err != nil || to.Add(release) != nil {
			return errDamaged
		}
		raw = rest
	}
	return nil
}
