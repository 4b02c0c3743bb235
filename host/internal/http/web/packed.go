package web

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/go-openapi/runtime/server-middleware/negotiate/header"
	"github.com/klauspost/compress/flate"

	"github.com/slipstick/slipstick/host/internal/calc"
)

// WriteAnswer writes the body of an answer. It compresses the body for callers who accept that.
func WriteAnswer(w http.ResponseWriter, r *http.Request, a *calc.Answer, body []byte) {
	writePacked(w, r, http.StatusOK, body, a.Kept(), a.Ending())
}

// writePacked writes a JSON body to a caller, in the same form as [Direct].
func writePacked(w http.ResponseWriter, r *http.Request, status int, body []byte, kept *calc.Body, ending calc.Ending) {
	if r.Method == http.MethodPost && len(body) >= minCompressed && acceptsGzip(r) {
		Vary(w.Header(), "Accept-Encoding")
		w.Header().Set("Content-Encoding", "gzip")
		body = appendPacked(nil, body, kept, ending)
	}
	WriteJSON(w, status, body)
}

func acceptsGzip(r *http.Request) bool {
	return slices.ContainsFunc(header.ParseAccept(r.Header, "Accept-Encoding"), func(a header.AcceptSpec) bool {
		return a.Q > 0 && strings.EqualFold(a.Value, "gzip")
	})
}

// appendPacked appends a body in the gzip format. If the body is kept in memory, so is the result.
func appendPacked(dst, body []byte, kept *calc.Body, ending calc.Ending) []byte {
	if kept == nil {
		return appendGzip(dst, body, ending)
	}
	text := kept.Compressed.Load()
	if text == nil {
		made := appendGzip(nil, body, ending)
		text = &made
		kept.Compressed.Store(text)
	}
	return append(dst, *text...)
}

// Parts of the gzip format (RFC 1952) and of DEFLATE (RFC 1951).
var (
	gzipHead = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff}
	lastPart = []byte{3, 0} // an empty block, which is the last one
)

// appendGzip appends a body in the gzip format. The ending is compressed well, once for all bodies that have it. The
// start has mostly numbers, in which a search for repetitions finds little, so it gets Huffman codes. If it fits into
// [minCompressed] without them, it is not compressed.
func appendGzip(dst, body []byte, ending calc.Ending) []byte {
	dst = append(dst, gzipHead...)
	from := len(body) - len(ending.Text) - len("\n")
	if from < 0 || ending.Text == nil || !bytes.Equal(body[from:len(body)-1], ending.Text) {
		dst = appendDeflated(dst, body, &deflateFast)
	} else {
		end := ending.Deflated.Load()
		if end == nil {
			made := appendDeflated(nil, body[from:], &deflateSmall)
			end = &made
			ending.Deflated.Store(end)
		}
		if from+len(*end) <= minCompressed {
			dst = appendStored(dst, body[:from])
		} else {
			dst = appendDeflated(dst, body[:from], &deflateHuffman)
		}
		dst = append(dst, *end...)
	}
	dst = append(dst, lastPart...)
	dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(body))
	return binary.LittleEndian.AppendUint32(dst, uint32(len(body)))
}

// appendStored appends at most 65,535 bytes as a block that is not compressed.
func appendStored(dst, data []byte) []byte {
	dst = binary.LittleEndian.AppendUint16(append(dst, 0), uint16(len(data)))
	dst = binary.LittleEndian.AppendUint16(dst, ^uint16(len(data)))
	return append(dst, data...)
}

// Pools of compressors.
var (
	deflateFast    = deflaters(fastLevel)
	deflateSmall   = deflaters(smallLevel)
	deflateHuffman = deflaters(flate.HuffmanOnly)
)

// deflater compresses into memory.
type deflater struct {
	flate *flate.Writer
	text  []byte
}

func (d *deflater) Write(piece []byte) (int, error) {
	d.text = append(d.text, piece...)
	return len(piece), nil
}

func deflaters(level int) sync.Pool {
	return sync.Pool{New: func() any {
		w, err := flate.NewWriter(nil, level)
		if err != nil {
			panic(err) // the level is valid
		}
		return &deflater{flate: w}
	}}
}

// appendDeflated appends compressed blocks, which end with a whole byte.
func appendDeflated(dst, data []byte, from *sync.Pool) []byte {
	d := from.Get().(*deflater)
	defer from.Put(d)
	d.text = dst
	d.flate.Reset(d)
	_, _ = d.flate.Write(data) // memory accepts all writes
	_ = d.flate.Flush()
	dst, d.text = d.text, nil
	return dst
}
