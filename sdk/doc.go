// Package sdk defines engines. An engine is a program that computes one capability at one version.
// Use it to write an engine in Go. A calculation that is only a formula needs no program: write it
// as a document, see package text.
//
// An author writes two structs and one function, and passes them to [New]:
//
//	type Input struct {
//		Side float64 `name:"side" alias:"a" unit:"m" range:"(0,)" doc:"Edge length."`
//	}
//	type Output struct {
//		Volume float64 `name:"volume" unit:"m3" doc:"Volume of the cube."`
//	}
//	engine := sdk.New(spec, func(ctx context.Context, in Input) (Output, error) { ... })
//
// The [Spec] has the ids, texts and formulas of the engine. New adds the inputs and outputs, which
// it reads from the tags. In the program, wire.Serve serves the engine. In a test, conformance.Run
// checks it.
//
// The SDK handles names, aliases, units, defaults, enums, ranges, missing inputs, finiteness,
// formatting and transport. All numbers that an engine gets and returns are in the SI unit of their
// field. To refuse inputs, return an *[Error], such as one from [Reject]. To add notes to a result,
// call [Warn] and [Assume].
//
// If inputs depend on each other, their struct implements [Completer]. If the Spec has plots, it
// implements [Drawer]. The packages below this one are for servers and tools.
package sdk
