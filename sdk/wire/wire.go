// Package wire carries engines across the process boundary with go-plugin: Serve
// on the engine's side, Launch on the host's. Neither side of the code that uses
// an [sdk.Engine] can tell that a process lies between.
package wire

import (
	"context"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire/enginepb"
)

//go:generate go run github.com/bufbuild/buf/cmd/buf@v1.70.0 generate

// pluginName is the one plugin that an engine serves.
const pluginName = "engine"

// protocolVersion is the version of the protobuf contract.
const protocolVersion = 1

// maxAnswer bounds one message from an engine.
const maxAnswer = 1 << 20

// handshake tells an engine that a host has started it. It is no secret.
var handshake = plugin.HandshakeConfig{
	MagicCookieKey:   "SLIPSTICK_ENGINE",
	MagicCookieValue: "f0c2ce5d-slide-rule",
}

// grpcPlugin is go-plugin's view of an engine.
type grpcPlugin struct {
	plugin.NetRPCUnsupportedPlugin
	server enginepb.EngineServer
}

func (p *grpcPlugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	enginepb.RegisterEngineServer(s, p.server)
	return nil
}

func (p *grpcPlugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return conn, nil
}

func plugins(server enginepb.EngineServer) map[int]plugin.PluginSet {
	return map[int]plugin.PluginSet{protocolVersion: {pluginName: &grpcPlugin{server: server}}}
}

func toValues(in []sdk.Value) []*enginepb.Value {
	out := make([]*enginepb.Value, len(in))
	for i, v := range in {
		out[i] = toValue(v)
	}
	return out
}

func toValue(v sdk.Value) *enginepb.Value {
	switch v.Kind() {
	case sdk.Number:
		return &enginepb.Value{Kind: &enginepb.Value_Number{Number: v.Number()}}
	case sdk.Text:
		return &enginepb.Value{Kind: &enginepb.Value_Text{Text: v.Text()}}
	case sdk.Bool:
		return &enginepb.Value{Kind: &enginepb.Value_Truth{Truth: v.Bool()}}
	case sdk.Exact:
		return &enginepb.Value{Kind: &enginepb.Value_Exact{Exact: v.Text()}}
	case sdk.List:
		return &enginepb.Value{Kind: &enginepb.Value_List{List: &enginepb.Values{Values: toValues(v.Items())}}}
	case sdk.Record:
		return &enginepb.Value{Kind: &enginepb.Value_Record{Record: &enginepb.Values{Values: toValues(v.Items())}}}
	}
	return &enginepb.Value{}
}

func fromValues(in []*enginepb.Value) sdk.Values {
	out := make(sdk.Values, len(in))
	for i, v := range in {
		out[i] = fromValue(v)
	}
	return out
}

func fromValue(v *enginepb.Value) sdk.Value {
	switch k := v.GetKind().(type) {
	case *enginepb.Value_Number:
		return sdk.NumberOf(k.Number)
	case *enginepb.Value_Text:
		return sdk.TextOf(k.Text)
	case *enginepb.Value_Truth:
		return sdk.BoolOf(k.Truth)
	case *enginepb.Value_Exact:
		return sdk.ExactOf(k.Exact)
	case *enginepb.Value_List:
		return sdk.ListOf(fromValues(k.List.GetValues())...)
	case *enginepb.Value_Record:
		return sdk.RecordOf(fromValues(k.Record.GetValues())...)
	}
	return sdk.Value{}
}

func toAnswer(o sdk.Outcome) *enginepb.Answer {
	a := &enginepb.Answer{
		Result: toValues(o.Result), Inputs: toValues(o.Inputs),
		Formula: o.Formula, Assumptions: o.Assumptions,
	}
	a.Warnings = toWarnings(o.Warnings)
	return a
}

func toWarnings(in []sdk.Warning) []*enginepb.Warning {
	var out []*enginepb.Warning
	for _, w := range in {
		out = append(out, &enginepb.Warning{
			Code: w.Code, Severity: string(w.Severity), Detail: w.Detail, Suggestion: w.Suggestion,
		})
	}
	return out
}

func toRejection(e *sdk.Error) *enginepb.Rejection {
	r := &enginepb.Rejection{Code: e.Code, Field: e.Field, Detail: e.Detail, Suggestion: e.Suggestion}
	for _, p := range e.Invalid {
		r.Invalid = append(r.Invalid, &enginepb.InvalidParameter{Name: p.Name, Constraint: p.Constraint})
	}
	return r
}
