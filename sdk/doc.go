// Package sdk answers one question: how does an author define an engine?
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
// and serves the engine with package wire. The SDK handles names, aliases, units, defaults,
// enums, ranges, missing inputs, finiteness, formatting and transport; see [New].
//
// Quantities are plain SI numbers everywhere in this package. Units of inputs are converted
// before an engine gets them. The packages below this one are for servers.
package sdk
