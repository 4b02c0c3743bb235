package ledger

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/slipstick/slipstick/host/internal/calc/record"
)

// Names of files. A segment whose records were deleted when their time had come keeps its first
// and its last block, so that the chain goes on.
const (
	segmentFile = "%08d.segment"
	keptFile    = "%08d.root"
)

// Segment is a segment as its file has it, which may be damaged.
type Segment struct {
	Header
	Deleted   bool       // its records, when their time had come
	Signed    *Signed    // nil if it is not closed
	Statement *Statement // of Signed; nil if that cannot be believed
	Records   uint64     // that could be read
	Size      int64      // bytes that could be read
	Stamped   time.Time  // when somebody else had seen it closed; zero if that was not asked or cannot be believed

	Problem error // where reading ended, nil if that was the end

	leaves   []tlog.Hash     // hashes of its records
	releases record.Releases // that records may name
	ids      []tlog.Hash     // of these, in the order of their numbers
}

// statement returns what can be said of the segment as it was read.
func (s *Segment) statement() *Statement {
	tiles := tilesOf(s.leaves)
	return &Statement{Header: s.Header, Records: s.Records, Root: treeHash(tiles), Tiles: tiles, Releases: s.ids}
}

// numbers returns the segments of the directory in their order, by the names of their files.
func numbers(dir string) (list []uint64, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		digits, kind, _ := strings.Cut(e.Name(), ".")
		if n, err := strconv.ParseUint(digits, 10, 63); err == nil && (kind == "segment" || kind == "root") && len(digits) >= 8 {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil // both stand there for a moment
}

// open opens the file of a segment.
func open(dir string, number uint64) (f *os.File, deleted bool, err error) {
	f, err = os.Open(filepath.Join(dir, fmt.Sprintf(segmentFile, number)))
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.Open(filepath.Join(dir, fmt.Sprintf(keptFile, number)))
		deleted = true
	}
	return f, deleted, err
}

// readSegment reads a segment. The function gets every record that can be read, and may be nil.
// The error is that of the file or of the function; what is wrong with the segment is its
// Problem.
func readSegment(dir string, number uint64, do func(s *Segment, leaf uint64, data []byte) error) (*Segment, error) {
	f, deleted, err := open(dir, number)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := &Segment{Deleted: deleted, Header: Header{Segment: number}}
	r := bufio.NewReaderSize(f, 1<<16)
	for {
		k, err := readBlock(r)
		if err == io.EOF {
			if s.Size == 0 {
				s.Problem = errTorn
			}
			return s, nil
		}
		if errors.Is(err, errTorn) || errors.Is(err, errDamaged) {
			s.Problem = err
			return s, nil
		}
		if err != nil {
			return nil, err
		}
		stop, err := s.take(k, do)
		if err != nil {
			return nil, err
		}
		if stop {
			return s, nil
		}
		s.Size += k.size()
	}
}

// take takes the next block, and reports whether it ends the reading.
func (s *Segment) take(k *block, do func(s *Segment, leaf uint64, data []byte) error) (stop bool, err error) {
	if (s.Size == 0) != (k.kind == blockHead) || s.Signed != nil {
		s.Problem = errors.New("blocks stand where none may stand")
		return true, nil
	}
	switch k.kind {
	case blockHead:
		number := s.Segment
		if err := json.Unmarshal(k.content, &s.Header); err != nil || s.Segment != number {
			s.Problem = fmt.Errorf("the file says that it is segment %d", s.Segment)
			s.Segment = number
			return true, nil
		}
	case blockReleases:
		s.Problem = s.name(k)
		if s.Problem != nil {
			return true, nil
		}
	case blockData:
		if k.first != s.Records {
			s.Problem = fmt.Errorf("record %d stands where record %d should", k.first, s.Records)
			return true, nil
		}
		err = k.eachLeaf(func(index uint64, leaf []byte) error {
			if do != nil {
				if err := do(s, index, leaf); err != nil {
					return err
				}
			}
			s.leaves = append(s.leaves, recordHash(leaf))
			s.Records++
			return nil
		})
		if errors.Is(err, errDamaged) {
			s.Problem = err
			return true, nil
		}
	case blockClose:
		s.Signed = new(Signed)
		s.Problem = json.Unmarshal(k.content, s.Signed)
		if s.Problem == nil {
			s.Statement, s.Problem = s.Signed.Read()
		}
	default:
		s.Problem = errDamaged
		return true, nil
	}
	return false, err
}

// Place names a record of the segment: SEGMENT/LEAF.
func (s *Segment) Place(leaf uint64) string { return fmt.Sprintf("%s/%d", s.Name(), leaf) }

// name takes the releases of a block.
func (s *Segment) name(k *block) error {
	if k.first != uint64(len(s.ids)) {
		return fmt.Errorf("release %d stands where release %d should", k.first, len(s.ids))
	}
	for rest := k.content; len(rest) > 0; {
		release, behind, err := cutLeaf(rest)
		if err != nil {
			return err
		}
		id, err := s.releases.Add(uint64(len(s.ids)), release)
		if err != nil {
			return errDamaged
		}
		s.ids, rest = append(s.ids, tlog.Hash(id)), behind
	}
	return nil
}

// Each reads the records of a ledger in their order. It goes on behind segments that are damaged, and
// its error names them in the end. Whether anything was taken out, Check says.
func Each(dir string, do func(s *Segment, leaf uint64, r *record.Record) error) error {
	segments, err := Read(dir, do)
	if err != nil {
		return err
	}
	var damaged []error
	for i, s := range segments {
		written := i == len(segments)-1 && s.Signed == nil && errors.Is(s.Problem, errTorn) // just now
		if s.Problem != nil && !written {
			damaged = append(damaged, fmt.Errorf("segment %s cannot be read from record %d on: %w", s.Name(), s.Records, s.Problem))
		}
	}
	return errors.Join(damaged...)
}

// Read is Each, and returns the segments as they were read: each with its Problem, if it could not
// be read to its end.
func Read(dir string, do func(s *Segment, leaf uint64, r *record.Record) error) ([]*Segment, error) {
	list, err := numbers(dir)
	if err != nil {
		return nil, err
	}
	var segments []*Segment
	for _, number := range list {
		s, err := readSegment(dir, number, func(s *Segment, leaf uint64, data []byte) error {
			r, err := record.Parse(data, &s.releases)
			if err != nil {
				return fmt.Errorf("%s/%d: %w", s.Name(), leaf, err)
			}
			return do(s, leaf, &r)
		})
		if err != nil {
			return nil, err
		}
		s.leaves = nil
		segments = append(segments, s)
	}
	return segments, nil
}

// In reports whether a directory holds segments.
func In(dir string) bool {
	list, err := numbers(dir)
	return err == nil && len(list) > 0
}
