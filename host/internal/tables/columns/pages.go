package columns

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits of the pages of a group of rows.
const (
	maxPage       = 64 << 20  // bytes of a page of Parquet, or of a message of Arrow
	maxPageValues = 8 << 20   // of a page
	maxPages      = 256 << 20 // bytes of the largest page of each column together
	valueBytes    = 9         // largest size of a value in addition to its text: 8, and its level
	textBytes     = 16        // size of a text of a dictionary in addition to its bytes
)

// Limits of the header of a page, which may have statistics.
const (
	maxHeader    = 256 << 10
	headerBuffer = 512
	headerParts  = 1 << 10 // structs in its lists: headers have none today
)

// page is a page as its header describes it.
type page struct {
	format.PageHeader
	values   int
	encoding format.Encoding
	body     int64 // offset of its body
}

// end returns the offset of the end of the page.
func (p *page) end() int64 { return p.body + int64(p.CompressedPageSize) }

// isDictionary reports whether the page holds a dictionary.
func (p *page) isDictionary() bool { return p.Type == format.DictionaryPage }

// memory returns the largest number of bytes that reading the page of a column of this type takes.
func (p *page) memory(t format.Type) int64 {
	expanded, values := int64(p.UncompressedPageSize), int64(p.values)
	n := int64(p.CompressedPageSize) + expanded + valueBytes*values
	if p.encoding == format.DeltaByteArray {
		n += maxPrefixes * expanded
		expanded *= maxPrefixes
	}
	if isBytes := t == format.ByteArray || t == format.FixedLenByteArray; isBytes || p.isDictionary() {
		n += expanded // the texts of a block, or of a dictionary
	}
	if p.isDictionary() {
		n += textBytes * values
	}
	return n
}

// readPage reads the header of the page at an offset. left bytes of pages follow from there.
func readPage(r io.ReaderAt, at, left int64) (*page, error) {
	most := min(left, maxHeader)
	w := newWalker(io.NewSectionReader(r, at, most), most, headerParts)
	if err := w.fields(); err != nil {
		return nil, damaged("the header of a page", err)
	}
	text := make([]byte, w.from.n)
	if _, err := r.ReadAt(text, at); err != nil {
		return nil, unexpected(err)
	}
	p := &page{body: at + w.from.n}
	if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReaderFromBytes(text)).Decode(&p.PageHeader); err != nil {
		return nil, damaged("the header of a page", err)
	}
	switch h := &p.PageHeader; {
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		p.values, p.encoding = int(h.DataPageHeader.V.NumValues), h.DataPageHeader.V.Encoding
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		p.values, p.encoding = int(h.DataPageHeaderV2.V.NumValues), h.DataPageHeaderV2.V.Encoding
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
		p.values, p.encoding = int(h.DictionaryPageHeader.V.NumValues), format.Plain
	case h.Type != format.IndexPage:
		return nil, &FileError{Reason: fmt.Sprintf("a page of the type %v has no header of its type", h.Type)}
	}
	switch size := int64(p.UncompressedPageSize) + int64(p.CompressedPageSize); {
	case p.UncompressedPageSize < 0 || p.CompressedPageSize < 0 || p.values < 0:
		return nil, &FileError{Reason: "a page has a negative size"}
	case size > maxPage || p.values > maxPageValues:
		return nil, &FileError{Reason: fmt.Sprintf("a page has more than %d MB, or %d values", maxPage>>20, maxPageValues), TooLarge: true}
	case p.end() > at+left:
		return nil, &FileError{Reason: "a page has fewer bytes than its header states"}
	}
	return p, nil
}

// chunkNeeds is the largest number of bytes that reading a column takes: a dictionary and a page after it.
type chunkNeeds struct{ dictionary, page int64 }

