package columns

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Bounds of the pages of a group of rows. The library allocates what a page says that it has, and
// a page of few bytes may say that it has a great many values.
const (
	maxPage       = 64 << 20  // bytes of a page of Parquet, or of a message of Arrow
	maxPageValues = 8 << 20   // of a page
	maxPages      = 256 << 20 // bytes of the largest page of each column together
	valueBytes    = 8         // that a value takes, at least
)

// pagesOf returns how many bytes the pages of a file take at most while a group of rows is read. It
// refuses a file whose pages would take too much memory.
func pagesOf(r io.ReaderAt, groups []format.RowGroup) (most int64, err error) {
	for g := range groups {
		all := int64(0)
		for i := range groups[g].Columns {
			largest, err := largestPage(r, &groups[g].Columns[i].MetaData)
			if err != nil {
				return 0, err
			}
			if all += largest; all > maxPages {
				return 0, &FileError{Reason: fmt.Sprintf("the pages of a group of rows take more than %d MB at once", maxPages>>20), TooLarge: true}
			}
		}
		most = max(most, all)
	}
	return most, nil
}

// largestPage returns how many bytes a column takes at most while a page of it is read.
func largestPage(r io.ReaderAt, column *format.ColumnMetaData) (int64, error) {
	at, left := column.DataPageOffset, column.TotalCompressedSize
	if d := column.DictionaryPageOffset; d > 0 && d < at {
		at = d
	}
	var dictionary, largest int64
	for left > 0 {
		section := &counted{reader: bufio.NewReaderSize(io.NewSectionReader(r, at, min(left, maxHeader)), headerBuffer)}
		var h format.PageHeader
		if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(section)).Decode(&h); err != nil {
			return 0, &FileError{Reason: "a page cannot be read", Err: err}
		}
		values := int64(h.DataPageHeader.V.NumValues) + int64(h.DataPageHeaderV2.V.NumValues) + int64(h.DictionaryPageHeader.V.NumValues)
		size := int64(h.UncompressedPageSize) + int64(h.CompressedPageSize)
		switch {
		case h.UncompressedPageSize < 0 || h.CompressedPageSize < 0 || values < 0:
			return 0, &FileError{Reason: "a page has a negative size"}
		case size > maxPage || values > maxPageValues:
			return 0, &FileError{Reason: fmt.Sprintf("a page has more than %d MB, or %d values", maxPage>>20, maxPageValues), TooLarge: true}
		}
		if err := checkExpanded(io.NewSectionReader(r, at+section.n, int64(h.CompressedPageSize)), column.Codec, &h); err != nil {
			return 0, err
		}
		if size += valueBytes * values; h.DictionaryPageHeader.Valid {
			dictionary += size
		} else {
			largest = max(largest, size)
		}
		step := section.n + int64(h.CompressedPageSize)
		at, left = at+step, left-step
	}
	return dictionary + largest, nil
}

// checkCodecs refuses a file with pages that are compressed in another way than those that
// [checkExpanded] knows.
func checkCodecs(metadata *format.FileMetaData) error {
	for _, group := range metadata.RowGroups {
		for i := range group.Columns {
			switch codec := group.Columns[i].MetaData.Codec; {
			case codec != format.Uncompressed && codec != format.Snappy && codec != format.Gzip && codec != format.Zstd:
				return &FileError{Reason: fmt.Sprintf("the pages are compressed with %v; Snappy, gzip and Zstandard are read", codec)}
			case i >= len(metadata.RowGroups[0].Columns) || codec != metadata.RowGroups[0].Columns[i].MetaData.Codec:
				return &FileError{Reason: "a column is compressed in several ways"}
			}
		}
	}
	return nil
}

// checkExpanded refuses a page that has more bytes than its header says when it is no longer
// compressed: the library expands whatever there is. What is compressed with Snappy says how much it
// is, anything else is expanded here first.
func checkExpanded(body *io.SectionReader, codec format.CompressionCodec, h *format.PageHeader) error {
	if v2 := &h.DataPageHeaderV2; v2.Valid {
		if compressed := v2.V.IsCompressed; compressed.Valid && !compressed.V {
			return nil
		}
		levels := int64(v2.V.RepetitionLevelsByteLength) + int64(v2.V.DefinitionLevelsByteLength)
		if _, err := body.Seek(max(0, levels), io.SeekStart); err != nil {
			return err
		}
	}
	var size int64
	var err error
	switch codec {
	case format.Snappy:
		var length uint64
		length, err = binary.ReadUvarint(bufio.NewReaderSize(body, binary.MaxVarintLen64))
		size = int64(min(length, math.MaxInt64))
	case format.Gzip:
		var expanded *gzip.Reader
		if expanded, err = gzip.NewReader(body); err == nil {
			size, err = io.Copy(io.Discard, io.LimitReader(expanded, maxPage+1))
		}
	case format.Zstd:
		var expanded *zstd.Decoder
		if expanded, err = zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxPage)); err == nil {
			size, err = io.Copy(io.Discard, io.LimitReader(expanded, maxPage+1))
			expanded.Close()
		}
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF): // of an empty page
		return &FileError{Reason: "a page cannot be read", Err: err}
	case size > int64(h.UncompressedPageSize):
		return &FileError{Reason: "a page has more bytes than it says"}
	}
	return nil
}

// Bounds of the header of a page, which may have statistics.
const (
	maxHeader    = 256 << 10
	headerBuffer = 512
)

// counted counts what is read.
type counted struct {
	reader *bufio.Reader
	n      int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.reader.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counted) ReadByte() (byte, error) {
	b, err := c.reader.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}
