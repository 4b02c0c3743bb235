package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/requirements"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/document"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

// engine is the file of an engine. It is read once, so the checked, the published and the started bytes are
// the same.
type engine struct {
	path    string
	bytes   []byte
	program *process.Program
	launch  process.Options // of all its processes

	spec    sdk.Spec // the Spec that the engine declares; see describe
	vectors []byte

	described *process.Process // a process that has sent its Spec and received no request; nil if there is none
}

// read returns the bytes of an engine's executable. It makes the executable of a document, and builds the
// program in a directory. It only reads any other file.
func read(ctx context.Context, path string, on build.Platform) ([]byte, error) {
	if document.Is(path) {
		return document.Engine(path, on)
	}
	if !build.IsProgram(path) {
		if ext := filepath.Ext(path); ext == ".md" || ext == ".txt" {
			return nil, fmt.Errorf("%s is a text and not an executable: %w", path, document.ErrName)
		}
		return os.ReadFile(path)
	}
	scratch, err := os.MkdirTemp("", "slipstick-build-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	built, err := build.All(ctx, path, []build.Platform{on}, scratch, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return os.ReadFile(built[0].File)
}

// open reads an engine from an executable from the directory of its program, or from a document. The caller must close it.
func open(ctx context.Context, path string, launch process.Options) (*engine, error) {
	data, err := read(ctx, path, build.Here)
	if err != nil {
		return nil, err
	}
	return newEngine(path, data, launch)
}

// newEngine returns the engine with the bytes of an engine file. The caller must close it.
func newEngine(path string, data []byte, launch process.Options) (*engine, error) {
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

// describe starts the engine once and reads its Spec. Afterwards, its processes can read only the files that
// the Spec declares.
func (e *engine) describe(ctx context.Context) error {
	running, err := process.Launch(ctx, e.program, &e.launch)
	if err != nil {
		return fmt.Errorf("%s: %w", e.path, err)
	}
	e.spec = running.Spec()
	e.vectors, err = running.Vectors(ctx)
	if err != nil {
		running.Close()
		return fmt.Errorf("%s: %w", e.path, err)
	}
	if !slices.Equal(e.launch.ReadOnly, e.spec.ReadOnlyPaths) {
		running.Close() // this process can read other files than the Spec declares
		e.launch.ReadOnly = e.spec.ReadOnlyPaths
		return nil
	}
	e.described = running
	return nil
}

// judge runs the conformance rules on processes of the engine. The first process is the one of describe. Nil
// requirements mean the newest ones.
func (e *engine) judge(ctx context.Context, requirements *requirements.Set, progress func(rule string)) *report.Report {
	start := starter(e.program, &e.launch)
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
	options := &conformance.Options{EngineDigests: []string{e.program.Digest()}, Requirements: requirements, Progress: progress}
	if document.Is(e.path) {
		options.HasScript = func(script string) bool { return document.HasScript(e.path, script) }
	}
	return conformance.Check(ctx, open, e.vectors, options)
}

// side returns the engine for a comparison. It is valid until the engine is closed.
func (e *engine) side() *compat.Engine {
	return &compat.Engine{Spec: e.spec, Vectors: e.vectors, Digest: e.program.Digest(), Open: starter(e.program, &e.launch)}
}

// starter returns a function that starts processes of a program, in the form that conformance and compat
// require.
func starter(program *process.Program, launch *process.Options) func(context.Context) (sdk.Engine, func(), error) {
	return func(ctx context.Context) (sdk.Engine, func(), error) {
		engine, err := process.Launch(ctx, program, launch)
		if err != nil {
			return nil, nil, err
		}
		return engine, engine.Close, nil
	}
}

// CheckOptions are options of [Check].
type CheckOptions struct {
	Launch       process.Options
	Requirements *requirements.Set    // nil for the newest
	Expected     []report.Expectation // tolerated failures
	Timeout      time.Duration        // for the whole check; required
	Progress     func(rule string)    // is called before each rule; can be nil
}

// Check runs the conformance rules on the engine in a file, or in the directory of its program. It publishes
// nothing. It returns the report, and the outcome with the expected failures. The error means that there
// is no engine. The outcome is Fail if the program does not build, and HarnessError if the file cannot be
// read. If the engine does not start, the report contains the reason.
func Check(ctx context.Context, path string, o *CheckOptions) (*report.Report, report.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	e, err := open(ctx, path, o.Launch)
	_, unbuilt := errors.AsType[*build.FailedError](err)
	_, mistaken := errors.AsType[*document.Error](err)
	if unbuilt || mistaken {
		return nil, report.Fail, err
	}
	if err != nil {
		return nil, report.HarnessError, err
	}
	defer e.close()
	_ = e.describe(ctx) // if it fails, the report contains the reason
	judged := e.judge(ctx, o.Requirements, o.Progress)
	return judged, judged.Expect(o.Expected, time.Now()), nil
}

// FromFile returns the engine in a file, or in the directory of its program, for a comparison. The engine is
// valid until the caller calls end.
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

// Unpublished is an engine that is not published, with its Spec and its bytes.
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
	return e.unpublished(ctx)
}

// unpublished starts the engine once, and closes it.
func (e *engine) unpublished(ctx context.Context) (*Unpublished, error) {
	defer e.close()
	if err := e.describe(ctx); err != nil {
		return nil, err
	}
	return &Unpublished{Spec: e.spec, Digest: e.program.Digest(), Bytes: e.bytes}, nil
}

// FromRelease returns a published engine for a comparison, after it has compared its bytes with the published
// digest. The engine is valid until the caller calls end.
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
	side = &compat.Engine{Spec: r.Spec, Vectors: r.Vectors, Digest: r.EngineDigest, Open: starter(program, &launch)}
	return side, func() { program.Close() }, nil
}
