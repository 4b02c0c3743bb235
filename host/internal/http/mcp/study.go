package mcp

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/study"
	"github.com/slipstick/slipstick/versions"
)

// study answers run_study with the body of POST /api/v1/study, byte-identical.
func (s *Server) study(ctx context.Context, c *call, args arguments) ([]byte, error) {
	id, err := s.known(args)
	if err == nil {
		err = args.isObject(inputsArgument)
	}
	if err != nil {
		return nil, err
	}
	pins, err := c.pinsOf(args)
	if err != nil {
		return nil, err
	}
	system, inUnits, err := args.units()
	if err != nil {
		return nil, err
	}
	made, err := study.Read(s.service, id, args.without(capabilityArgument, versions.PinName, versions.AsOfName, unitsArgument, unitArgument), pins, study.JSON)
	if err != nil {
		return nil, s.notPublished(id, err)
	}
	c.release = made.Release
	choice, err := made.Choose(system, inUnits)
	if err != nil {
		return nil, err
	}
	found, err := made.Run(ctx, &study.Options{Admit: c.count})
	if err == nil {
		err = choice.Show(found)
	}
	if err != nil {
		return nil, err
	}
	return found.AppendJSON(nil)
}
