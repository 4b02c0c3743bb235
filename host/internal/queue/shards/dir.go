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

// PlanName is the file name of the plan in the directory of its shards.
const PlanName = "plan.json"

// maxDocument is the maximum size of a plan or a manifest, in bytes.
const maxDocument = 4 << 20

// FileError means that a file in the directory of shards cannot be used.
type FileError struct {
	Name string
	Err  error
}

func (e *FileError) Error() string { return e.Name + ": " + e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }

// PlanIn returns the plan in a directory, or nil if there is none.
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
		name := filepath.Join(dir, PlanName)
		err = &FileError{name, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}}
	}
	return p, err
}

// SaveTo writes the plan into a directory, and creates the directory if it does not exist. If the
// directory has another plan, the error is a [*DiffersError].
func (p *Plan) SaveTo(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	saved, err := PlanIn(dir)
	if saved == nil && err == nil {
		if err := p.write(dir); err != nil {
			return err
		}
		saved, err = planOf(dir)
	}
	if err != nil {
		return err
	}
	return errors.Join(saved.Compare(p), durable.Sweep(dir, PlanName))
}

// write writes the plan, unless another process was faster. On a file system without hard links, the last
// of both plans remains. Each manifest names the plan of its shard.
func (p *Plan) write(dir string) error {
	name := filepath.Join(dir, PlanName)
	err := durable.Create(name, 0o666, durable.Bytes(p.JSON()))
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) { // another process swept the file after it wrote the plan
		return nil
	}
	return durable.Replace(name, 0o666, durable.Bytes(p.JSON()))
}

// digestOf returns the digest of a regular file in the directory. It follows no link, and does not
// block on a pipe.
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

// State is the state of a shard in a directory.
type State string

// The states of a shard.
const (
	Whole     State = "whole"
	Missing   State = "missing"    // it has no manifest: no worker has finished it
	Damaged   State = "damaged"    // its answers do not match its manifest, or the manifest cannot be read
	OtherPlan State = "other_plan" // it was computed for another plan
	Doubled   State = "doubled"    // the directory has it under a second name
	Unknown   State = "unknown"    // it is not a shard of the plan
)

// Shard is a shard of a directory, with its state.
type Shard struct {
	Number   int
	State    State
	Err      error     // why it is damaged
	Manifest *Manifest // nil if it is missing or cannot be read
}

// Stray is a file that is not part of the plan. A program that reads all files of the directory would
// read it too.
type Stray struct {
	Name  string
	State State // OtherPlan, Doubled or Unknown
	Shard int   // the shard that it contains, 0 if unknown
}

// Directory is the content of a directory of shards.
type Directory struct {
	Plan   *Plan
	Shards []Shard // all shards of the plan, by number
	Strays []Stray
}

// Read reads a directory of shards, and compares every digest.
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
		stray, err := plan.classify(dir, name, digests)
		if err != nil {
			return nil, err
		}
		d.Strays = append(d.Strays, stray)
	}
	return d, nil
}

// examine returns a shard with its state in the directory.
func (p *Plan) examine(dir string, shard int) Shard {
	s := Shard{Number: shard, State: Missing}
	text, err := regular.Read(filepath.Join(dir, p.ManifestName(shard)), maxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return s // also if there are answers: their run was killed before it wrote the manifest
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
		s.State, s.Err = Damaged, &FileError{p.ManifestName(shard), errors.New("it belongs to another shard")}
		return s
	}
	digest, err := digestOf(dir, m.Output)
	switch {
	case err != nil:
		s.State, s.Err = Damaged, err
	case digest != m.Digest:
		s.State, s.Err = Damaged, &FileError{m.Output, fmt.Errorf("its digest is %s, and the digest in the manifest is %s", digest, m.Digest)}
	default:
		s.State = Whole
	}
	return s
}

// classify returns the state of a file that is not part of the plan.
func (p *Plan) classify(dir, name string, digests map[string]int) (Stray, error) {
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
