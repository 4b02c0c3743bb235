package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire/enginepb"
)

var _ sdk.Plotter = (*Process)(nil)

// Draw implements [sdk.Plotter]. The figure has been checked.
func (p *Process) Draw(ctx context.Context, plot string, in sdk.Values) (*sdk.Figure, error) {
	call := &enginepb.Call{Id: p.lastID.Add(1), Inputs: toValues(in), TimeoutNanos: int64(timeLeft(ctx, 0))}
	reply, err := p.client.Draw(ctx, &enginepb.DrawRequest{Plot: plot, Call: call})
	if err != nil {
		return nil, callError(ctx, err)
	}
	if reply.GetId() != call.GetId() {
		return nil, contractError(fmt.Errorf("drawing of call %d for call %d", reply.GetId(), call.GetId()))
	}
	switch d := reply.GetDrawing().(type) {
	case *enginepb.Drawing_Figure:
		f := new(sdk.Figure)
		if err := json.Unmarshal(d.Figure, f); err != nil {
			return nil, contractError(fmt.Errorf("its figure is not a Figure document: %w", err))
		}
		return f, contractError(f.Check())
	case *enginepb.Drawing_Rejection:
		return nil, fromRejection(d.Rejection)
	case *enginepb.Drawing_Failure:
		return nil, engineFailure(d.Failure)
	}
	return nil, contractError(errors.New("empty drawing"))
}

func (s *server) Draw(ctx context.Context, request *enginepb.DrawRequest) (*enginepb.Drawing, error) {
	plotter, ok := s.engine.(sdk.Plotter)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "this engine does not draw")
	}
	call := request.GetCall()
	ctx, cancel := callTime(ctx, call)
	defer cancel()
	f, err := plotter.Draw(ctx, request.GetPlot(), fromValues(call.GetInputs()))
	reply := &enginepb.Drawing{Id: call.GetId()}
	var document []byte
	if err == nil {
		document, err = json.Marshal(f)
	}
	var rejection *sdk.Error
	switch {
	case err == nil:
		reply.Drawing = &enginepb.Drawing_Figure{Figure: document}
	case errors.As(err, &rejection) && rejection != nil:
		reply.Drawing = &enginepb.Drawing_Rejection{Rejection: toRejection(rejection)}
	default:
		reply.Drawing = &enginepb.Drawing_Failure{Failure: err.Error()}
	}
	return reply, nil
}
