package contract

import (
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
)

// Message is an encoded message that gRPC carries as it stands.
type Message []byte

// Incoming is a message that is read where gRPC has it, without a copy. The bytes are
// valid until Read returns; afterwards Err is its error.
type Incoming struct {
	Read func([]byte) error
	Err  error
}

// Codec lets gRPC carry messages of this package: it sends a Message and receives a
// *Message or an *Incoming. What else a server has to say, such as its health, it leaves to gRPC's own.
type Codec struct{}

// Name implements [encoding.CodecV2]. It is that of gRPC's own codec: the bytes are the
// same.
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
