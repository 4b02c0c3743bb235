package columns

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"
)

// physical is the encoding of the values of a column in Parquet.
type physical struct {
	format.Type
	size     int  // of a FIXED_LEN_BYTE_ARRAY, in bytes
	optional bool // nulls are possible
}

// values are the values of a page without its nulls, either in the slice of their type or as indexes of
// a dictionary.
type values struct {
	indexes []int32 // nil without a dictionary
	truths  []byte  // 0 or 1
	int32s  []int32
	int64s  []int64
	floats  []float32
	doubles []float64

	text    []byte   // of byte arrays, of fixed size or not
	offsets []uint32 // the start of each byte array, and the end of the last
	prefix  int      // size of the prefix of each array
	size    int      // of each, if it is fixed

	reused []int32 // memory for indexes
}

// start returns the offset of the byte array at an index, including its prefix.
func (v *values) start(i int) int {
	if v.offsets == nil {
		return i * v.size
	}
	return int(v.offsets[i])
}

// bytes returns the byte array at an index.
func (v *values) bytes(i int) []byte { return v.text[v.start(i)+v.prefix : v.start(i+1)] }

// A fill copies n values, starting at index from, into a block, starting at row at. It allocates memory
// in the block if necessary.
type fill func(d *Data, at int, v *values, from, n int) error

// maxPrefixes limits the size of values with common prefixes, as a multiple of the size of their page.
const maxPrefixes = 8

// decode reads n values of a page.
func (v *values) decode(kind physical, e format.Encoding, data []byte, n int) (err error) {
	v.indexes = nil
	encoding := parquet.LookupEncoding(e)
	switch e {
	case plainDictionary, format.RLEDictionary:
		return v.decodeIndexes(data, n)
	case format.Plain, format.ByteStreamSplit:
		if kind.Type == format.ByteArray {
			return v.cutPlain(data, n)
		}
		size := (n*bitsOf(kind) + 7) / 8
		if size > len(data) || e == format.ByteStreamSplit && size != len(data) {
			return io.ErrUnexpectedEOF
		}
		data = data[:size]
	case format.RLE: // of booleans, after the number of their bytes
		data, err = prefixed(data)
		if err != nil {
			return err
		}
		v.truths, err = bitsIn(data, n, v.truths)
		return err
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray, format.DeltaByteArray:
		if err := checkDeltas(e, data, n); err != nil {
			return err
		}
	default:
		return fmt.Errorf("it is encoded as %v", e)
	}
	got := 0
	switch kind.Type {
	case format.Boolean:
		v.truths, got = grown(v.truths, n), n
		for i := range v.truths {
			v.truths[i] = data[i/8] >> (i % 8) & 1
		}
	case format.Int32:
		v.int32s, err = encoding.DecodeInt32(grown(v.int32s, n), data)
		got = len(v.int32s)
	case format.Int64:
		v.int64s, err = encoding.DecodeInt64(grown(v.int64s, n), data)
		got = len(v.int64s)
	case format.Float:
		v.floats, err = encoding.DecodeFloat(grown(v.floats, n), data)
		got = len(v.floats)
	case format.Double:
		v.doubles, err = encoding.DecodeDouble(grown(v.doubles, n), data)
		got = len(v.doubles)
	case format.ByteArray:
		v.prefix = 0
		v.text, v.offsets, err = encoding.DecodeByteArray(nil, data, grown(v.offsets, n+1))
		got = len(v.offsets) - 1
	default: // of fixed size
		v.offsets, v.prefix, v.size = nil, 0, kind.size
		v.text = data
		if e != format.Plain {
			v.text, err = encoding.DecodeFixedLenByteArray(nil, data, kind.size)
		}
		got = len(v.text) / max(1, kind.size)
	}
	switch {
	case err != nil:
		return err
	case got != n:
		return fmt.Errorf("a page has %d values in place of %d", got, n)
	}
	return nil
}

// plainDictionary is the encoding of indexes in files of older writers.
const plainDictionary format.Encoding = 2

// bitsOf returns the size of a plain value in bits.
func bitsOf(kind physical) int {
	switch kind.Type {
	case format.Boolean:
		return 1
	case format.Int32, format.Float:
		return 32
	case format.Int64, format.Double:
		return 64
	}
	return 8 * kind.size // also for INT96
}

// cutPlain finds n byte arrays. Each follows its length.
func (v *values) cutPlain(data []byte, n int) error {
	const size = 4
	v.text, v.prefix, v.offsets = data, size, grown(v.offsets, n+1)
	at := 0
	for i := range n {
		v.offsets[i] = uint32(at)
		if len(data)-at < size {
			return io.ErrUnexpectedEOF
		}
		length := binary.LittleEndian.Uint32(data[at:])
		at += size
		if int64(length) > int64(len(data)-at) {
			return io.ErrUnexpectedEOF
		}
		at += int(length)
	}
	v.offsets[n] = uint32(at)
	return nil
}

