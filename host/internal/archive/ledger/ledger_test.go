package ledger

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/registry/hostkeys"
	"github.com/slipstick/slipstick/sdk/value"
)

var private = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))

func sign(_ time.Time, message []byte) (ed25519.PublicKey, []byte) {
	return private.Public().(ed25519.PublicKey), ed25519.Sign(private, message)
}

// known checks a key with only the document that the server publishes.
func known(public ed25519.PublicKey, at time.Time) error {
	document, err := hostkeys.New([]hostkeys.Private{{Key: private}})
	if err != nil {
		return err
	}
	_, err = hostkeys.Set{{Name: "published", Document: document}}.Signer(public, hostkeys.Ledger, at)
	return err
}

var release = record.NewRelease(record.Release{
	Capability: "mechanics.beams.beam", Version: "1.2.0", Platform: "linux/amd64",
	Digest: "sha256:" + strings.Repeat("0a", 32), Engine: "sha256:" + strings.Repeat("ff", 32),
})

// answer returns the nth record.
func answer(n int) record.Record {
	return record.Record{
		Kind: record.Answer, Time: time.Unix(1_800_000_000, int64(n)*12345), Request: fmt.Sprintf("process-%010x", n), Release: release,
		Inputs:  value.Values{value.NumberOf(float64(n)), value.TextOf("steel"), {}, value.NumberOf(1 / float64(n+3))},
		Outcome: record.Outcome{Result: value.Values{value.NumberOf(float64(n) / 7)}},
	}
}

func options() *Options {
	return &Options{Inputs: Whole, Sync: time.Hour, Sign: sign, Secret: bytes.Repeat([]byte{3}, 32), segment: 1000}
}

