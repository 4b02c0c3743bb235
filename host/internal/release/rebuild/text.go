package rebuild

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/provenance"
	"github.com/slipstick/slipstick/registry/regular"
	"github.com/slipstick/slipstick/sdk/enginefile"
)

// joinAgain joins the runtimes of a text engine and its document, which the source has under any name.
func joinAgain(ctx context.Context, rel *registry.Release, recorded *provenance.Build, sources []string) (*Result, error) {
	scratch, err := os.MkdirTemp("", "slipstick-rebuild-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	from, err := openText(ctx, sources, recorded.Revision, scratch)
	if err != nil {
		return nil, err
	}
	result := &Result{Capability: rel.Capability, Version: rel.Version, Published: recorded}
	files, err := findFiles(ctx, from.dir, recorded.Files)
	if err != nil {
		return nil, &SourceError{strings.Join(sources, ", "), err}
	}
	for _, f := range recorded.Files {
		if files[f.Name] == nil {
			result.Difference = &Difference{Kind: MissingFile, Name: f.Name, Published: f.SHA256}
			return result, nil
		}
	}
	rebuilt := *recorded
	rebuilt.Engines, rebuilt.Revision = map[string]string{}, from.revision
	text := &enginefile.Text{Document: files[provenance.Document], Vectors: files[provenance.Vectors], Closure: files[provenance.Closure]}
	for _, platform := range slices.Sorted(maps.Keys(recorded.Runtimes)) {
		runtime, err := rel.RuntimeFor(platform)
		if err != nil {
			return nil, err
		}
		hash := sha256.New()
		if err := enginefile.Join(hash, bytes.NewReader(runtime), text); err != nil {
			return nil, err
		}
		found := "sha256:" + hex.EncodeToString(hash.Sum(nil))
		rebuilt.Engines[platform] = found
		if published := rel.Engines[platform]; found != published && result.Difference == nil {
			result.Difference = &Difference{Kind: Bytes, Platform: platform, Published: published, Found: found}
		}
	}
	result.Rebuilt = &rebuilt
	return result, nil
}

// openText is open for a source that can also be the document itself.
func openText(ctx context.Context, sources []string, recorded, scratch string) (opened, error) {
	if len(sources) == 1 && strings.HasSuffix(sources[0], ".md") {
		if info, err := os.Stat(sources[0]); err == nil && info.Mode().IsRegular() {
			return opened{dir: sources[0]}, nil
		}
	}
	return open(ctx, sources, recorded, scratch)
}

// findFiles returns the content of the recorded files that are in a directory, or are the file dir.
func findFiles(ctx context.Context, dir string, recorded []provenance.File) (map[string][]byte, error) {
	found, seen := map[string][]byte{}, 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		seen++
		if seen > maxFiles {
			return errors.New("it has too many files: name the directory of the document")
		}
		data, err := regular.Read(path, enginefile.MaxVectors)
		if _, large := errors.AsType[*regular.SizeError](err); large {
			return nil
		}
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		for _, f := range recorded {
			if f.SHA256 == hex.EncodeToString(sum[:]) {
				found[f.Name] = data
			}
		}
		return nil
	})
	return found, err
}
