package columns

// WriterMemory is about how many bytes a Writer takes at most: a group of rows that it has not written
// yet, as cells and in pages.
const WriterMemory = 2 * groupBytes

// arrowMemory is about what reading Arrow takes: a batch of rows, of which few are as large as they may be.
const arrowMemory = maxPage / 4

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
