package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/requirements"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

// engine is an engine's file, read once: the same bytes are judged, published and run.
type engine struct {
	path    string
	bytes   []byte
	program *process.Program
	launch  process.Options // of every process of it

	spec    sdk.Spec // as the engine declares it; see describe
	vectors []byte

	described *process.Process // has described itself and was asked nothing; nil if there is none
}

// read returns the bytes of an engine's executable: those of the file, or what is built of the
// program in the directory.
func read(ctx context.Context, path string, on build.Platform) ([]byte, error) {
	if !build.IsProgram(path) {
		return os.ReadFile(path)
	}
	scratch, err := os.MkdirTemp("", "slipstick-build-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	made, err := build.All(ctx, path, []build.Platform{on}, scratch, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return os.ReadFile(made[0].File)
}

// open reads an engine, an executable or the directory of its program. The engine must be closed.
func open(ctx context.Context, path string, launch process.Options) (*engine, error) {
	data, err := read(ctx, path, build.Here)
	if err != nil {
		return nil, err
	}
	program, err := process.NewProgram(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &engine{path: path, bytes: data, program: program, launch: launch}, nil
}

func (e *engine) close() {
	if e.described != nil {
		e.described.Close()
	}
	e.program.Close()
}

// describe starts the engine once and reads its Spec. From then on its processes may read the
// files that it declares, and nothing else.
func (e *engine) describe(ctx context.Context) error {
	running, err := process.Launch(ctx, e.program, &e.launch)
	if err != nil {
		return fmt.Errorf("%s: %w", e.path, err)
	}
	e.spec, e.vectors = running.Spec(), running.Vectors()
	if !slices.Equal(e.launch.ReadOnly, e.spec.ReadOnlyPaths) {
		running.Close() // it may read other files than those that are judged
		e.launch.ReadOnly = e.spec.ReadOnlyPaths
		return nil
	}
	e.described = running
	return nil
}

// judge runs the conformance rules on processes of the engine. The first is the one that has
// described itself. No requirements are the newest.
func (e *engine) judge(ctx context.Context, requirements *requirements.Set, progress func(rule string)) *report.Report {
	start := starting(e.program, &e.launch)
	open := func(ctx context.Context) (sdk.Engine, func(), error) {
		if first := e.described; first != nil {
			e.described = nil
			return first, first.Close, nil
		}
		engine, end, err := start(ctx)
		if errors.Is(err, process.ErrMachine) {
			err = fmt.Errorf("%w: %w", conformance.ErrHarness, err)
		}
		return engine, end, err
	}
	return conformance.Check(ctx, open, e.vectors, &conformance.Options{
		EngineDigests: []string{e.program.Digest()}, Requirements: requirements, Progress: progress,
	})
}

// side returns the engine as one side of a comparison. It is valid while the engine is open.
func (e *engine) side() *compat.Engine {
	return &compat.Engine{Spec: e.spec, Vectors: e.vectors, Digest: e.program.Digest(), Open: starting(e.program, &e.launch)}
}

// starting returns a function that starts processes of a program, in the form that conformance
// and compat require.
func starting(program *process.Program, launch *process.Options) func(context.Context) (sdk.Engine, func(), error) {
	return func(ctx context.Context) (sdk.Engine, func(), error) {
		engine, err := process.Launch(ctx, program, launch)
		if err != nil {
			return nil, nil, err
		}
		return engine, engine.Close, nil
	}
}

// CheckOptions say how an engine is judged.
type CheckOptions struct {
	Launch       process.Options
	Requirements *requirements.Set    // nil: the newest
	Expected     []report.Expectation // failures that are tolerated
	Timeout      time.Duration        // for all of it; needed
	Progress     func(rule string)    // is told which rule is judged; may be nil
}

// Check judges the engine in a file, or in the directory of its program, and publishes nothing.
// It returns the report, and what that comes to with the failures that are expected. The error
// says why there is no engine: a program that does not build fails, and a file that cannot be
// read is a HarnessError. Why an engine does not start stands in the report.
func Check(ctx context.Context, path string, o *CheckOptions) (*report.Report, report.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	e, err := open(ctx, path, o.Launch)
	if _, unbuilt := errors.AsType[*build.FailedError](err); unbuilt {
		return nil, report.Fail, err
	}
	if err != nil {
		return nil, report.HarnessError, err
	}
	defer e.close()
	_ = e.describe(ctx) // without vectors the report says why
	judged := e.judge(ctx, o.Requirements, o.Progress)
	return judged, judged.Expect(o.Expected, time.Now()), nil
}

// FromFile is the engine in a file, or in the directory of its program, as one side of a
// comparison, until end is called.
func FromFile(ctx context.Context, path string, launch process.Options) (side *compat.Engine, end func(), err error) {
	e, err := open(ctx, path, launch)
	if err != nil {
		return nil, nil, err
	}
	if err := e.describe(ctx); err != nil {
		e.close()
		return nil, nil, err
	}
	return e.side(), e.close, nil
}

// Unpublished is an engine that is not published: its bytes, and what it says of itself.
type Unpublished struct {
	Spec   sdk.Spec
	Digest string
	Bytes  []byte
}

// Describe reads the engine in a file, or in the directory of its program, and starts it once.
func Describe(ctx context.Context, path string, launch process.Options) (*Unpublished, error) {
	e, err := open(ctx, path, launch)
	if err != nil {
		return nil, err
	}
	defer e.close()
	if err := e.describe(ctx); err != nil {
		return nil, err
	}
	return &Unpublished{Spec: e.spec, Digest: e.program.Digest(), Bytes: e.bytes}, nil
}

// FromRelease is a published engine as one side of a comparison, until end is called. Its
// bytes are compared with the published digest first.
func FromRelease(r *registry.Release, launch process.Options) (side *compat.Engine, end func(), err error) {
	file, err := r.OpenEngine()
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	program, err := process.ReadProgram(file)
	if err != nil {
		return nil, nil, fmt.Errorf("engine of %s %s: %w", r.Capability, r.Version, err)
	}
	if program.Digest() != r.EngineDigest {
		program.Close()
		return nil, nil, fmt.Errorf("engine of %s %s has the digest %s, not the published %s", r.Capability, r.Version, program.Digest(), r.EngineDigest)
	}
	launch.ReadOnly = r.Spec.ReadOnlyPaths
	side = &compat.Engine{Spec: r.Spec, Vectors: r.Vectors, Digest: r.EngineDigest, Open: starting(program, &launch)}
	return side, func() { program.Close() }, nil
}
