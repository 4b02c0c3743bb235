package shards

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/platform/durable"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/registry/regular"
)

// PlanName is the name of the plan in the directory of its shards.
const PlanName = "plan.json"

// maxDocument bounds what is read as a plan or a manifest.
const maxDocument = 4 << 20

// FileError means that a file in the directory of shards cannot be used.
type FileError struct {
	Name string
	Err  error
}

func (e *FileError) Error() string { return e.Name + ": " + e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }

// PlanIn returns the plan of a directory, nil if there is none.
func PlanIn(dir string) (*Plan, error) {
	text, err := regular.Read(filepath.Join(dir, PlanName), maxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var p *Plan
	if err == nil {
		p, err = ReadPlan(text)
	}
	if err != nil {
		return nil, &FileError{filepath.Join(dir, PlanName), err}
	}
	return p, nil
}

// planOf is PlanIn for a directory that must have a plan.
func planOf(dir string) (*Plan, error) {
	p, err := PlanIn(dir)
	if p == nil && err == nil {
		err = &FileError{filepath.Join(dir, PlanName), fs.ErrNotExist}
	}
	return p, err
}

// Settle makes the plan that of a directory, which it makes if need be. If there is another one, the
// error is a [*DiffersError].
func (p *Plan) Settle(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	there, err := PlanIn(dir)
	if there == nil && err == nil {
		if err := p.settle(dir); err != nil {
			return err
		}
		there, err = planOf(dir)
	}
	if err != nil {
		return err
	}
	return errors.Join(there.Compare(p), durable.Sweep(dir, PlanName))
}

// settle writes the plan, unless another process was faster. Where files cannot have two names, the
// last of both plans stays; the manifests tell to which each shard belongs.
func (p *Plan) settle(dir string) error {
	name := filepath.Join(dir, PlanName)
	err := durable.Create(name, 0o666, durable.Bytes(p.JSON()))
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) { // another process swept the file after it wrote the plan
		return nil
	}
	return durable.Replace(name, 0o666, durable.Bytes(p.JSON()))
}

// digestOf returns the digest of a regular file in the directory. It follows no link, and does not
// wait for a pipe.
func digestOf(dir, name string) (string, error) {
	root, err := regular.Root(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	f, _, err := regular.Open(root, name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	return build.DigestOf(f)
}

// State says how a shard stands.
type State string

// The states of a shard.
const (
	Whole     State = "whole"
	Missing   State = "missing"    // nobody has computed it to its end
	Damaged   State = "damaged"    // its answers are not those of its manifest, or the manifest cannot be read
	OtherPlan State = "other_plan" // it was computed by another plan
	Doubled   State = "doubled"    // it is there under another name, too
	Unknown   State = "unknown"    // it is none of the plan
)

// Shard is how a shard stands.
type Shard struct {
	Number   int
	State    State
	Err      error     // why it is damaged
	Manifest *Manifest // nil if there is none that can be read
}

// Stray is a file that is no part of the plan, and would be read by who reads all files there.
type Stray struct {
	Name  string
	State State // OtherPlan, Doubled or Unknown
	Shard int   // of which it is, 0 if that is not known
}

// Directory is what is in a directory of shards.
type Directory struct {
	Plan   *Plan
	Shards []Shard // all of the plan
	Strays []Stray
}

// Read reads the directory of shards, and compares every digest.
func Read(ctx context.Context, dir string) (*Directory, error) {
	return readDir(ctx, dir, func(int) {})
}

func readDir(ctx context.Context, dir string, progress func(shard int)) (*Directory, error) {
	plan, err := planOf(dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	d := &Directory{Plan: plan}
	expected, digests := map[string]bool{PlanName: true}, map[string]int{}
	for k := 1; k <= plan.Shards; k++ {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		progress(k)
		s := plan.examine(dir, k)
		d.Shards = append(d.Shards, s)
		expected[plan.Name(k)], expected[plan.ManifestName(k)] = true, true
		if s.State == Whole {
			digests[s.Manifest.Digest] = k
		}
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || expected[name] || strings.HasPrefix(name, ".") || !slices.Contains([]string{".json", filepath.Ext(plan.Name(1))}, filepath.Ext(name)) {
			continue
		}
		stray, err := plan.stray(dir, name, digests)
		if err != nil {
			return nil, err
		}
		d.Strays = append(d.Strays, stray)
	}
	return d, nil
}

// examine says how a shard stands.
func (p *Plan) examine(dir string, shard int) Shard {
	s := Shard{Number: shard, State: Missing}
	text, err := regular.Read(filepath.Join(dir, p.ManifestName(shard)), maxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return s // also if answers are there, whose run was killed just then
	}
	m := new(Manifest)
	if err == nil {
		err = read(text, m)
	}
	if err != nil {
		s.State, s.Err = Damaged, &FileError{p.ManifestName(shard), err}
		return s
	}
	s.Manifest = m
	if m.Plan != p.Digest() {
		s.State = OtherPlan
		return s
	}
	if rows := p.Rows(shard); m.Shard != shard || m.First != rows.First || m.Rows != rows.Count || m.Rejected > m.Rows || m.Output != p.Name(shard) || m.Release != p.Release.Digest {
		s.State, s.Err = Damaged, &FileError{p.ManifestName(shard), errors.New("it is not that of this shard")}
		return s
	}
	digest, err := digestOf(dir, m.Output)
	switch {
	case err != nil:
		s.State, s.Err = Damaged, err
	case digest != m.Digest:
		s.State, s.Err = Damaged, &FileError{m.Output, fmt.Errorf("its digest is %s, that of the manifest %s", digest, m.Digest)}
	default:
		s.State = Whole
	}
	return s
}

// stray says what a file is that is none of the plan's.
func (p *Plan) stray(dir, name string, digests map[string]int) (Stray, error) {
	s := Stray{Name: name, State: Unknown}
	if filepath.Ext(name) != ".json" {
		digest, err := digestOf(dir, name)
		if err != nil {
			return s, err
		}
		s.Shard = digests[digest]
		if s.Shard > 0 {
			s.State = Doubled
		}
		return s, nil
	}
	text, err := regular.Read(filepath.Join(dir, name), maxDocument)
	if err != nil {
		return s, err
	}
	m := new(Manifest)
	if !bytes.Contains(text, []byte(shardForm)) || read(text, m) != nil {
		return s, nil
	}
	s.Shard, s.State = m.Shard, Doubled
	if m.Plan != p.Digest() {
		s.State = OtherPlan
	}
	return s, nil
}
