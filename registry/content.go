package registry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/store"
)

// Content is the part of a release that few callers need.
type Content struct {
	Vectors []byte // nil if there are none
	Report  []byte // conformance report on the engine for this platform, nil if none counts
}

// Content returns the vectors of the release and the report on it. A Follower of a large
// library does not keep them in memory; Content then reads them from the registry. The error
// means that they cannot be read, or not in time.
func (rel *Release) Content() (Content, error) {
	if rel.stored == nil {
		return Content{rel.Vectors, rel.Report}, nil
	}
	c, err := rel.readContent()
	if err != nil {
		return Content{}, fmt.Errorf("vectors and report of %s %s: %w", rel.Capability, rel.Version, err)
	}
	return c, nil
}

// If a disk hangs, callers must not wait without a limit, and must not use a thread each.
const (
	contentTimeout = 2 * time.Second
	contentReaders = 16
)

var readers = make(chan struct{}, contentReaders)

// readContent reads the content in a goroutine of its own. It waits at most contentTimeout.
func (rel *Release) readContent() (Content, error) {
	type result struct {
		Content
		err error
	}
	timeout, cancel := context.WithTimeout(context.Background(), contentTimeout)
	defer cancel()
	read := make(chan result, 1)
	select {
	case readers <- struct{}{}:
		go func() {
			defer func() { <-readers }()
			var r result
			r.err = rel.open(func(l *layout) error { return rel.stored.read(l, &r.Content) })
			read <- r
		}()
	case <-timeout.Done():
	}
	select {
	case r := <-read:
		return r.Content, r.err
	case <-timeout.Done():
		return Content{}, errors.New("the disk does not answer")
	}
}

// stored locates the content of a release that is not in memory.
type stored struct{ vectors, report storedFile }

func (s *stored) read(l *layout, into *Content) (err error) {
	into.Vectors, err = s.vectors.read(l)
	if err == nil {
		into.Report, err = s.report.read(l)
	}
	return err
}

// storedFile is a file in the registry. The zero storedFile is not a file.
type storedFile struct {
	digest digest.Digest
	size   int64
}

func storedFileOf(data []byte) storedFile {
	if data == nil {
		return storedFile{}
	}
	return storedFile{digest.FromBytes(data), int64(len(data))}
}

func (d storedFile) read(l *layout) ([]byte, error) {
	if d.digest == "" {
		return nil, nil
	}
	return l.Read(d.descriptor(), store.MaxJSON)
}

func (d storedFile) descriptor() v1.Descriptor { return v1.Descriptor{Digest: d.digest, Size: d.size} }

// shed drops the content of a release. [Release.Content] reads it again.
func (rel *Release) shed() {
	rel.stored = &stored{storedFileOf(rel.Vectors), storedFileOf(rel.Report)}
	rel.SpecJSON, rel.Vectors, rel.Report = nil, nil, nil
	evidence.Shed(rel.Evidence)
}