// grow adds the pages of a column chunk, and returns the number of bytes that the column takes in addition.
func (n *chunkNeeds) grow(r io.ReaderAt, size int64, chunk *pagesAt) (larger int64, err error) {
	before := *n
	at, left, err := chunk.within(size)
	if err != nil {
		return 0, err
	}
	for left > 0 {
		p, err := readPage(r, at, left)
		if err != nil {
			return 0, err
		}
		if p.isDictionary() {
			n.dictionary = max(n.dictionary, p.memory(chunk.Type))
		} else {
			n.page = max(n.page, p.memory(chunk.Type))
		}
		at, left = p.end(), left-(p.end()-at)
	}
	return n.dictionary + n.page - before.dictionary - before.page, nil
}

// within returns the offset and size of the pages, which must lie within the file.
func (p *pagesAt) within(size int64) (at, left int64, err error) {
	at, left = p.start(), p.Size
	if left < 0 || left > size || at < 0 || at > size-left {
		return 0, 0, &FileError{Reason: "the pages of a column are not within the file"}
	}
	return at, left, nil
}

// pages reads the pages of a column in a group of rows.
type pages struct {
	file     io.ReaderAt
	at, left int64 // of the pages that are not read yet
	codec    format.CompressionCodec
	kind     physical
	budget   *int64 // bytes left for the pages of all columns

	dictionary *Data  // nil without a dictionary
	levels     []byte // of each row of the page, 0 for a null; nil if no row is null
	row, rows  int    // of the page: the next row, and the number of rows
	value      int    // index of the next value of the page

	pageMemory
}

// pageMemory is the memory that a column reuses for later pages, and its share of the budget.
type pageMemory struct {
	dictionaryBytes, pageBytes   int64
	body, expanded, levelsMemory []byte
	values                       values // of the page
}

// take takes the memory for a page from the budget. A column reuses its memory for later pages.
func (p *pages) take(taken *int64, h *page) error {
	if more := h.memory(p.kind.Type) - *taken; more > 0 {
		*p.budget -= more
		if *p.budget < 0 {
			return errors.New("its pages are larger than they were")
		}
		*taken += more
	}
	return nil
}

// next reads the next page with rows. The error is io.EOF after the last page.
func (p *pages) next(fill fill) error {
	p.row, p.value, p.rows = 0, 0, 0
	for p.left > 0 {
		h, err := p.header()
		if err != nil {
			return err
		}
		switch {
		case h.Type == format.IndexPage || h.values == 0:
		case h.isDictionary():
			if err := p.readDictionary(h, fill); err != nil {
				return err
			}
		default:
			return p.readValues(h)
		}
	}
	return io.EOF
}

// header reads the header of the next page, and moves to the page after it.
func (p *pages) header() (*page, error) {
	h, err := readPage(p.file, p.at, p.left)
	if err != nil {
		return nil, err
	}
	p.at, p.left = h.end(), p.left-(h.end()-p.at)
	return h, nil
}

// readBody returns the bytes of a page. They are valid until the next call.
func (p *pages) readBody(h *page) ([]byte, error) {
	p.body = grown(p.body, int(h.CompressedPageSize))
	if _, err := p.file.ReadAt(p.body, h.body); err != nil && len(p.body) > 0 {
		return nil, unexpected(err)
	}
	if h.CRC != 0 && uint32(h.CRC) != crc32.ChecksumIEEE(p.body) {
		return nil, errors.New("a page has another checksum than its header states")
	}
	return p.body, nil
}

func (p *pages) expand(body []byte, h *page) (_ []byte, err error) {
	p.expanded, err = expand(p.codec, body, int(h.UncompressedPageSize), p.expanded)
	return p.expanded, err
}