func start(t *testing.T, dir string, o *Options) *Ledger {
	t.Helper()
	l, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// written creates a ledger of n records in segments of 1000.
func written(t *testing.T, n int) (dir string, receipts []record.Receipt) {
	t.Helper()
	dir = t.TempDir()
	l := start(t, dir, options())
	for i := range n {
		receipts = append(receipts, l.Record(answer(i)))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, receipts
}

func check(t *testing.T, dir string) *Report {
	t.Helper()
	report, err := Check(dir, &CheckOptions{Vouch: known})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// texts returns short texts of the findings.
func texts(report *Report) (list []string) {
	for _, f := range report.Findings {
		list = append(list, fmt.Sprintf("%d %s %d-%d", f.Segment.Segment, f.Fault, f.From, f.To))
	}
	return list
}

func TestRecordsAreReadAsWritten(t *testing.T) {
	const n = 2500
	dir, receipts := written(t, n)
	i := 0
	err := Each(dir, func(s *Segment, leaf uint64, r *record.Record) error {
		want := answer(i)
		if !same(r, &want) {
			return fmt.Errorf("record %d is %+v", i, r)
		}
		if got := receipts[i]; got.Segment != s.Segment || got.Leaf != leaf || got.Ledger != s.Ledger {
			return fmt.Errorf("record %d is at %s/%d, but its receipt is %v", i, s.Name(), leaf, got)
		}
		i++
		return nil
	})
	if err != nil || i != n {
		t.Fatalf("%d records: %v", i, err)
	}
	report := check(t, dir)
	if len(report.Findings) > 0 || report.Records != n || len(report.Segments) != 3 || report.Killed > 0 {
		t.Errorf("%d records in %d segments: %v", report.Records, len(report.Segments), texts(report))
	}
	if end := report.Segments[2].Statement.End; end != Ended {
		t.Errorf("the last segment ended by %s", end)
	}
	// The next server continues the ledger.
	l := start(t, dir, options())
	if r := l.Record(answer(0)); r.Segment != 4 || r.Leaf != 0 || r.Ledger != receipts[0].Ledger {
		t.Errorf("the next server's first receipt is %v", r)
	}
	if _, err := Open(dir, options()); !errors.Is(err, ErrInUse) {
		t.Errorf("a second server can write: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if report := check(t, dir); len(report.Findings) > 0 || report.Killed > 0 {
		t.Errorf("after another server: %v, %d killed", texts(report), report.Killed)
	}
}

// The design goal is 60 to 100 bytes.
func TestRecordsAreSmall(t *testing.T) {
	const n = 5000
	dir, _ := written(t, n)
	size := int64(0)
	for _, s := range check(t, dir).Segments {
		size += s.Size
	}
	if each := size / n; each > 100 {
		t.Errorf("%d bytes a record", each)
	} else {
		t.Logf("%d bytes a record", each)
	}
}

func TestReceiptsAreProved(t *testing.T) {
	dir := t.TempDir()
	for _, inputs := range []Inputs{Whole, Hashed} {
		o := options()
		o.Inputs = inputs
		l := start(t, dir, o)
		var receipts []record.Receipt
		for i := range 1300 {
			receipts = append(receipts, l.Record(answer(i)))
		}
		if p, err := l.Prove(receipts[1299]); err != nil || p.Status != Pending || p.Record != nil {
			t.Errorf("before its segment is closed: %+v, %v", p, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = start(t, dir, o)
		for _, i := range []int{0, 1, 255, 256, 511, 999, 1000, 1299} {
			p, err := l.Prove(receipts[i])
			if err != nil {
				t.Fatal(err)
			}
			sent, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			var got Proof
			if err := json.Unmarshal(sent, &got); err != nil {
				t.Fatal(err)
			}
			r, st, err := got.Verify()
			if err != nil {
				t.Fatalf("%s, record %d: %v", inputs, i, err)
			}
			want := answer(i)
			if inputs == Hashed {
				if r.Inputs != nil || !bytes.Equal(r.Hash, record.HashInputs(nil, &receipts[i].Key, want.Inputs)) || bytes.Equal(r.Hash, record.HashInputs(nil, new(record.Key), want.Inputs)) {
					t.Errorf("the hash of record %d is %x", i, r.Hash)
				}
				want.Hash = r.Hash
			}
			if !same(r, &want) || st.Ledger != receipts[i].Ledger {
				t.Errorf("record %d is %+v", i, r)
			}
			for what, change := range map[string]func(*Proof){
				"record":    func(p *Proof) { p.Record[len(p.Record)-1] ^= 1 },
				"leaf":      func(p *Proof) { p.Receipt = receipts[i+1-2*(i%2)].String() },
				"statement": func(p *Proof) { p.Signed.Statement[len(p.Signed.Statement)-30] ^= 1 },
				"signature": func(p *Proof) { p.Signed.Signature[3] ^= 1 },
				"content":   func(p *Proof) { p.Content = bytes.Replace(p.Content, []byte("1.2.0"), []byte("1.2.1"), 1) },
				"tile":      func(p *Proof) { p.Tile[len(p.Tile)-1][0] ^= 1 },
				"release":   func(p *Proof) { p.Releases[0][3] ^= 1 },
				"standing":  func(p *Proof) { p.Status = Pending },
			} {
				var forged Proof
				_ = json.Unmarshal(sent, &forged)
				change(&forged)
				if _, _, err := forged.Verify(); err == nil {
					t.Errorf("record %d: a proof with another %s holds", i, what)
				}
			}
		}
		guessed := receipts[7]
		guessed.Key[0] ^= 1
		elsewhere := receipts[7]
		elsewhere.Ledger = "another1"
		for _, r := range []record.Receipt{guessed, elsewhere, {}} {
			if p, err := l.Prove(r); !errors.Is(err, ErrUnknownReceipt) {
				t.Errorf("%v is proved: %+v, %v", r, p, err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// forge rewrites a segment block by block, with valid checksums, as a careful forger does. The
// function change can change a block, and returns the bytes to write for it.
func forge(t *testing.T, dir string, number uint64, change func(*block) []byte) {
	t.Helper()
	path := filepath.Join(dir, fmt.Sprintf(segmentFile, number))
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []byte
	for {
		k, err := readBlock(f)
		if err != nil {
			break
		}
		out = append(out, change(k)...)
	}
	must(t, os.WriteFile(path, out, 0o600))
}

// same reports whether two records have the same contents and name the same release.
func same(a, b *record.Record) bool {
	return bytes.Equal(a.Append(nil, first{}), b.Append(nil, first{})) && (a.Release == nil || a.Release.ID() == b.Release.ID())
}

// first assigns the same number to every release.
type first struct{}

func (first) Number(*record.Release) uint64 { return 0 }

// damage changes the records of a segment.
func damage(t *testing.T, dir string, number uint64, change func(leaves [][]byte) [][]byte) {
	t.Helper()
	var leaves [][]byte
	forge(t, dir, number, func(k *block) (out []byte) {
		switch k.kind {
		case blockData:
			must(t, k.eachLeaf(func(_ uint64, leaf []byte) error {
				leaves = append(leaves, bytes.Clone(leaf))
				return nil
			}))
			return nil
		case blockClose:
			var data []byte
			leaves = change(leaves)
			for _, leaf := range leaves {
				data = appendLeaf(data, leaf)
			}
			out = (&block{blockData, len(leaves), 0, data}).append(out)
		}
		return k.append(out)
	})
}

// flip changes one bit of the nth record, within the given text.
func flip(n int, text []byte) func([][]byte) [][]byte {
	return func(leaves [][]byte) [][]byte {
		leaves[n][bytes.Index(leaves[n], text)] ^= 1
		return leaves
	}
}

// A person who has only the directory and the public key finds every fault, and its place.
func TestPlantedFaultsAreFoundAndNamed(t *testing.T) {
	segment := func(dir string, n uint64) string { return filepath.Join(dir, fmt.Sprintf(segmentFile, n)) }
	for name, c := range map[string]struct {
		plant func(t *testing.T, dir string)
		want  []string
	}{
		"nothing":           {func(*testing.T, string) {}, nil},
		"a bit of an input": {func(t *testing.T, dir string) { damage(t, dir, 2, flip(700, []byte("steel"))) }, []string{"2 changed 512-767"}},
		"a bit of a result": {func(t *testing.T, dir string) {
			damage(t, dir, 1, func(l [][]byte) [][]byte { l[3][len(l[3])-1] ^= 1; return l })
		}, []string{"1 changed 0-255"}},
		"a bit of a digest": {func(t *testing.T, dir string) {
			forge(t, dir, 2, func(k *block) []byte {
				if k.kind == blockReleases {
					k.content[bytes.Index(k.content, bytes.Repeat([]byte{0x0a}, 32))] ^= 1
				}
				return k.append(nil)
			})
		}, []string{"2 renamed 0-0"}},
		"the number of a release": {func(t *testing.T, dir string) {
			damage(t, dir, 2, func(l [][]byte) [][]byte {
				l[999][bytes.Index(l[999], []byte("process-"))+len("process-0123456789")+1] ^= 1
				return l
			})
		}, []string{"2 damaged 999-0"}},
		"the order of two records": {func(t *testing.T, dir string) {
			damage(t, dir, 1, func(l [][]byte) [][]byte { l[300], l[301] = l[301], l[300]; return l })
		}, []string{"1 changed 256-511"}},
		"a removed record": {func(t *testing.T, dir string) {
			damage(t, dir, 1, func(l [][]byte) [][]byte { return append(l[:400:400], l[401:]...) })
		}, []string{"1 miscounted 999-1000", "1 changed 256-511"}},
		"a removed segment": {func(t *testing.T, dir string) { must(t, os.Remove(segment(dir, 2))) }, []string{"3 missing 2-2"}},
		"two swapped segments": {func(t *testing.T, dir string) {
			must(t, os.Rename(segment(dir, 1), segment(dir, 9)))
			must(t, os.Rename(segment(dir, 2), segment(dir, 1)))
			must(t, os.Rename(segment(dir, 9), segment(dir, 2)))
		}, []string{"1 damaged 0-0", "2 damaged 0-0"}},
		"a segment of another ledger": {func(t *testing.T, dir string) {
			other, _ := written(t, 2500)
			must(t, os.Rename(segment(other, 2), segment(dir, 2)))
		}, []string{"2 other_ledger 0-0", "3 other_ledger 0-0"}},
		"a bit on the disk": {func(t *testing.T, dir string) {
			data, err := os.ReadFile(segment(dir, 2))
			must(t, err)
			data[len(data)/4] ^= 4
			must(t, os.WriteFile(segment(dir, 2), data, 0o600))
		}, []string{"2 damaged 0-0"}},
		"a segment with another signature": {func(t *testing.T, dir string) {
			stranger := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, ed25519.SeedSize))
			s, err := readSegment(dir, 2, nil)
			must(t, err)
			data, err := os.ReadFile(segment(dir, 2))
			must(t, err)
			last, _, err := closing(s.Statement, func(_ time.Time, m []byte) (ed25519.PublicKey, []byte) {
				return stranger.Public().(ed25519.PublicKey), ed25519.Sign(stranger, m)
			})
			must(t, err)
			must(t, os.WriteFile(segment(dir, 2), append(data[:s.Size-int64(len(last))], last...), 0o600))
		}, []string{"2 unknown_key 0-0"}},
		"an end that is cut off": {func(t *testing.T, dir string) {
			must(t, os.Truncate(segment(dir, 2), 200))
		}, []string{"2 damaged 0-0"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := written(t, 2500)
			c.plant(t, dir)
			if got := texts(check(t, dir)); strings.Join(got, "; ") != strings.Join(c.want, "; ") {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A killed server leaves a segment that is truncated at any byte. The next server closes the
// segment with every complete block, and records that records were lost.
func TestKilledServersLoseWhatWasNotWritten(t *testing.T) {
	dir := t.TempDir()
	o := options()
	o.Sync = time.Millisecond
	l := start(t, dir, o)
	for i := range 900 {
		l.Record(answer(i))
		if i%300 == 299 {
			l.flushed()
		}
	}
	whole, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf(segmentFile, 1)))
	must(t, err)
	must(t, l.Close())
	ends := map[int]uint64{} // offset after each block, and the number of records up to there
	for r, size := bytes.NewReader(whole), 0; ; {
		k, err := readBlock(r)
		if err != nil {
			break
		}
		size += int(k.size())
		ends[size] = k.first + uint64(k.records)
	}
	records, first := uint64(0), true
	for size := range len(whole) + 1 {
		if n, ok := ends[size]; ok {
			records, first = n, false
		} else if size%499 > 0 { // a sample of offsets within blocks is sufficient
			continue
		}
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf(segmentFile, 1)), whole[:size], 0o600))
		l := start(t, dir, o)
		receipt := l.Record(answer(0))
		must(t, l.Close())
		report := check(t, dir)
		if len(report.Findings) > 0 || report.Records != records+1 {
			t.Fatalf("cut at %d of %d: %d records, want %d and one more: %v", size, len(whole), report.Records, records, texts(report))
		}
		if first {
			if receipt.Segment != 1 {
				t.Fatalf("cut at %d, before there was a segment: %v", size, receipt)
			}
			continue
		}
		if report.Killed != 1 || report.Segments[0].Statement.End != Recovered {
			t.Fatalf("cut at %d: the loss is not recorded", size)
		}
	}
}

// Readers get an error for damaged segments. The end of a segment that is being written is not
// damage.
func TestReadersGetErrorsOfDamage(t *testing.T) {
	dir, _ := written(t, 2500)
	segment := func(n int) string { return filepath.Join(dir, fmt.Sprintf(segmentFile, n)) }
	read := func() (n int, err error) {
		err = Each(dir, func(*Segment, uint64, *record.Record) error { n++; return nil })
		return n, err
	}
	must(t, os.Truncate(segment(3), 1000))
	if n, err := read(); n != 2000 || err != nil {
		t.Errorf("%d records before an open segment: %v", n, err)
	}
	must(t, os.Truncate(segment(2), 1000))
	if n, err := read(); n != 1000 || !errors.Is(err, errTorn) || !strings.Contains(err.Error(), "-2 cannot be read from record 0 on") {
		t.Errorf("%d records before a damaged segment: %v", n, err)
	}
}

// A file that cannot be read at all is kept, so that a person can examine it.
func TestFilesThatCannotBeReadAreKept(t *testing.T) {
	dir, file := t.TempDir(), fmt.Sprintf(segmentFile, 1)
	other := bytes.Repeat([]byte("another format "), 10)
	must(t, os.WriteFile(filepath.Join(dir, file), other, 0o600))
	l := start(t, dir, options())
	l.Record(answer(0))
	must(t, l.Close())
	if report := check(t, dir); len(report.Findings) > 0 || report.Records != 1 {
		t.Errorf("%d records: %v", report.Records, texts(report))
	}
	if kept, err := os.ReadFile(filepath.Join(dir, file+".damaged")); err != nil || !bytes.Equal(kept, other) {
		t.Errorf("kept is %q, %v", kept, err)
	}
}

// flushed waits until all accepted records are on the disk.
func (l *Ledger) flushed() {
	for l.writer.durable.Load() < l.place.Load() {
		time.Sleep(100 * time.Microsecond)
	}
}

// A full disk loses records, but does not delay requests. Losses are counted and recorded, and
// waiting records are written when the disk has space.
func TestFullDisksCostRecordsOnly(t *testing.T) {
	dir := t.TempDir()
	o := options()
	o.Queue, o.Sync = 20_000, time.Millisecond
	l := start(t, dir, o)
	broken := l.writer.file
	l.writer.file = nil // the writer is still idle
	must(t, os.Chmod(dir, 0o700))
	blocked := filepath.Join(dir, fmt.Sprintf(segmentFile, 1))
	must(t, os.Remove(blocked))
	must(t, os.Mkdir(blocked, 0o700)) // so that no file can be created there
	_ = broken.Close()
	taken, lost := 0, 0
	for i := range 1500 {
		if l.Record(answer(i)).Ledger != "" {
			taken++
		} else {
			lost++
		}
	}
	if lost == 0 || taken == 0 {
		t.Fatalf("%d taken, %d lost", taken, lost)
	}
	for l.Stats().Failure == nil {
		time.Sleep(time.Millisecond)
	}
	must(t, os.Remove(blocked))
	for l.Stats().Failure != nil {
		time.Sleep(time.Millisecond)
	}
	l.flushed()
	if l.Record(answer(9)).Ledger == "" {
		t.Error("a record is lost although the disk can be written")
	}
	must(t, l.Close())
	report, answers := check(t, dir), 0
	must(t, Each(dir, func(_ *Segment, _ uint64, r *record.Record) error {
		if r.Kind == record.Answer {
			answers++
		}
		return nil
	}))
	if len(report.Findings) > 0 || report.Lost != uint64(lost) || answers != taken+1 {
		t.Errorf("%d answers and %d lost, want %d and %d: %v", answers, report.Lost, taken+1, lost, texts(report))
	}
	if got := l.Stats(); got.Lost != uint64(lost) || got.Records != uint64(taken)+1 {
		t.Errorf("counted %d records and %d lost", got.Records, got.Lost)
	}
}

// Expired records are deleted. The signed statement remains, and the chain stays valid.
func TestExpiredRecordsLeaveTheirRoots(t *testing.T) {
	dir, receipts := written(t, 2500)
	o := options()
	o.Keep, o.Sync = time.Hour, time.Millisecond
	var mu sync.Mutex
	ahead := 2 * time.Hour
	o.Now = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return time.Now().Add(ahead)
	}
	l := start(t, dir, o)
	for {
		if _, err := os.Stat(filepath.Join(dir, fmt.Sprintf(segmentFile, 3))); errors.Is(err, fs.ErrNotExist) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if p, err := l.Prove(receipts[0]); err != nil || p.Status != Deleted || p.Record != nil {
		t.Errorf("a deleted record is %+v, %v", p, err)
	}
	must(t, l.Close())
	report := check(t, dir)
	if len(report.Findings) > 0 || report.Records != 0 || len(report.Segments) != 4 || !report.Segments[0].Deleted || report.Segments[3].Deleted {
		t.Errorf("%d records in %d segments: %v", report.Records, len(report.Segments), texts(report))
	}
}

// Old segments are closed, so that there is a proof of every record after a short time.
func TestOldSegmentsAreClosed(t *testing.T) {
	o := options()
	o.Sync, o.Close = time.Millisecond, time.Minute
	var asked atomic.Int64
	o.Now = func() time.Time { return time.Unix(1_800_000_000+asked.Add(1), 0) } // each call is a second later
	l := start(t, t.TempDir(), o)
	receipt := l.Record(answer(0))
	for {
		p, err := l.Prove(receipt)
		must(t, err)
		if p.Status == Included {
			if _, st, err := p.Verify(); err != nil || st.End != Aged {
				t.Errorf("the segment ended by %s: %v", st.End, err)
			}
			break
		}
		time.Sleep(time.Millisecond)
	}
	must(t, l.Close())
}

// A timestamp authority confirms when a segment was closed. After a failure, the timestamp is
// requested again. Requests do not wait for it.
func TestSegmentsAreStamped(t *testing.T) {
	dir := t.TempDir()
	o := options()
	o.segment, o.Sync, o.restampAfter = 100, time.Millisecond, time.Millisecond
	var asked atomic.Int64
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	o.Stamp = func(_ context.Context, digest [32]byte) ([]byte, error) {
		if asked.Add(1)%3 > 0 {
			return nil, errors.New("not now")
		}
		return digest[:], nil
	}
	l := start(t, dir, o)
	for i := range 250 {
		l.Record(answer(i))
	}
	for !isStamped(dir, 2) {
		time.Sleep(time.Millisecond)
	}
	must(t, l.Close())
	stamped := func(stamp []byte, digest [32]byte) (time.Time, error) {
		if !bytes.Equal(stamp, digest[:]) {
			return time.Time{}, errors.New("other bytes")
		}
		return at, nil
	}
	examine := func(want ...string) {
		t.Helper()
		report, err := Check(dir, &CheckOptions{Vouch: known, Stamped: stamped})
		must(t, err)
		if got := texts(report); strings.Join(got, "; ") != strings.Join(want, "; ") {
			t.Errorf("found %q, want %q", got, want)
		}
		if s := report.Segments[0]; len(want) < 2 && !s.Stamped.Equal(at) {
			t.Errorf("segment 1 was stamped at %s", s.Stamped)
		}
	}
	examine()
	// If a server ends without the timestamp of its last segment, the next server gets it.
	stamp := func(n int) string { return filepath.Join(dir, fmt.Sprintf(stampFile, n)) }
	must(t, os.Remove(stamp(3)))
	examine("3 unstamped 0-0")
	l = start(t, dir, o)
	must(t, l.Close())
	examine()
	must(t, os.Remove(stamp(4)))
	must(t, os.WriteFile(stamp(3), make([]byte, maxStamp+1), 0o600))
	examine("3 bad_stamp 0-0", "4 unstamped 0-0", "3 unstamped 0-0")
}

// Many goroutines add records while the writer takes them. Each record is at the place in its
// receipt.
func TestManyRecordAtOnce(t *testing.T) {
	dir := t.TempDir()
	o := options()
	o.segment, o.Sync = 300, time.Millisecond
	l := start(t, dir, o)
	const each, writers = 400, 8
	receipts := make([]record.Receipt, each*writers)
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for i := range each {
				n := i*writers + w
				receipts[n] = l.Record(answer(n))
			}
		})
	}
	wait.Wait()
	must(t, l.Close())
	if report := check(t, dir); len(report.Findings) > 0 || report.Records != uint64(len(receipts)) {
		t.Fatalf("%d records: %v", report.Records, texts(report))
	}
	type spot struct{ segment, leaf uint64 }
	stored := map[spot]string{}
	must(t, Each(dir, func(s *Segment, leaf uint64, r *record.Record) error {
		stored[spot{s.Segment, leaf}] = r.Request
		return nil
	}))
	for n, receipt := range receipts {
		want := answer(n)
		if got := stored[spot{receipt.Segment, receipt.Leaf}]; got != want.Request {
			t.Errorf("at the place of %s is %q", want.Request, got)
		}
	}
}
