package contract

import (
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
)

// Message is an encoded message that gRPC transfers unchanged.
type Message []byte

// Incoming decodes a message in the memory of gRPC, without a copy. The bytes are valid until
// Read returns. Err is then the error of Read.
type Incoming struct {
	Read func([]byte) error
	Err  error
}

// Codec lets gRPC transfer messages of this package: it sends a Message and receives a
// *Message or an *Incoming. It leaves other messages of a gRPC server, such as health checks,
// to gRPC's own codec.
type Codec struct{}

// Name implements [encoding.CodecV2]. It is the name of gRPC's own codec, because the bytes
// are the same.
func (Codec) Name() string { return proto.Name }

// Marshal implements [encoding.CodecV2].
func (Codec) Marshal(v any) (mem.BufferSlice, error) {
	if m, ok := v.(Message); ok {
		return mem.BufferSlice{mem.SliceBuffer(m)}, nil
	}
	return encoding.GetCodecV2(proto.Name).Marshal(v)
}

// Unmarshal implements [encoding.CodecV2].
func (Codec) Unmarshal(data mem.BufferSlice, v any) error {
	switch v := v.(type) {
	case *Message:
		*v = data.Materialize()
	case *Incoming:
		buffer := data.MaterializeToBuffer(mem.DefaultBufferPool())
		defer buffer.Free()
		v.Err = v.Read(buffer.ReadOnlyData())
	default:
		return encoding.GetCodecV2(proto.Name).Unmarshal(data, v)
	}
	return nil
}
