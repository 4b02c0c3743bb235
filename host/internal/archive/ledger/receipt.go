package ledger

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/slipstick/slipstick/host/internal/calc/record"
)

// Status is the status of the record that a receipt names.
type Status string

// Statuses of records.
const (
	Included Status = "included" // in a closed segment: there is a proof
	Pending  Status = "pending"  // in a segment that is not closed yet
	Missing  Status = "lost"     // not written, because the server was killed or the disk was full
	Deleted  Status = "deleted"  // deleted after the retention time; the statement about its segment remains
)

// Proof is the ledger's answer for a receipt.
type Proof struct {
	Receipt  string          `json:"receipt"`
	Status   Status          `json:"standing"`
	Record   []byte          `json:"record,omitempty"`
	Releases [][]byte        `json:"releases,omitempty"` // encoded releases that the record names; the statement has their SHA-256
	Content  json.RawMessage `json:"content,omitempty"`  // the record in readable form
	Tile     []tlog.Hash     `json:"tile,omitempty"`     // SHA-256 of each record of its tile, including this record
	Signed   *Signed         `json:"signed,omitempty"`   // the statement that contains the hash of the tile
}

// ErrUnknownReceipt means that this ledger issued no such receipt.
var ErrUnknownReceipt = errors.New("this ledger has given no such receipt")

// proofs caches the tree of the segment of the last proof.
type proofs struct {
	mu       sync.Mutex
	number   uint64
	signed   *Signed
	leaves   []tlog.Hash
	releases record.Releases
}

// Prove returns the status of the record that a receipt names, and the proof if there is one.
func (l *Ledger) Prove(receipt record.Receipt) (*Proof, error) {
	if !l.known(receipt) {
		return nil, ErrUnknownReceipt
	}
	if placeOf(receipt.Segment, receipt.Leaf) >= place(l.place.Load()) {
		return nil, ErrUnknownReceipt
	}
	p := &Proof{Receipt: receipt.String()}
	l.proofs.mu.Lock()
	defer l.proofs.mu.Unlock()
	s, err := l.proofs.read(l.dir, receipt.Segment)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.Status = Pending // its file is created after earlier segments are closed
		return p, nil
	case err != nil:
		return nil, err
	case s.Signed == nil:
		p.Status = Pending
		return p, nil
	}
	p.Signed = s.Signed
	switch {
	case s.Deleted:
		p.Status = Deleted
		return p, nil
	case receipt.Leaf >= s.Records:
		p.Status = Missing
		return p, nil
	}
	p.Status = Included
	p.Record, err = readLeaf(l.dir, receipt.Segment, receipt.Leaf)
	if err != nil {
		return nil, err
	}
	r, err := record.Parse(p.Record, &s.releases)
	if err != nil {
		return nil, err
	}
	for _, release := range r.Named() {
		p.Releases = append(p.Releases, release.Encoded())
	}
	p.Content, err = json.Marshal(&r)
	if err != nil {
		return nil, err
	}
	from, to := tileOf(receipt.Leaf, s.Records)
	p.Tile = s.leaves[from:to]
	return p, nil
}

// read returns a segment. A closed and undamaged segment is cached.
func (c *proofs) read(dir string, number uint64) (*Segment, error) {
	if c.signed != nil && c.number == number {
		return &Segment{Signed: c.signed, Records: uint64(len(c.leaves)), leaves: c.leaves, releases: c.releases}, nil
	}
	s, err := readSegment(dir, number, nil)
	if err != nil || s.Signed == nil || s.Deleted {
		return s, err
	}
	if s.Problem == nil && s.Statement.Records != s.Records {
		s.Problem = fmt.Errorf("it has %d records, but the signed statement has %d", s.Records, s.Statement.Records)
	}
	if s.Problem != nil {
		return nil, fmt.Errorf("segment %s: %w", s.Name(), s.Problem)
	}
	c.number, c.signed, c.leaves, c.releases = number, s.Signed, s.leaves, s.releases
	return s, nil
}

// readLeaf returns the encoded record at a leaf.
func readLeaf(dir string, number, leaf uint64) (data []byte, err error) {
	f, _, err := open(dir, number)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for r := bufio.NewReaderSize(f, 1<<16); data == nil; {
		k, err := readBlock(r)
		if err != nil {
			return nil, err
		}
		if k.kind != blockData || leaf < k.first || leaf >= k.first+uint64(k.records) {
			continue
		}
		err = k.eachLeaf(func(index uint64, b []byte) error {
			if index == leaf {
				data = bytes.Clone(b)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return data, nil
}

// ErrNotProved means that there is no proof: the segment is not closed yet, or the record is lost
// or deleted.
var ErrNotProved = errors.New("there is no proof of the record")

// includes reports whether the record is the nth record of the statement's segment.
func (p *Proof) includes(st *Statement, n uint64) bool {
	if n >= st.Records {
		return false
	}
	from, to := tileOf(n, st.Records)
	return uint64(len(p.Tile)) == to-from && p.Tile[n-from] == recordHash(p.Record) && tileHash(p.Tile) == st.Tiles[n/tileSize]
}

// Verify checks the proof without the ledger. The returned record and statement are signed by the
// key in p.Signed. The caller must check that this key belongs to the server.
func (p *Proof) Verify() (*record.Record, *Statement, error) {
	if p.Status != Included || p.Signed == nil {
		return nil, nil, fmt.Errorf("%w: it is %s", ErrNotProved, p.Status)
	}
	receipt, err := record.ParseReceipt(p.Receipt)
	if err != nil {
		return nil, nil, err
	}
	st, err := p.Signed.Read()
	if err != nil {
		return nil, nil, err
	}
	if st.Ledger != receipt.Ledger || st.Segment != receipt.Segment {
		return nil, nil, fmt.Errorf("the statement is about segment %s", st.Name())
	}
	if !p.includes(st, receipt.Leaf) {
		return nil, nil, fmt.Errorf("the record is not leaf %d of segment %s", receipt.Leaf, st.Name())
	}
	var releases record.Releases
	for _, encoded := range p.Releases {
		id := tlog.Hash(sha256.Sum256(encoded))
		number := slices.Index(st.Releases, id)
		if number < 0 {
			return nil, nil, fmt.Errorf("segment %s names no release with the SHA-256 %x", st.Name(), id[:])
		}
		if _, err := releases.Add(uint64(number), encoded); err != nil {
			return nil, nil, err
		}
	}
	r, err := record.Parse(p.Record, &releases)
	if err != nil {
		return nil, nil, err
	}
	content, err := json.Marshal(&r)
	if err != nil {
		return nil, nil, err
	}
	var sent bytes.Buffer
	if json.Compact(&sent, p.Content) != nil || !bytes.Equal(content, sent.Bytes()) {
		return nil, nil, errors.New("the content differs from the record")
	}
	return &r, st, nil
}
