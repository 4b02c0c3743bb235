package mcp

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/archive/share"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/versions"
)

// execute answers execute_calculation with the success body of REST, byte-identical.
func (s *Server) execute(ctx context.Context, c *call, args arguments) ([]byte, error) {
	answer, err := s.calculate(ctx, c, args)
	if err == nil {
		err = args.format(answer)
	}
	if err != nil {
		return nil, err
	}
	return answer.AppendJSON(nil), nil
}

// createSnapshot answers create_snapshot with the record, as POST /api/v1/share does.
func (s *Server) createSnapshot(ctx context.Context, c *call, args arguments) ([]byte, error) {
	answer, err := s.calculate(ctx, c, args)
	if err != nil {
		return nil, err
	}
	s.service.AddCalled(answer)
	snap, err := share.Create(ctx, s.snapshots, answer)
	if err != nil {
		return nil, err
	}
	if snap.Fallback {
		s.options.Log.Warn("the snapshot store failed; the new snapshot has an embedded id", "error", snap.Cause)
	}
	return share.Answer(snap), nil
}

// readSnapshot answers get_snapshot.
func (s *Server) readSnapshot(ctx context.Context, _ *call, args arguments) ([]byte, error) {
	id, err := args.text("id")
	if err != nil {
		return nil, err
	}
	snap, err := share.Get(ctx, s.snapshots, id)
	return snap.Body, err
}

// calculate computes the answer to the arguments, which have the form of a REST envelope.
func (s *Server) calculate(ctx context.Context, c *call, args arguments) (*calc.Answer, error) {
	id, err := s.known(args)
	if err == nil {
		err = args.isObject(inputsArgument)
	}
	if err != nil {
		return nil, err
	}
	stepped, err := args.flag(stepsArgument)
	if err != nil {
		return nil, err
	}
	req, err := calc.ReadRequest(id, args.without(stepsArgument, unitsArgument, unitArgument))
	if err != nil {
		return nil, err
	}
	for i := range req.Pins {
		req.Pins[i].Place = versions.InArgument
	}
	if c.pinsErr != nil {
		return nil, c.pinsErr
	}
	req.Pins = append(req.Pins, c.pins...)
	answer, err := s.service.Calculate(ctx, req)
	if err != nil {
		return nil, s.notPublished(req.ID, err)
	}
	c.release, c.receipt = answer.Release, answer.Receipt
	if stepped {
		s.service.AddSteps(answer, nil)
	}
	return answer, nil
}
