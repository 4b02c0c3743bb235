package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/host/internal/process"
	"github.com/slipstick/slipstick/sdk"
)

// executable is an engine's file, read once: what is judged, published and run are
// the same bytes.
type executable struct {
	path    string
	bytes   []byte
	program *process.Program
	options process.Options

	requirements *conformance.Requirements // to judge by; nil means the newest
}

func readExecutable(path string, options process.Options) (*executable, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	program, err := process.NewProgram(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &executable{path: path, bytes: data, program: program, options: options}, nil
}

func (e *executable) close() { e.program.Close() }

// describe starts the engine once and returns what it says of itself. From then on it
// may read what it declares, and nothing else.
func (e *executable) describe(ctx context.Context) (sdk.Spec, []byte, error) {
	process, err := process.Launch(ctx, e.program, &e.options)
	if err != nil {
		return sdk.Spec{}, nil, fmt.Errorf("%s: %w", e.path, err)
	}
	defer process.Close()
	e.options.ReadOnly = process.Spec().ReadOnlyPaths
	return process.Spec(), process.Vectors(), nil
}

// judge runs the conformance rules on processes of the engine.
func (e *executable) judge(ctx context.Context, vectors []byte, progress func(string)) *conformance.Report {
	open := func(ctx context.Context) (sdk.Engine, func(), error) {
		engine, err := process.Launch(ctx, e.program, &e.options)
		if errors.Is(err, process.ErrMachine) {
			err = fmt.Errorf("%w: %w", conformance.ErrHarness, err)
		}
		if err != nil {
			return nil, nil, err
		}
		return engine, engine.Close, nil
	}
	return conformance.Check(ctx, open, vectors, &conformance.Options{
		EngineDigests: []string{e.program.Digest()}, Requirements: e.requirements, Progress: progress,
	})
}

func reportJSON(r *conformance.Report) ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}
