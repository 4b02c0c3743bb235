package columns

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/parquet-go/parquet-go/format"
)

// Limits of the messages of Arrow.
const (
	maxMetadata = 2 << 20 // bytes before the cells
	maxTexts    = 4 << 20 // bytes of the texts in it, each counted for every reference
	textMemory  = 32      // bytes that a key and a value take in addition to their own
	maxDepth    = 64      // of nested columns
)

// Offsets in the tables of Message.fbs and Schema.fbs: 4, and 2 more for each field before.
const (
	messageHeaderType, messageHeader, messageBody, messageTexts = 6, 8, 10, 12

	schemaFields, schemaTexts = 6, 8

	fieldName, fieldTypeKind, fieldType, fieldChildren, fieldTexts = 4, 8, 10, 14, 16

	timestampZone = 6

	unionTypes = 6

	textKey, textValue = 4, 6

	dictionaryID, dictionaryBatch, dictionaryDelta = 4, 6, 8

	batchRows, batchNodes, batchBuffers, batchCompression, batchVariadic = 4, 6, 8, 10, 12

	compressionCodec = 4
)

// Kinds of tables in unions.
const (
	headerIsSchema     = 1
	headerIsDictionary = 2
	headerIsBatch      = 3

	typeIsTimestamp = 10
	typeIsUnion     = 14
)

// messages reads the messages of an Arrow file and checks each one first. The library follows
// references in their metadata wherever they lead, and allocates the sizes that they announce. A column
// that is its own child would end the process, and a buffer of a terabyte would fill its memory.
type messages struct {
	source  *bufio.Reader
	acquire Acquire
	ended   bool

	held         int64           // bytes that are acquired for the parts below
	cells        int64           // of the record batch
	reading      int64           // of the dictionary that is being read
	dictionaries map[int64]int64 // of each dictionary
	texts        int64           // of copied dictionaries
}

// Retain implements [ipc.MessageReader]. It does nothing, because the garbage collector frees memory.
func (m *messages) Retain() {}

// Release implements [ipc.MessageReader].
func (m *messages) Release() {}

// Message implements [ipc.MessageReader].
func (m *messages) Message() (_ *ipc.Message, err error) {
	defer recovered(&err)
	if m.ended {
		return nil, io.EOF
	}
	size, err := m.prefix()
	switch {
	case err != nil:
		return nil, err
	case size == 0:
		m.ended = true
		return nil, io.EOF
	case size > maxMetadata:
		return nil, &FileError{Reason: fmt.Sprintf("a message has more than %d MB before its cells", maxMetadata>>20), TooLarge: true}
	}
	metadata, err := readBytes(m.source, int(size), func(int64) error { return nil })
	if err != nil {
		return nil, err
	}
	message := flatbuffers.Table{Bytes: metadata, Pos: flatbuffers.GetUOffsetT(metadata)}
	body, err := m.read(&message)
	if err != nil {
		return nil, err
	}
	return ipc.NewMessage(memory.NewBufferBytes(metadata), memory.NewBufferBytes(body)), nil
}