// decodeIndexes reads n indexes of a dictionary, which follow their width in bits.
func (v *values) decodeIndexes(data []byte, n int) error {
	v.indexes = v.reused[:0]
	if n == 0 {
		return nil
	}
	if len(data) == 0 || data[0] > 32 {
		return errors.New("the indexes of its dictionary are damaged")
	}
	runs, err := runsOf(data[1:], int(data[0]), n)
	if err != nil {
		return err
	}
	v.indexes, err = parquet.RLEDictionary.DecodeInt32(grown(v.reused, n), data[:1+len(runs)])
	v.reused = v.indexes
	if err == nil && len(v.indexes) < n {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// runsOf returns the part of data with the first n values of runs: repeated values and packed values.
// A run announces its number of values, and is refused if there would be more than n.
func runsOf(data []byte, width, n int) ([]byte, error) {
	at := 0
	for left := n; left > 0; {
		head, k := binary.Uvarint(data[at:])
		if k <= 0 {
			return nil, io.ErrUnexpectedEOF
		}
		at += k
		count := head >> 1
		var size uint64  // bytes of the run
		if head&1 == 1 { // packed
			if count > uint64(len(data)) {
				return nil, io.ErrUnexpectedEOF
			}
			size = count * uint64(width)
			count *= 8
			if count > uint64(left)+maxPadding {
				return nil, errLongRun
			}
		} else {
			size = uint64(width+7) / 8
			if count > uint64(left) {
				return nil, errLongRun
			}
		}
		if size > uint64(len(data)-at) {
			return nil, io.ErrUnexpectedEOF
		}
		at += int(size)
		left -= int(min(count, uint64(left)))
	}
	return data[:at:at], nil
}

// maxPadding is the number of values that a writer may add to fill the last packed run.
const maxPadding = 1 << 10

var errLongRun = errors.New("a run has more values than its page")

// prefixed returns the bytes after the number of these bytes.
func prefixed(data []byte) ([]byte, error) {
	if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
		return nil, io.ErrUnexpectedEOF
	}
	return data[4 : 4+binary.LittleEndian.Uint32(data)], nil
}

// checkDeltas compares the announced number of delta-encoded values with n and with the size of the
// page.
func checkDeltas(e format.Encoding, data []byte, n int) error {
	rest, err := afterDeltas(data, n)
	if err != nil || e != format.DeltaByteArray {
		return err
	}
	if _, err := afterDeltas(rest, n); err != nil {
		return err
	}
	prefixes, err := new(delta.BinaryPackedEncoding).DecodeInt32(make([]int32, 0, n), data)
	if err != nil {
		return err
	}
	all := int64(0)
	for _, p := range prefixes {
		all += int64(max(0, p))
	}
	if all > maxPrefixes*int64(len(data)) {
		return &FileError{Reason: fmt.Sprintf("a page has values with common prefixes that are more than %d times as large as the page", maxPrefixes), TooLarge: true}
	}
	return nil
}

// afterDeltas returns the bytes after n delta-encoded integers.
func afterDeltas(data []byte, n int) ([]byte, error) {
	var head [4]uint64 // values of a block, parts of a block, all values, and the first value
	for i := range head {
		v, k := binary.Uvarint(data)
		if k <= 0 {
			return nil, io.ErrUnexpectedEOF
		}
		head[i], data = v, data[k:]
	}
	block, parts := head[0], head[1]
	switch {
	case head[2] != uint64(n):
		return nil, fmt.Errorf("a page has %d values in place of %d", head[2], n)
	case block > 1<<16 || parts == 0 || parts > block:
		return nil, errors.New("the differences of its values are damaged")
	}
	each := int(block / parts) // values in a part
	for left := n - 1; left > 0; {
		_, k := binary.Uvarint(data) // the smallest delta
		if k <= 0 || uint64(len(data)-k) < parts {
			return nil, io.ErrUnexpectedEOF
		}
		widths := data[k:][:parts]
		data = data[k+int(parts):]
		for i := 0; i < len(widths) && left > 0; i++ {
			data = data[min(len(data), each*int(widths[i])/8):]
			left -= each
		}
	}
	return data, nil
}

// bitsIn reads n bits of runs, a byte each, into the memory of into if they fit.
func bitsIn(data []byte, n int, into []byte) ([]byte, error) {
	data, err := runsOf(data, 1, n)
	if err != nil {
		return nil, err
	}
	bits, err := (&rle.Encoding{BitWidth: 1}).DecodeLevels(grown(into, n), data)
	if err == nil && len(bits) < n {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	return bits[:n], nil
}

// readLevels reads the levels of n rows.
func (p *pages) readLevels(data []byte, n int) (err error) {
	p.levels = nil
	if !p.kind.optional {
		return nil
	}
	p.levelsMemory, err = bitsIn(data, n, p.levelsMemory)
	if err == nil && slices.Contains(p.levelsMemory, 0) {
		p.levels = p.levelsMemory
	}
	return err
}

// readOldLevels reads the levels before the values of a page of version 1, and returns the rest.
func (p *pages) readOldLevels(data []byte, h *page) ([]byte, error) {
	p.levels = nil
	if !p.kind.optional {
		return data, nil
	}
	if e := h.DataPageHeader.V.DefinitionLevelEncoding; e != format.RLE {
		return nil, fmt.Errorf("its nulls are encoded as %v", e)
	}
	levels, err := prefixed(data)
	if err != nil {
		return nil, err
	}
	return data[4+len(levels):], p.readLevels(levels, h.values)
}

// countNulls counts the zeros of levels.
func countNulls(levels []byte) (n int) {
	for _, level := range levels {
		if level == 0 {
			n++
		}
	}
	return n
}
