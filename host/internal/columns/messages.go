package columns

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Bounds of the messages of Arrow.
const (
	maxMetadata = 2 << 20 // bytes of what stands before the cells
	maxTexts    = 4 << 20 // bytes of the texts in it, each counted as often as it is referred to
	maxDepth    = 64      // of columns within columns
)

// Places in the tables of Message.fbs and Schema.fbs: 4, and 2 for every field before.
const (
	messageHeaderType, messageHeader, messageBody, messageTexts = 6, 8, 10, 12

	schemaFields, schemaTexts = 6, 8

	fieldName, fieldTypeKind, fieldType, fieldChildren, fieldTexts = 4, 8, 10, 14, 16

	timestampZone = 6

	textKey, textValue = 4, 6
)

// Kinds of tables in unions.
const (
	headerIsSchema  = 1
	typeIsTimestamp = 10
)

// messages passes on the messages of an Arrow file, each when it was checked. The library follows
// references in their metadata wherever they lead: a column that is its own child would end the
// process, and a text that a million references lead to fill its memory.
type messages struct {
	source *bufio.Reader
	head   []byte // unread rest of the metadata of a message, with what stands before it
	body   int64  // unread bytes behind it
	ended  bool
}

func (m *messages) Read(p []byte) (int, error) {
	if len(m.head) == 0 && m.body == 0 {
		if err := m.next(); err != nil {
			return 0, err
		}
	}
	if len(m.head) > 0 {
		n := copy(p, m.head)
		m.head = m.head[n:]
		return n, nil
	}
	n, err := m.source.Read(p[:min(int64(len(p)), m.body)])
	m.body -= int64(n)
	return n, err
}

// next reads and checks the metadata of the next message.
func (m *messages) next() (err error) {
	defer recovered(&err)
	if m.ended {
		return io.EOF
	}
	prefix, err := m.source.Peek(4)
	if err != nil {
		return err
	}
	size := binary.LittleEndian.Uint32(prefix)
	if size == 0xffffffff { // which Arrow before 0.15 leaves out
		if prefix, err = m.source.Peek(8); err != nil {
			return unexpected(err)
		}
		size = binary.LittleEndian.Uint32(prefix[4:])
	}
	if size > maxMetadata {
		return &FileError{Reason: fmt.Sprintf("a message has more than %d MB before its cells", maxMetadata>>20), TooLarge: true}
	}
	m.ended = size == 0
	m.head = make([]byte, len(prefix)+int(size))
	if _, err := io.ReadFull(m.source, m.head); err != nil {
		return unexpected(err)
	}
	if m.ended {
		return nil
	}
	metadata := m.head[len(prefix):]
	message := flatbuffers.Table{Bytes: metadata, Pos: flatbuffers.GetUOffsetT(metadata)}
	if m.body = message.GetInt64Slot(messageBody, 0); m.body < 0 || m.body > maxPage {
		return &FileError{Reason: fmt.Sprintf("a message has more than %d MB of cells", maxPage>>20), TooLarge: true}
	}
	left := allowance{columns: maxElements, texts: maxTexts}
	if err := left.takeTexts(&message, messageTexts); err != nil {
		return err
	}
	if message.GetByteSlot(messageHeaderType, 0) != headerIsSchema {
		return nil
	}
	var schema flatbuffers.Table
	message.Union(&schema, flatbuffers.UOffsetT(message.Offset(messageHeader)))
	if err := left.takeTexts(&schema, schemaTexts); err != nil {
		return err
	}
	return left.takeColumns(&schema, schemaFields, maxDepth)
}

// allowance is what a message may still refer to.
type allowance struct {
	columns int // with those within others
	texts   int // bytes
}

// takeColumns takes the columns of a schema, or those within a column.
func (a *allowance) takeColumns(t *flatbuffers.Table, slot flatbuffers.VOffsetT, depth int) error {
	at, n := vector(t, slot)
	if a.columns -= n; a.columns < 0 {
		return tooMany(maxElements - a.columns)
	}
	if n > 0 && depth == 0 {
		return &FileError{Reason: fmt.Sprintf("columns stand more than %d deep within one another", maxDepth)}
	}
	for i := range n {
		column := element(t, at, i)
		texts := length(&column, fieldName)
		if kind := column.GetByteSlot(fieldTypeKind, 0); kind == typeIsTimestamp {
			var timestamp flatbuffers.Table
			column.Union(&timestamp, flatbuffers.UOffsetT(column.Offset(fieldType)))
			texts += length(&timestamp, timestampZone)
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

// takeTexts takes keys and values.
func (a *allowance) takeTexts(t *flatbuffers.Table, slot flatbuffers.VOffsetT) error {
	at, n := vector(t, slot)
	for i := range n {
		text := element(t, at, i)
		if err := a.take(1 + length(&text, textKey) + length(&text, textValue)); err != nil {
			return err
		}
	}
	return nil
}

func (a *allowance) take(bytes int) error {
	if a.texts -= bytes; a.texts < 0 {
		return &FileError{Reason: fmt.Sprintf("a message has more than %d MB of names and metadata", maxTexts>>20), TooLarge: true}
	}
	return nil
}

// vector returns where the elements of a vector begin, and how many there are.
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
