package columns

// WriterMemory is about how many bytes a Writer takes at most: a group of rows that it has not written
// yet, as cells and in pages.
const WriterMemory = 2 * groupBytes

// Bounds of a block that is read.
const (
	blockRows  = 4096
	blockCells = 1 << 18
	cellMemory = 17 // bytes that a cell takes beside its text
)

// BlockRows returns how many rows of so many columns are read at once.
func BlockRows(columns int) int { return min(blockRows, max(1, blockCells/max(1, columns))) }

// blockMemory returns how many bytes a block of so many columns takes beside the texts in it.
func blockMemory(columns int) int64 { return int64(cellMemory * columns * BlockRows(columns)) }

// messageBytes is how many bytes the cells of a message of Arrow may take before more is acquired for it,
// and arrowMemory about how many bytes reading Arrow takes if none takes more.
const (
	messageBytes = 4 << 20
	arrowMemory  = messageBytes + 2*maxMetadata + cellMemory*blockCells
)

// Acquire takes memory for what reads a file, in bytes, before it is allocated. The first call can wait;
// later ones, which ask for more, fail at once if there is no more. The error ends reading.
type Acquire func(bytes int64) error

// take takes memory, as much as there is if nothing bounds it.
func (a Acquire) take(bytes int64) error {
	if a == nil {
		return nil
	}
	return a(bytes)
}

// cellBytes returns about how many bytes the cells of a block take.
func cellBytes(b *Block) int {
	n := 8 * b.Rows * len(b.Columns)
	for i := range b.Columns {
		for _, text := range b.Columns[i].Texts {
			n += len(text)
		}
	}
	return n
}