// prefix reads the size of the metadata of the next message. It returns 0 after the last one.
func (m *messages) prefix() (uint32, error) {
	var head [4]byte
	if _, err := io.ReadFull(m.source, head[:]); err != nil {
		return 0, err // io.EOF at the end of a stream without an end marker
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size == 0xffffffff { // missing in Arrow before 0.15
		if _, err := io.ReadFull(m.source, head[:]); err != nil {
			return 0, unexpected(err)
		}
		size = binary.LittleEndian.Uint32(head[:])
	}
	return size, nil
}

// readBytes reads n bytes. It acquires memory in steps as they arrive, and allocates only that.
func readBytes(r io.Reader, n int, take func(bytes int64) error) ([]byte, error) {
	const first = 64 << 10
	var b []byte
	for len(b) < n {
		more := min(n-len(b), max(first, len(b)))
		if err := take(2 * int64(more)); err != nil { // the earlier bytes are copied
			return nil, err
		}
		b = slices.Grow(b, more)
		k, err := io.ReadFull(r, b[len(b):min(cap(b), n)])
		b = b[:len(b)+k]
		if err != nil {
			return nil, unexpected(err)
		}
	}
	return b, nil
}

// read checks the metadata of a message, and returns its decompressed cells.
func (m *messages) read(message *flatbuffers.Table) ([]byte, error) {
	size := message.GetInt64Slot(messageBody, 0)
	if size < 0 || size > maxPage {
		return nil, &FileError{Reason: fmt.Sprintf("a message has more than %d MB of cells", maxPage>>20), TooLarge: true}
	}
	left := allowance{columns: maxElements, texts: maxTexts}
	if err := left.takeTexts(message, messageTexts); err != nil {
		return nil, err
	}
	var header flatbuffers.Table
	if field := message.Offset(messageHeader); field != 0 {
		message.Union(&header, flatbuffers.UOffsetT(field))
	}
	switch kind := message.GetByteSlot(messageHeaderType, 0); {
	case header.Bytes == nil:
		return nil, &FileError{Reason: "a message is empty"}
	case kind == headerIsSchema:
		if err := left.takeTexts(&header, schemaTexts); err != nil {
			return nil, err
		}
		if err := left.takeColumns(&header, schemaFields, maxDepth); err != nil {
			return nil, err
		}
		_, err := io.CopyN(io.Discard, m.source, size)
		return nil, unexpected(err)
	case kind == headerIsDictionary:
		return m.readDictionary(&header, size)
	case kind == headerIsBatch:
		m.cells = 0
		return m.readBatch(&header, size, &m.cells)
	default:
		return nil, &FileError{Reason: "a message is neither a schema nor cells"}
	}
}

// readDictionary reads the cells of a dictionary. They stay in memory until another one replaces it.
func (m *messages) readDictionary(header *flatbuffers.Table, size int64) ([]byte, error) {
	id, field := header.GetInt64Slot(dictionaryID, 0), header.Offset(dictionaryBatch)
	before := m.dictionaries[id]
	if field == 0 || len(m.dictionaries) >= maxElements {
		return nil, &FileError{Reason: "a dictionary has no cells, or there are too many"}
	}
	batch := flatbuffers.Table{Bytes: header.Bytes, Pos: header.Indirect(header.Pos + flatbuffers.UOffsetT(field))}
	m.cells, m.reading, m.dictionaries[id] = 0, 0, 0
	if header.GetBoolSlot(dictionaryDelta, false) {
		m.reading = 2 * before // it is copied
	}
	body, err := m.readBatch(&batch, size, &m.reading)
	m.dictionaries[id], m.reading = m.reading, 0
	return body, err
}

// take acquires memory for a part of the held memory.
func (m *messages) take(part *int64, bytes int64) error {
	*part += bytes
	all := m.cells + m.reading + m.texts
	for _, n := range m.dictionaries {
		all += n
	}
	switch {
	case all <= m.held:
		return nil
	case all > maxPages:
		return tooManyBytes()
	}
	if err := m.acquire.take(all - m.held); err != nil {
		return err
	}
	m.held = all
	return nil
}

func tooManyBytes() error {
	return &FileError{Reason: fmt.Sprintf("a part of the file takes more than %d MB at once", maxPages>>20), TooLarge: true}
}

// Sizes of the structs in the metadata of cells.
const (
	nodeBytes   = 16 // the length of a column and the number of its nulls
	bufferBytes = 16 // the offset of a buffer and its length
)

// readBatch checks the metadata of cells and reads them.
func (m *messages) readBatch(batch *flatbuffers.Table, size int64, bytes *int64) ([]byte, error) {
	if rows := batch.GetInt64Slot(batchRows, 0); rows < 0 || rows > maxPageValues {
		return nil, &FileError{Reason: fmt.Sprintf("a record batch has more than %d rows", maxPageValues), TooLarge: true}
	}
	at, n := vector(batch, batchNodes)
	for i := range n {
		if rows := batch.GetInt64(at + flatbuffers.UOffsetT(nodeBytes*i)); rows < 0 || rows > maxPageValues {
			return nil, &FileError{Reason: fmt.Sprintf("a column of a record batch has more than %d rows", maxPageValues), TooLarge: true}
		}
	}
	buffers, count := vector(batch, batchBuffers)
	for i := range count {
		offset, length := place(batch, buffers, i)
		if offset < 0 || length < 0 || length > size || offset > size-length {
			return nil, &FileError{Reason: "the cells of a column are not within their message"}
		}
	}
	at, n = vector(batch, batchVariadic)
	variadic := int64(0)
	for i := range n {
		k := batch.GetInt64(at + flatbuffers.UOffsetT(8*i))
		variadic += k
		if k < 0 || k > int64(count) || variadic > int64(count) {
			return nil, &FileError{Reason: "a column has more buffers than there are"}
		}
	}
	body, err := readBytes(m.source, int(size), func(more int64) error { return m.take(bytes, more) })
	if err != nil {
		return nil, err
	}
	compression := flatbuffers.UOffsetT(batch.Offset(batchCompression))
	if compression == 0 {
		return body, nil
	}
	how := flatbuffers.Table{Bytes: batch.Bytes, Pos: batch.Indirect(batch.Pos + compression)}
	codec := lz4Frame
	if how.GetByteSlot(compressionCodec, 0) != 0 {
		codec = format.Zstd
	}
	return m.expand(batch, buffers, count, body, codec, bytes)
}

// place returns the offset of a buffer of cells in its message, and its length.
func place(t *flatbuffers.Table, at flatbuffers.UOffsetT, i int) (offset, length int64) {
	at += flatbuffers.UOffsetT(bufferBytes * i)
	return t.GetInt64(at), t.GetInt64(at + 8)
}

// notCompressed is the size in front of a buffer that is not compressed.
const notCompressed = -1

// expand returns the decompressed cells of a message, and marks them as such in its metadata. Each
// compressed buffer starts with its size.
func (m *messages) expand(batch *flatbuffers.Table, buffers flatbuffers.UOffsetT, count int, body []byte, codec format.CompressionCodec, bytes *int64) ([]byte, error) {
	all := int64(0)
	for i := range count {
		offset, length := place(batch, buffers, i)
		switch {
		case length == 0:
			continue
		case length < 8:
			return nil, errors.New("a buffer is too short")
		}
		size := int64(binary.LittleEndian.Uint64(body[offset:]))
		if size < notCompressed || size > maxPage {
			return nil, tooManyBytes()
		}
		all += max(length, int64(expandable(codec, body[offset+8:offset+length], int(size))))
	}
	if err := m.take(bytes, 2*all); err != nil {
		return nil, err
	}
	var expanded, part []byte
	for i := range count {
		offset, length := place(batch, buffers, i)
		if length == 0 {
			continue
		}
		size, from := int64(binary.LittleEndian.Uint64(body[offset:])), body[offset+8:offset+length]
		if size != notCompressed {
			var err error
			part, err = expand(codec, from, int(size), part)
			if err != nil {
				return nil, err
			}
			from = part
			if int64(len(from)) != size {
				return nil, errors.New("a buffer has fewer bytes than its header states")
			}
		}
		at := buffers + flatbuffers.UOffsetT(bufferBytes*i)
		flatbuffers.WriteInt64(batch.Bytes[at:], int64(len(expanded)))
		flatbuffers.WriteInt64(batch.Bytes[at+8:], int64(8+len(from)))
		expanded = binary.LittleEndian.AppendUint64(expanded, uint64(1<<64-1))
		expanded = append(expanded, from...)
		expanded = append(expanded, make([]byte, -len(from)&7)...)
	}
	return expanded, nil
}

// allowance is the limit of what a message may still refer to.
type allowance struct {
	columns int // including nested ones
	texts   int // bytes
}

// takeColumns counts the columns of a schema, or the columns nested in a column.
func (a *allowance) takeColumns(t *flatbuffers.Table, slot flatbuffers.VOffsetT, depth int) error {
	at, n := vector(t, slot)
	a.columns -= n
	if a.columns < 0 {
		return tooMany(maxElements - a.columns)
	}
	if n > 0 && depth == 0 {
		return &FileError{Reason: fmt.Sprintf("columns are nested more than %d deep", maxDepth)}
	}
	for i := range n {
		column := element(t, at, i)
		texts := length(&column, fieldName)
		if at := column.Offset(fieldType); at != 0 {
			var of flatbuffers.Table
			column.Union(&of, flatbuffers.UOffsetT(at))
			switch column.GetByteSlot(fieldTypeKind, 0) {
			case typeIsTimestamp:
				texts += length(&of, timestampZone)
			case typeIsUnion:
				texts += length(&of, unionTypes)
			}
		}
		if err := a.take(texts); err != nil {
			return err
		}
		if err := a.takeTexts(&column, fieldTexts); err != nil {
			return err
		}
		if err := a.takeColumns(&column, fieldChildren, depth-1); err != nil {
			return err
		}
	}
	return nil
}

// takeTexts counts keys and values.
func (a *allowance) takeTexts(t *flatbuffers.Table, slot flatbuffers.VOffsetT) error {
	at, n := vector(t, slot)
	for i := range n {
		text := element(t, at, i)
		if err := a.take(textMemory + length(&text, textKey) + length(&text, textValue)); err != nil {
			return err
		}
	}
	return nil
}

func (a *allowance) take(bytes int) error {
	a.texts -= bytes
	if a.texts < 0 {
		return &FileError{Reason: fmt.Sprintf("a message has more than %d MB of names and metadata", maxTexts>>20), TooLarge: true}
	}
	return nil
}

// vector returns the offset of the elements of a vector, and their number.
func vector(t *flatbuffers.Table, slot flatbuffers.VOffsetT) (at flatbuffers.UOffsetT, n int) {
	field := flatbuffers.UOffsetT(t.Offset(slot))
	if field == 0 {
		return 0, 0
	}
	return t.Vector(field), t.VectorLen(field)
}

// element returns a table in a vector of tables.
func element(t *flatbuffers.Table, at flatbuffers.UOffsetT, i int) flatbuffers.Table {
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at + flatbuffers.UOffsetT(4*i))}
}

// length returns the length of a text.
func length(t *flatbuffers.Table, slot flatbuffers.VOffsetT) int {
	_, n := vector(t, slot)
	return n
}
