package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/tree"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/provenance"
	"github.com/slipstick/slipstick/sdk/enginefile"
)

// UnrecordedError is the reason why a release has no record of its source.
type UnrecordedError struct {
	Path string
	Err  error
}

func (e *UnrecordedError) Error() string {
	return fmt.Sprintf("%s: its source is not recorded, so the release cannot be rebuilt: %v", e.Path, e.Err)
}

func (e *UnrecordedError) Unwrap() error { return e.Err }

// record determines the source of the engine, if the options request it. It returns an error if that fails and
// the caller has named the source. It also returns an error if the source has uncommitted changes and the
// release is signed.
func (p *publication) record(ctx context.Context) error {
	signs := p.to.Registry.Signs()
	if signs && strings.HasSuffix(p.Revision, "-dirty") {
		return &UnrecordedError{p.engine.path, new(tree.DirtyError)}
	}
	if p.engine.program.IsText() {
		if !p.Record {
			return nil
		}
		var err error
		p.source, err = p.describeText()
		return err
	}
	own := build.IsProgram(p.engine.path)
	if !p.Record || !own && p.Source == "" {
		return nil
	}
	var err error
	p.source, err = p.describeSource(ctx, own)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	p.unrecorded = &UnrecordedError{p.engine.path, err}
	if _, dirty := errors.AsType[*tree.DirtyError](err); p.Source != "" || dirty && signs {
		return p.unrecorded
	}
	return nil
}

// describeText describes which runtimes and which document a text engine was joined from.
func (p *publication) describeText() (*provenance.Build, error) {
	files := map[string][]byte{Platform: p.engine.bytes}
	for _, o := range p.others {
		files[o.Platform] = o.executable.Bytes
	}
	b := &provenance.Build{Engines: map[string]string{}, Runtimes: map[string]string{}}
	for platform, data := range files {
		file, err := enginefile.Read(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, fmt.Errorf("the engine for %s: %w", platform, err)
		}
		b.Engines[platform] = "sha256:" + sumOf(data)
		b.Runtimes[platform] = "sha256:" + hex.EncodeToString(file.Runtime.SHA256[:])
		b.Files = nil // the registry compares the texts
		for _, part := range []struct {
			name  string
			bytes []byte
		}{{provenance.Closure, file.Closure}, {provenance.Document, file.Document}, {provenance.Vectors, file.Vectors}} {
			if len(part.bytes) > 0 {
				b.Files = append(b.Files, provenance.File{Name: part.name, SHA256: sumOf(part.bytes)})
			}
		}
	}
	if provenance.IsRevision(p.Revision) {
		b.Revision = p.Revision
	}
	return b, nil
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// describeSource describes how the executables were built from the source.
func (p *publication) describeSource(ctx context.Context, own bool) (*provenance.Build, error) {
	executables, platforms := map[string]tree.Executable{Platform: {Bytes: p.engine.bytes, Digest: p.engine.program.Digest()}}, []build.Platform{build.Here}
	for _, o := range p.others {
		var on build.Platform
		if err := on.UnmarshalText([]byte(o.Platform)); err != nil {
			return nil, err
		}
		executables[o.Platform], platforms = o.executable, append(platforms, on)
	}
	source, err := p.sourceOf(ctx, own, platforms)
	if err != nil {
		return nil, err
	}
	b, err := source.Describe(executables)
	if err != nil {
		return nil, err
	}
	b.Revision, err = source.Revision(ctx)
	if err != nil {
		return nil, err
	}
	if b.Revision == "" && provenance.IsRevision(p.Revision) {
		b.Revision = p.Revision
	}
	return b, nil
}

// sourceOf lists the source of the engine: the program in the directory that the caller names, or the program
// in Source.
func (p *publication) sourceOf(ctx context.Context, own bool, platforms []build.Platform) (*tree.Source, error) {
	if own {
		return tree.Of(ctx, p.engine.path, platforms, nil)
	}
	importPath, err := tree.PackageOf(p.engine.bytes)
	if err != nil {
		return nil, err
	}
	dir, err := tree.Program(p.Source, importPath)
	if err != nil {
		return nil, err
	}
	return p.listing.Of(ctx, dir, importPath, platforms)
}

// addSource adds the source to a release that is published already, if the caller names the source and the
// release does not have one.
func (p *publication) addSource(ctx context.Context) error {
	if _, err := evidence.BuildOf(p.published.Evidence); p.Source == "" || !errors.Is(err, evidence.ErrUnnamed) {
		return nil
	}
	err := p.record(ctx)
	if err == nil && p.source != nil {
		_, err = p.to.Registry.AttachSource(ctx, p.published.Capability, p.published.Version, p.source)
	}
	return err
}
