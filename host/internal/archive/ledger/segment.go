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

// Names of files. A segment with deleted records keeps its first and its last block in a root file,
// so that the chain stays complete.
const (
	segmentFile = "%08d.segment"
	rootFile    = "%08d.root"
)

// Segment is a segment as read from its file, which can be damaged.
type Segment struct {
	Header
	Deleted   bool       // the records were deleted after the retention time
	Signed    *Signed    // nil if the segment is not closed
	Statement *Statement // the content of Signed; nil if it is not valid
	Records   uint64     // number of records that could be read
	Size      int64      // number of bytes that could be read
	Stamped   time.Time  // time of a valid timestamp of the closed segment; zero if there is none or it was not checked

	Problem error // why reading stopped; nil at the regular end

	leaves   []tlog.Hash     // hashes of the records
	releases record.Releases // releases that records can name
	ids      []tlog.Hash     // ids of the releases, in the order of their numbers
}

// statement returns the statement for the segment as it was read.
func (s *Segment) statement() *Statement {
	tiles := tilesOf(s.leaves)
	return &Statement{Header: s.Header, Records: s.Records, Root: treeHash(tiles), Tiles: tiles, Releases: s.ids}
}

// numbers returns the numbers of the segments in the directory in increasing order. It reads only
// the names of files.
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
	return slices.Compact(list), nil // both files exist for a short time
}

// open opens the file of a segment.
func open(dir string, number uint64) (f *os.File, deleted bool, err error) {
	f, err = os.Open(filepath.Join(dir, fmt.Sprintf(segmentFile, number)))
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.Open(filepath.Join(dir, fmt.Sprintf(rootFile, number)))
		deleted = true
	}
	return f, deleted, err
}

// readSegment reads a segment, and calls do for each record that can be read. The function do can
// be nil. The error is an error of the file or of do. Damage of the segment is in its Problem.
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

// take processes the next block, and reports whether reading must stop.
func (s *Segment) take(k *block, do func(s *Segment, leaf uint64, data []byte) error) (stop bool, err error) {
	if (s.Size == 0) != (k.kind == blockHead) || s.Signed != nil {
		s.Problem = errors.New("a block is at an invalid position")
		return true, nil
	}
	switch k.kind {
	case blockHead:
		number := s.Segment
		if err := json.Unmarshal(k.content, &s.Header); err != nil || s.Segment != number {
			s.Problem = fmt.Errorf("the header has the segment number %d", s.Segment)
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
			s.Problem = fmt.Errorf("record %d is at the position of record %d", k.first, s.Records)
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

// Place returns the place of a record as text: SEGMENT/LEAF.
func (s *Segment) Place(leaf uint64) string { return fmt.Sprintf("%s/%d", s.Name(), leaf) }

// name adds the releases of a block.
func (s *Segment) name(k *block) error {
	if k.first != uint64(len(s.ids)) {
		return fmt.Errorf("release %d is at the position of release %d", k.first, len(s.ids))
	}
	for rest := k.content; len(rest) > 0; {
		release, remaining, err := cutLeaf(rest)
		if err != nil {
			return err
		}
		id, err := s.releases.Add(uint64(len(s.ids)), release)
		if err != nil {
			return errDamaged
		}
		s.ids, rest = append(s.ids, tlog.Hash(id)), remaining
	}
	return nil
}

// Each reads the records of a ledger in order. After a damaged segment it continues with the next
// one. The error at the end names the damaged segments. Each does not detect removed or changed
// records; [Check] does.
func Each(dir string, do func(s *Segment, leaf uint64, r *record.Record) error) error {
	segments, err := Read(dir, do)
	if err != nil {
		return err
	}
	var damaged []error
	for i, s := range segments {
		written := i == len(segments)-1 && s.Signed == nil && errors.Is(s.Problem, errTorn) // the end is being written
		if s.Problem != nil && !written {
			damaged = append(damaged, fmt.Errorf("segment %s cannot be read from record %d on: %w", s.Name(), s.Records, s.Problem))
		}
	}
	return errors.Join(damaged...)
}

// Read is like [Each], and returns the segments. If a segment could not be read to its end, its
// Problem is set.
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

// In reports whether a directory contains segments.
func In(dir string) bool {
	list, err := numbers(dir)
	return err == nil && len(list) > 0
}