func (p *pages) readDictionary(h *page, fill fill) error {
	if p.dictionary != nil {
		return errors.New("it has two dictionaries")
	}
	if err := p.take(&p.dictionaryBytes, h); err != nil {
		return err
	}
	body, err := p.readBody(h)
	if err != nil {
		return err
	}
	if p.codec != format.Uncompressed {
		body, err = p.expand(body, h)
		if err != nil {
			return err
		}
	}
	if err := p.values.decode(p.kind, format.Plain, body, h.values); err != nil {
		return err
	}
	p.dictionary = new(Data)
	return fill(p.dictionary, 0, &p.values, 0, h.values)
}

// readValues reads a page with values.
func (p *pages) readValues(h *page) error {
	if err := p.take(&p.pageBytes, h); err != nil {
		return err
	}
	body, err := p.readBody(h)
	if err != nil {
		return err
	}
	v2 := h.Type == format.DataPageV2
	compressed := p.codec != format.Uncompressed
	if v2 {
		header := &h.DataPageHeaderV2.V
		repetitions, definitions := int(header.RepetitionLevelsByteLength), int(header.DefinitionLevelsByteLength)
		levels := repetitions + definitions
		if repetitions < 0 || definitions < 0 || levels > len(body) {
			return io.ErrUnexpectedEOF
		}
		if err := p.readLevels(body[repetitions:levels], h.values); err != nil {
			return err
		}
		body = body[levels:]
		compressed = compressed && (!header.IsCompressed.Valid || header.IsCompressed.V)
	}
	if compressed && len(body) > 0 { // a page with only nulls has no values to compress
		body, err = p.expand(body, h)
		if err != nil {
			return err
		}
	}
	if !v2 {
		body, err = p.readOldLevels(body, h)
		if err != nil {
			return err
		}
	}
	p.rows = h.values
	return p.values.decode(p.kind, h.encoding, body, h.values-countNulls(p.levels))
}

// skip skips rows. It does not read whole pages among them.
func (p *pages) skip(rows int64, fill fill) error {
	for {
		if n := min(rows, int64(p.rows-p.row)); n > 0 {
			p.advance(int(n))
			rows -= n
		}
		if rows == 0 {
			return nil
		}
		p.row, p.value, p.rows = 0, 0, 0
		h, err := p.header()
		switch {
		case p.left < 0 || err != nil:
			return unexpected(err)
		case h.Type == format.IndexPage:
		case h.isDictionary():
			err = p.readDictionary(h, fill)
		case int64(h.values) <= rows:
			rows -= int64(h.values)
		default:
			err = p.readValues(h)
		}
		if err != nil {
			return err
		}
	}
}

// advance moves ahead by rows of the page.
func (p *pages) advance(rows int) {
	if p.levels == nil {
		p.value += rows
	} else {
		p.value += rows - countNulls(p.levels[p.row:p.row+rows])
	}
	p.row += rows
}

// read reads the next rows of the column into a block, starting at row at. It reads at most the given
// number of rows, all from one page.
func (p *pages) read(d *Data, at, rows int, fill fill) (int, error) {
	for p.row == p.rows {
		if err := p.next(fill); err != nil {
			return 0, unexpected(err)
		}
	}
	rows = min(rows, p.rows-p.row)
	if p.levels == nil {
		err := p.put(d, at, rows, fill)
		p.row += rows
		return rows, err
	}
	for i := 0; i < rows; {
		run, level := 1, p.levels[p.row]
		for i+run < rows && p.levels[p.row+run] == level {
			run++
		}
		if level == 0 {
			for k := range run {
				d.Null[at+i+k] = true
			}
		} else if err := p.put(d, at+i, run, fill); err != nil {
			return 0, err
		}
		i, p.row = i+run, p.row+run
	}
	return rows, nil
}

// put puts the next values into a block.
func (p *pages) put(d *Data, at, n int, fill fill) error {
	from := p.value
	p.value += n
	if p.values.indexes == nil {
		return fill(d, at, &p.values, from, n)
	}
	if p.dictionary == nil {
		return errors.New("it has no dictionary")
	}
	return d.gather(at, p.dictionary, p.values.indexes[from:from+n])
}
