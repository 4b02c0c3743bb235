package wire

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire/enginepb"
)

var _ sdk.Plotter = (*Process)(nil)

// Draw implements [sdk.Plotter]. The figure has been checked.
func (p *Process) Draw(ctx context.Context, plot string, in sdk.Values) (*sdk.Figure, error) {
	call := &enginepb.Call{Id: p.lastID.Add(1), Inputs: toValues(in), TimeoutNanos: int64(timeLeft(ctx, 0))}
	var f *sdk.Figure
	request := &enginepb.DrawRequest{Plot: plot, Call: call}
	err := p.invoke(ctx, enginepb.Engine_Draw_FullMethodName, request, maxAnswer, func(b []byte) error {
		err := checkID(b, call.GetId())
		if err == nil {
			f, err = p.answers.drawing(b)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// drawing reads a Drawing. Its figure is counted before it unfolds.
func (a *answers) drawing(b []byte) (*sdk.Figure, error) {
	d := a.decoder(maxAnswerValues)
	m := message{rest: b}
	for m.next() {
		switch {
		case m.is(drawingFigure, protowire.BytesType):
			f, err := sdk.ParseFigure(m.bytes)
			if err != nil {
				return nil, contractError(fmt.Errorf("its figure: %w", err))
			}
			return f, nil
		case m.is(drawingRejection, protowire.BytesType):
			e, err := d.rejection(m.bytes)
			if err != nil {
				return nil, contractError(err)
			}
			return nil, e
		case m.is(drawingFailure, protowire.BytesType):
			return nil, engineFailure(m.bytes)
		}
	}
	return nil, contractError(cmp.Or(m.err(), errors.New("empty drawing")))
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
