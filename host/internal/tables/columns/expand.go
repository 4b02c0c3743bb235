package columns

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// lz4Frame is the compression of Arrow that has no number in Parquet.
const lz4Frame format.CompressionCodec = -1

// The largest expansion factors of the compressions. In Snappy, three bytes copy 64. In gzip, two bits
// copy 258 bytes. In LZ4, one byte copies 255.
const (
	mostSnappy = 22
	mostGzip   = 1032
	mostLZ4    = 255
)

var errExpands = errors.New("a part has more bytes than its header states")

// expand decompresses data to at most size bytes, into the memory of into if they fit. It never
// allocates more than the data can expand to, whatever size announces.
func expand(codec format.CompressionCodec, data []byte, size int, into []byte) ([]byte, error) {
	switch codec {
	case format.Snappy:
		n, err := s2.DecodedLen(data)
		switch {
		case err != nil:
			return nil, err
		case n > size:
			return nil, errExpands
		case n > expandable(codec, data, size):
			return nil, io.ErrUnexpectedEOF
		}
		return s2.Decode(grown(into, n), data)
	case format.Gzip:
		reader := gzips.Get().(*gzip.Reader)
		defer gzips.Put(reader)
		if err := reader.Reset(bytes.NewReader(data)); err != nil {
			return nil, err
		}
		return readAtMost(reader, grown(into, expandable(codec, data, size)))
	case lz4Frame:
		return readAtMost(lz4.NewReader(bytes.NewReader(data)), grown(into, expandable(codec, data, size)))
	case format.Zstd:
		most := grown(into, expandable(codec, data, size))
		out, err := zstds().DecodeAll(data, most[:0:len(most)])
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			return nil, errExpands
		}
		return out, err
	}
	return nil, fmt.Errorf("it is compressed with %v", codec)
}

// expandable returns how many of size bytes the data can expand to.
func expandable(codec format.CompressionCodec, data []byte, size int) int {
	switch codec {
	case format.Snappy:
		return min(size, mostSnappy*len(data))
	case format.Gzip:
		return min(size, mostGzip*len(data))
	case lz4Frame:
		return min(size, mostLZ4*len(data))
	}
	return min(size, zstdMost(data))
}

// grown returns memory for n bytes: the memory of buffer if it is large enough.
func grown[T any](buffer []T, n int) []T {
	if cap(buffer) < n {
		return make([]T, n)
	}
	return buffer[:n]
}

// readAtMost reads to the end, and returns an error if there are more bytes than into holds.
func readAtMost(r io.Reader, into []byte) ([]byte, error) {
	for n := 0; n < len(into); {
		k, err := r.Read(into[n:])
		n += k
		switch {
		case errors.Is(err, io.EOF):
			return into[:n], nil
		case err != nil:
			return nil, err
		}
	}
	switch more, err := io.CopyN(io.Discard, r, 1); {
	case more > 0:
		return nil, errExpands
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return into, nil
}

var gzips = sync.Pool{New: func() any { return new(gzip.Reader) }}

// zstds returns the decoder that all goroutines share. It never expands into more memory than the caller provides.
var zstds = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err) // happens only with other options
	}
	return d
})

// Kinds of Zstandard blocks, and the largest size of a decompressed block.
const (
	zstdRaw  = 0
	zstdRLE  = 1
	zstdMax  = 128 << 10
	zstdSum  = 4 // bytes of a checksum
	zstdSkip = 8 // bytes of the header of a skippable frame
)

// zstdMost returns the largest number of bytes that data can expand to, according to the headers of
// its blocks up to the first damaged one.
func zstdMost(data []byte) (most int) {
	for len(data) > 0 {
		var frame zstd.Header
		if err := frame.Decode(data); err != nil {
			return most
		}
		if frame.Skippable {
			n := zstdSkip + uint64(frame.SkippableSize)
			if n > uint64(len(data)) {
				return most
			}
			data = data[n:]
			continue
		}
		data = data[min(frame.HeaderSize, len(data)):]
		for last := false; !last; {
			if len(data) < 3 {
				return most
			}
			head := uint32(data[0]) | uint32(binary.LittleEndian.Uint16(data[1:]))<<8
			size := int(head >> 3)
			last, data = head&1 == 1, data[3:]
			switch head >> 1 & 3 {
			case zstdRaw:
				most += size
			case zstdRLE:
				most += min(size, zstdMax)
				size = 1
			default:
				most += zstdMax
			}
			if size > len(data) {
				return most
			}
			data = data[size:]
		}
		if frame.HasCheckSum {
			if len(data) < zstdSum {
				return most
			}
			data = data[zstdSum:]
		}
	}
	return most
}
