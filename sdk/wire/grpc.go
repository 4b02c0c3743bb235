package wire

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// enginePlugin is go-plugin's view of an engine.
type enginePlugin struct {
	plugin.NetRPCUnsupportedPlugin
	server *grpcServer
}

// GRPCServer implements [plugin.GRPCPlugin].
func (p *enginePlugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	s.RegisterService(p.server.service(), p.server)
	return nil
}

// GRPCClient implements [plugin.GRPCPlugin]. An engine makes no calls.
func (p *enginePlugin) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.ErrUnsupported
}

// newGRPCServer returns a gRPC server for messages of package contract.
func newGRPCServer(options []grpc.ServerOption) *grpc.Server {
	return plugin.DefaultGRPCServer(append(options, grpc.ForceServerCodecV2(contract.Codec{})))
}

// grpcServer answers calls by gRPC, each in a goroutine of its own.
type grpcServer struct {
	engine      sdk.Engine
	spec        sdk.Spec
	description contract.Description // without vectors
	vectors     func() ([]byte, error)
}

// service is the service of engine.proto.
func (s *grpcServer) service() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{
		ServiceName: contract.Service, HandlerType: (*any)(nil), Metadata: "engine.proto",
		Methods: []grpc.MethodDesc{
			method(contract.Describe, s.describe), method(contract.Calculate, s.calculate), method(contract.Draw, s.draw),
		},
	}
}

// method returns one method of the service. Do computes the answer to a request.
func method(name string, do func(context.Context, contract.Message) (contract.Message, error)) grpc.MethodDesc {
	return grpc.MethodDesc{MethodName: name, Handler: func(_ any, ctx context.Context, read func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		var request contract.Message
		if err := read(&request); err != nil {
			return nil, err
		}
		return do(ctx, request)
	}}
}

func (s *grpcServer) describe(_ context.Context, request contract.Message) (contract.Message, error) {
	d := s.description
	withoutVectors, err := contract.DecodeDescribeRequest(request)
	if err == nil && !withoutVectors {
		d.Vectors, err = s.vectors()
	}
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	return contract.AppendDescription(nil, &d), nil
}

func (s *grpcServer) calculate(ctx context.Context, request contract.Message) (contract.Message, error) {
	call, err := contract.DecodeCall(request, &s.spec)
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	ctx, cancel := callContextOf(ctx, &call)
	defer cancel()
	o, err := s.engine.Calculate(ctx, call.Inputs)
	return contract.AppendOutcome(nil, call.ID, &o, err), nil
}

func (s *grpcServer) draw(ctx context.Context, request contract.Message) (contract.Message, error) {
	plotter, ok := s.engine.(sdk.Plotter)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "this engine does not draw")
	}
	plot, call, err := contract.DecodeDrawRequest(request, &s.spec)
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	ctx, cancel := callContextOf(ctx, &call)
	defer cancel()
	var document []byte
	f, err := plotter.Draw(ctx, plot, call.Inputs)
	if err == nil {
		document, err = json.Marshal(f)
	}
	return contract.AppendDrawing(nil, call.ID, document, err), nil
}

// callContextOf returns a context with the logger of the call. It ends when the time of the call is
// over.
func callContextOf(ctx context.Context, c *contract.Call) (context.Context, context.CancelFunc) {
	ctx = &loggedContext{ctx, c.Request}
	if c.Timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, c.Timeout)
}
