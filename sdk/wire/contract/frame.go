package contract

import (
	"bufio"
	"encoding/binary"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// StreamFeature is the feature with which an engine announces that it serves the stream.
const StreamFeature = "lane.v1"

// StreamVariable is the environment variable with which the server offers the stream to an
// engine. Its value is the number of the file descriptor.
const StreamVariable = "SLIPSTICK_LANE"

// Kinds of frames; see engine.proto.
const (
	FrameCall byte = iota + 1
	FrameOutcome
	FramePing
	FramePong
	FrameBatch
	FrameBatchOutcome
)

// FrameHeader is the size of the header of a frame, in bytes: its length and kind.
const FrameHeader = 5

// Sizes of the buffers of a stream at both ends, in bytes.
const (
	ReadBuffer = 64 << 10  // a frame that fits is decoded in the buffer, without a copy
	KeepBuffer = 256 << 10 // a larger buffer is dropped after use
)

// FrameReady reports whether the reader has buffered a complete frame.
func FrameReady(r *bufio.Reader) bool {
	if r.Buffered() < FrameHeader {
		return false
	}
	header, _ := r.Peek(FrameHeader) // buffered
	return r.Buffered() >= 4+int(binary.BigEndian.Uint32(header))
}

// AppendFrame appends one frame. The function body appends its message.
func AppendFrame(b []byte, kind byte, body func([]byte) []byte) []byte {
	start := len(b)
	b = body(append(b, 0, 0, 0, 0, kind))
	binary.BigEndian.PutUint32(b[start:], uint32(len(b)-start-4))
	return b
}

// ReadHeader reads the header of a frame, and returns the kind of the frame and the size of
// its message in bytes.
func ReadHeader(r *bufio.Reader) (kind byte, size int, err error) {
	header, err := r.Peek(FrameHeader)
	if err != nil {
		return 0, 0, err
	}
	kind = header[4]
	size = int(binary.BigEndian.Uint32(header)) - 1
	if size < 0 || size > MaxBatch {
		return kind, size, fmt.Errorf("%w: frame of kind %d with %d bytes", ErrContract, kind, size)
	}
	_, _ = r.Discard(FrameHeader) // peeked
	return kind, size, nil
}

// idSize is the largest size of an id with its tag, in bytes.
const idSize = 11

// PeekID returns the id of the next message, which has size bytes. The id must be the first
// field. If it is not, PeekID returns 0, which is the id of no call.
func PeekID(r *bufio.Reader, size int) (uint64, error) {
	head, err := r.Peek(min(size, idSize))
	if err != nil {
		return 0, err
	}
	field, kind, n := protowire.ConsumeTag(head)
	if n < 0 || field != messageID || kind != protowire.VarintType {
		return 0, nil
	}
	id, n := protowire.ConsumeVarint(head[n:])
	if n < 0 {
		return 0, contractError(errEncoding)
	}
	return id, nil
}
