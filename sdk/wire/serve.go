// Package wire runs an engine as a process that a Slipstick server starts. Call [Serve] in main, as
// the last statement of the program:
//
//	//go:embed vectors.json
//	var vectors []byte
//
//	func main() { wire.Serve(engine, vectors) }
//
// The process serves calculations, drawings and its own description until the server ends it.
// Package contract defines the messages. Callers of the server do not notice that the engine runs
// in another process.
package wire

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// Serve runs the engine as this process until the server ends it. The vectors are the
// reference vectors of the engine, as a JSON document. The engine is checked against them when
// it is published.
//
// If the process was not started by a server, Serve prints a description and exits with code
// 1.
func Serve(engine sdk.Engine, vectors []byte) {
	ServeLazily(engine, func() ([]byte, error) { return vectors, nil })
}

// ServeLazily is Serve with vectors that are read when they are asked for, which a server that computes never does.
func ServeLazily(engine sdk.Engine, vectors func() ([]byte, error)) {
	spec := engine.Spec()
	if os.Getenv(contract.CookieKey) != contract.CookieValue {
		fmt.Fprintf(os.Stderr, "This is the engine %s %s. A Slipstick server runs it:\n"+
			"  slipstick check %[3]s      judge it\n"+
			"  slipstick publish %[3]s    publish it\n", spec.Capability, spec.Version, os.Args[0])
		os.Exit(1)
	}
	document, err := json.Marshal(spec)
	if err != nil {
		fmt.Fprintf(os.Stderr, "spec of %s: %v\n", spec.Capability, err)
		os.Exit(1)
	}
	stream, err := offeredStream()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if stream != nil {
		go newStreamServer(engine, stream).serve()
	}
	description := contract.Description{Spec: document, Stream: stream != nil}
	server := &grpcServer{engine: engine, spec: spec, description: description, vectors: vectors}
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  plugin.HandshakeConfig{MagicCookieKey: contract.CookieKey, MagicCookieValue: contract.CookieValue},
		VersionedPlugins: map[int]plugin.PluginSet{contract.ProtocolVersion: {contract.PluginName: &enginePlugin{server: server}}},
		GRPCServer:       newGRPCServer,
		Logger:           newLogger(max(logLevel(), hclog.Warn)), // its other lines are of no use to an author
	})
}
