package web

import (
	"bufio"
	"bytes"
	"strconv"

	"github.com/klauspost/compress/gzhttp/writer/gzkp"

	"github.com/slipstick/slipstick/host/internal/calc"
)

// packed is the body of a compressed answer, in the same pieces as from gzhttp and net/http.
type packed struct {
	text   []byte
	whole  bool          // the body is one piece, without chunks
	buffer *bufio.Writer // before text, like the buffer of net/http before its chunks
}

// bufferedByServer is the size in bytes of net/http's buffer. A body that fits is not chunked.
const bufferedByServer = 2048

// compressed returns the compressed form of a body, and whether it is in chunks. If the body is kept in memory, so is its
// compressed form.
func (p *packed) compressed(body []byte, kept *calc.Body) (text []byte, chunked bool) {
	if kept == nil {
		chunked = p.compress(body)
		return p.text, chunked
	}
	c := kept.Compressed.Load()
	if c == nil {
		chunked = p.compress(body)
		c = &calc.Compressed{Text: bytes.Clone(p.text), Chunked: chunked}
		kept.Compressed.Store(c)
	}
	return c.Text, c.Chunked
}

// compress compresses a body. It reports whether the result is in chunks.
func (p *packed) compress(body []byte) (chunked bool) {
	p.text, p.whole = p.text[:0], false
	if p.buffer == nil {
		p.buffer = bufio.NewWriterSize(p, bufferedByServer)
	}
	z := gzkp.NewWriter(p.buffer, fastLevel)
	_, _ = z.Write(body[:minCompressed]) // a buffer accepts all writes
	_, _ = z.Write(body[minCompressed:])
	_ = z.Close()
	p.whole = len(p.text) == 0
	_ = p.buffer.Flush()
	if !p.whole {
		p.text = append(p.text, "0\r\n\r\n"...)
	}
	return !p.whole
}

// Write appends a piece, as a chunk if there are several.
func (p *packed) Write(piece []byte) (int, error) {
	if p.whole {
		p.text = append(p.text, piece...)
		return len(piece), nil
	}
	p.text = append(strconv.AppendInt(p.text, int64(len(piece)), 16), "\r\n"...)
	p.text = append(append(p.text, piece...), "\r\n"...)
	return len(piece), nil
}
