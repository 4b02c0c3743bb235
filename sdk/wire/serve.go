package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire/enginepb"
)

// Serve runs the engine as this process until the host ends it. The vectors are
// the reference cases that go with the engine, as a JSON document; publishing
// checks the engine against them.
//
// Started by hand instead of by a host, the process says what it is and exits 1.
func Serve(engine sdk.Engine, vectors []byte) {
	spec := engine.Spec()
	if os.Getenv(handshake.MagicCookieKey) != handshake.MagicCookieValue {
		fmt.Fprintf(os.Stderr, "This is the engine %s %s. A Slipstick host runs it:\n"+
			"  slipstick check %[3]s      judge it\n"+
			"  slipstick publish %[3]s    publish it\n", spec.Capability, spec.Version, os.Args[0])
		os.Exit(1)
	}
	document, err := json.Marshal(spec)
	if err != nil {
		fmt.Fprintf(os.Stderr, "spec of %s: %v\n", spec.Capability, err)
		os.Exit(1)
	}
	server := &server{engine: engine, spec: document, vectors: vectors}
	lane, err := offeredLane()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if lane != nil {
		server.features = []string{laneFeature}
		go newLaneServer(engine, lane).serve()
	}
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  handshake,
		VersionedPlugins: plugins(server),
		GRPCServer:       plugin.DefaultGRPCServer,
		Logger:           hclog.NewNullLogger(),
	})
}

type server struct {
	enginepb.UnimplementedEngineServer
	engine        sdk.Engine
	spec, vectors []byte
	features      []string
}

func (s *server) Describe(context.Context, *enginepb.DescribeRequest) (*enginepb.DescribeReply, error) {
	return &enginepb.DescribeReply{Spec: s.spec, Vectors: s.vectors, Features: s.features}, nil
}

func (s *server) Calculate(ctx context.Context, call *enginepb.Call) (*enginepb.Outcome, error) {
	ctx, cancel := callTime(ctx, call)
	defer cancel()
	o, err := s.engine.Calculate(ctx, fromValues(call.GetInputs()))
	return toOutcome(call.GetId(), o, err), nil
}

// callTime ends the context when the call's time is up.
func callTime(ctx context.Context, call *enginepb.Call) (context.Context, context.CancelFunc) {
	if call.GetTimeoutNanos() <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Duration(call.GetTimeoutNanos()))
}

func toOutcome(id uint64, o sdk.Outcome, err error) *enginepb.Outcome {
	reply := &enginepb.Outcome{Id: id}
	var rejection *sdk.Error
	switch {
	case err == nil:
		reply.Outcome = &enginepb.Outcome_Answer{Answer: toAnswer(o)}
	case errors.As(err, &rejection) && rejection != nil:
		reply.Outcome = &enginepb.Outcome_Rejection{Rejection: toRejection(rejection)}
	default:
		reply.Outcome = &enginepb.Outcome_Failure{Failure: err.Error()}
	}
	return reply
}
