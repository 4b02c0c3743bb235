package columns

// WriterMemory is about the largest number of bytes that a Writer takes. It contains a group of rows
// that is not yet written, as cells and as pages.
const WriterMemory = 2 * groupBytes

// Limits of a block that is read.
const (
	blockRows  = 4096
	blockCells = 1 << 18
	cellMemory = 17 // bytes that a cell takes in addition to its text
)

// BlockRows returns the number of rows that are read at once from a file with so many columns.
func BlockRows(columns int) int { return min(blockRows, max(1, blockCells/max(1, columns))) }

// blockMemory returns the number of bytes that a block takes in addition to its texts.
func blockMemory(columns int) int64 { return int64(cellMemory * columns * BlockRows(columns)) }

// messageBytes is the number of bytes that the cells of an Arrow message may take before more memory is
// acquired. arrowMemory is about the memory for reading Arrow if no message takes more.
const (
	messageBytes = 4 << 20
	arrowMemory  = messageBytes + 2*maxMetadata + cellMemory*blockCells
)

// Acquire acquires memory for the reader of a file, in bytes, before it is allocated. The first call
// can wait. Later calls, which ask for more, fail at once if there is not enough. The error ends reading.
type Acquire func(bytes int64) error

// take acquires memory. It succeeds if there is no limit.
func (a Acquire) take(bytes int64) error {
	if a == nil {
		return nil
	}
	return a(bytes)
}

// cellBytes returns about the number of bytes of the cells of a block.
func cellBytes(b *Block) int {
	n := 8 * b.Rows * len(b.Columns)
	for i := range b.Columns {
		for _, text := range b.Columns[i].Texts {
			n += len(text)
		}
	}
	return n
}
