package process

import (
	"errors"
	"fmt"
	"hash"
	"io"
)

// Pieces in which an executable is copied. There are enough of them that neither reading nor
// hashing waits for the other for long.
const (
	pieceSize = 256 << 10
	pieces    = 4
)

// copyHashed copies r to w, and hashes the bytes in parallel. The error wraps errNoDisk if w
// returned it.
func copyHashed(w io.Writer, r io.Reader) (hashed hash.Cloner, err error) {
	free, full := make(chan []byte, pieces), make(chan []byte, pieces)
	for range pieces {
		free <- make([]byte, pieceSize)
	}
	hashed = newHash()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for piece := range full {
			hashed.Write(piece)
			free <- piece[:pieceSize]
		}
	}()
	for err == nil {
		piece := <-free
		var n int
		n, err = io.ReadFull(r, piece)
		if n == 0 {
			break
		}
		if _, failed := w.Write(piece[:n]); failed != nil {
			err = fmt.Errorf("%w: %w", errNoDisk, failed)
		}
		full <- piece[:n]
	}
	close(full)
	<-done
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return hashed, err
}
