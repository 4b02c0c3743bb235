package snapshot

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"errors"
	"io"
	"sync"
)

// maxFrame is the maximum size in bytes of an embedded id's content after inflating, as a
// protection against decompression bombs.
const maxFrame = 64 << 10

// dictionary is the preset dictionary of the compression. It contains the names of the contract in
// their order, the verification record, links, and texts of published engines. It is part of format
// e1 and must never change, because existing ids could not be read with another dictionary.
//
//go:embed e1.dict
var dictionary []byte

// deflaters is a pool of compressors, which are large. Each uses the dictionary.
var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriterDict(io.Discard, flate.BestCompression, dictionary)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

func deflate(data []byte) []byte {
	var b bytes.Buffer
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&b)
	_, err := w.Write(data)
	if err := errors.Join(err, w.Close()); err != nil {
		panic(err) // writing to a buffer cannot fail
	}
	return b.Bytes()
}

var errDeflate = errors.New("not one deflated frame")

// inflate reads all of data as one deflate stream.
func inflate(data []byte) ([]byte, error) {
	source := bytes.NewReader(data)
	r := flate.NewReaderDict(source, dictionary)
	frame, err := io.ReadAll(io.LimitReader(r, maxFrame+1))
	if err != nil || len(frame) > maxFrame || source.Len() > 0 {
		return nil, errDeflate
	}
	return frame, nil
}
