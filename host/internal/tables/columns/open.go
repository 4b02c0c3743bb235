package columns

import (
	"errors"
	"io"
	"os"
)

// Open reads the schema of a file. Its first bytes decide between Parquet and Arrow. The file must stay
// open while its rows are read.
func Open(file *os.File) (Reader, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	const parquetMark = "PAR1"
	mark := make([]byte, len(parquetMark))
	if _, err := file.ReadAt(mark, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(mark) == parquetMark {
		return OpenParquet(file, info.Size(), nil)
	}
	return OpenArrow(file, nil)
}
