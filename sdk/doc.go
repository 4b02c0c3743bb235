// Package sdk is the API for authors of engines: what does an engine compute, and how?
//
// An author writes two structs and one function:
//
//	type Input struct {
//		Side float64 `name:"side" alias:"a" unit:"m" range:"(0,)" doc:"Edge length."`
//	}
//	type Output struct {
//		Volume float64 `name:"volume" unit:"m3" doc:"Volume of the cube."`
//	}
//	engine := sdk.New(spec, func(ctx context.Context, in Input) (Output, error) { ... })
//
// and serves the engine with package wire. The SDK takes care of names, aliases, units,
// defaults, enums, ranges, missing inputs, finiteness, formatting and transport; see [New].
//
// All quantities in this package are plain numbers in SI units. Inputs in other units are
// converted before an engine receives them.
package sdk
