package wire

import (
	"bytes"
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/slipstick/slipstick/sdk/wire/enginepb"
)

// maxUsual is the size that an answer by gRPC is first allowed, and has memory for: gRPC
// reads a message whole before anybody can count it. One that is larger is asked for
// again, with room for all that it can need.
const maxUsual = 64 << 10

// Bounds of what gRPC itself keeps of an engine: a process is asked for little at once,
// and gives no other headers than a status.
const (
	grpcWindow  = 64 << 10
	grpcHeaders = 16 << 10
)

// rawCodec hands the bytes of an answer to the decoder instead of to generated structs,
// which unfold.
type rawCodec struct{}

// incoming is an answer that is read where it stands.
type incoming struct {
	read func([]byte) error
	err  error
}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	m, ok := v.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("%T is no message", v)
	}
	b, err := proto.Marshal(m)
	return mem.BufferSlice{mem.SliceBuffer(b)}, err
}

func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	in, ok := v.(*incoming)
	if !ok {
		return fmt.Errorf("%T is no answer", v)
	}
	buffer := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buffer.Free()
	in.err = in.read(buffer.ReadOnlyData())
	return nil
}

// invoke makes a call by gRPC and has its answer read, which is valid until read returns
// and can need so many bytes.
func (p *Process) invoke(ctx context.Context, method string, request proto.Message, most int, read func([]byte) error) error {
	room := most
	if !p.large.Load() {
		room = min(most, maxUsual)
	}
	err := p.invokeWithin(ctx, method, request, room, read)
	if status.Code(err) == codes.ResourceExhausted && room < most {
		p.large.Store(true)
		err = p.invokeWithin(ctx, method, request, most, read)
	}
	return err
}

func (p *Process) invokeWithin(ctx context.Context, method string, request proto.Message, most int, read func([]byte) error) error {
	taken := 2 * int64(most) // as it came, and in one piece
	if err := p.answers.share.takeMessage(ctx, taken); err != nil {
		return err
	}
	defer p.answers.share.giveMessage(taken)
	in := &incoming{read: read}
	err := p.conn.Invoke(ctx, method, request, in, grpc.ForceCodecV2(rawCodec{}), grpc.MaxCallRecvMsgSize(most))
	if err != nil {
		return callError(ctx, err)
	}
	return in.err
}

// description is what an engine says of itself.
type description struct {
	spec, vectors []byte
	lane          bool
}

// describe asks the engine what it computes.
func (p *Process) describe(ctx context.Context) (d description, err error) {
	in := &incoming{read: func(b []byte) error {
		var spec, vectors []byte
		m := message{rest: b}
		for m.next() {
			switch {
			case m.is(describeSpec, protowire.BytesType):
				spec = m.bytes
			case m.is(describeVectors, protowire.BytesType):
				vectors = m.bytes
			case m.is(describeFeatures, protowire.BytesType):
				d.lane = d.lane || string(m.bytes) == laneFeature
			}
		}
		d.spec, d.vectors = bytes.Clone(spec), bytes.Clone(vectors)
		return m.err()
	}}
	err = p.conn.Invoke(ctx, enginepb.Engine_Describe_FullMethodName, new(enginepb.DescribeRequest), in,
		grpc.ForceCodecV2(rawCodec{}), grpc.MaxCallRecvMsgSize(maxAnswer))
	if err == nil {
		err = contractError(in.err)
	}
	if err != nil {
		return d, fmt.Errorf("describe: %w", err)
	}
	return d, nil
}
