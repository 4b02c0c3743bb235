package record_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

var beam = record.NewRelease(record.Release{
	Capability: "mechanics.beams.beam", Version: "1.2.0", Platform: "linux/amd64",
	Digest: "sha256:" + strings.Repeat("0a", 32), Engine: "sha256:" + strings.Repeat("ff", 32),
})

var short = record.NewRelease(record.Release{Capability: "c", Digest: "none"})

// releases are the releases that records name.
var releases = func() *record.Releases {
	known := new(record.Releases)
	for n, r := range []*record.Release{beam, short} {
		if id, err := known.Add(uint64(n), r.Encoded()); err != nil || id != r.ID() {
			panic(err)
		}
	}
	return known
}()

// numbers are the numbers of the releases.
type numbers struct{}

func (numbers) Number(r *record.Release) uint64 {
	if r == short {
		return 1
	}
	return 0
}

var at = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

// every has a record of every kind, and values of every kind.
var every = map[string]record.Record{
	"answer": {Kind: record.Answer, Time: at, Request: "abc-1", Kept: true, Row: 3, Release: beam,
		Inputs: value.Values{
			{}, value.NumberOf(math.Pi), value.NumberOf(math.SmallestNonzeroFloat64), value.TextOf("a \"quoted\" é"), value.TextOf(""), value.BoolOf(true),
			value.BoolOf(false), value.ExactOf("1.10"), value.ListOf(value.RecordOf(value.NumberOf(1), value.TextOf("x")), value.RecordOf()), value.ListOf(),
		},
		Outcome: record.Outcome{Result: value.Values{value.NumberOf(-1e300), value.ListOf(value.NumberOf(2))}}},
	"refused": {Kind: record.Answer, Time: at, Release: short,
		Outcome: record.Outcome{Code: "TOO_LONG", Field: "length"}},
	"hashed": {Kind: record.Answer, Time: at, Release: beam, Hash: record.HashInputs(nil, &record.Key{1}, value.Values{value.NumberOf(1)})},
	"batch": {Kind: record.Batch, Time: at, Request: "r", Rows: 1 << 40, Terms: record.Terms{
		Capability: "beam", Decimals: "comma", Tags: []string{"length", ""}, Columns: []string{"length [mm]", ""},
		Pins: []versions.Pin{{Place: versions.InHeader, Name: versions.HeaderName, Value: "1.2.0"}, {Place: versions.InQuery, Name: versions.AsOfName, Value: "2026-03-01", Means: versions.AsOf}},
	}, Releases: []*record.Release{beam, beam}, Tables: []*record.Release{short}, Missed: []record.Span{{First: 0, Count: 3}, {First: 9, Count: 1<<40 - 9}}, Text: [32]byte{1}, Outcomes: [32]byte{2}},
	"lost": {Kind: record.Lost, Time: at, Since: at.Add(-time.Second), Count: 17},
}

func TestRecordsReadBackAsTheyWere(t *testing.T) {
	for name, r := range every {
		b := r.Append(nil, numbers{})
		got, err := record.Parse(b, releases)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(got.Append(nil, releases), b) {
			t.Errorf("%s reads back as %+v", name, got)
		}
		if !got.Time.Equal(r.Time) || got.Kind != r.Kind || got.Request != r.Request || len(got.Inputs) != len(r.Inputs) {
			t.Errorf("%s reads back as %+v", name, got)
		}
		for i := range r.Inputs {
			if !got.Inputs[i].Equal(r.Inputs[i]) || math.Float64bits(got.Inputs[i].Number()) != math.Float64bits(r.Inputs[i].Number()) {
				t.Errorf("%s: input %d is %v, and was %v", name, i, got.Inputs[i], r.Inputs[i])
			}
		}
		for n := range b {
			if _, err := record.Parse(b[:n], releases); err == nil {
				t.Errorf("%s: the first %d of %d bytes are a record", name, n, len(b))
			}
		}
		if _, err := record.Parse(append(b, 0), releases); err == nil {
			t.Errorf("%s followed by a byte is parsed as a record", name)
		}
	}
}

// Closed segments contain the bytes of records, so the encoding must never change.
func TestEncodingIsStable(t *testing.T) {
	r := every["refused"]
	const want = "0201001898b5d9bb324d15" + "0000" + "01" + "00" + "08544f4f5f4c4f4e47" + "066c656e677468"
	if got := hex.EncodeToString(r.Append(nil, numbers{})); got != want {
		t.Errorf("the record is\n%s\nand was\n%s", got, want)
	}
	if got := hex.EncodeToString(short.Encoded()); got != "016300"+"00046e6f6e65"+"0000"+"00" {
		t.Errorf("the release is %s", got)
	}
}

func TestReceiptsAreReadAsTheyAreWritten(t *testing.T) {
	r := record.Receipt{Ledger: "k3f9a2c1", Segment: 17, Leaf: 4231, Key: [16]byte{1, 2, 15: 255}}
	text := r.String()
	if text != "k3f9a2c1-17/4231-010200000000000000000000000000ff" {
		t.Errorf("the receipt is %s", text)
	}
	if got, err := record.ParseReceipt(text); err != nil || got != r {
		t.Errorf("it reads back as %v, %v", got, err)
	}
	for _, bad := range []string{"", "a", "/", "-1/1-" + text[16:], text + "0", text[:len(text)-1], strings.ToUpper(text), "k3f9a2c1-017/4231-" + text[17:], strings.Replace(text, "17", "-17", 1)} {
		if got, err := record.ParseReceipt(bad); err == nil {
			t.Errorf("%q is a receipt: %v", bad, got)
		}
	}
	if (record.Receipt{}).String() != "" {
		t.Error("the zero receipt has a text")
	}
}

func FuzzParse(f *testing.F) {
	for _, r := range every {
		f.Add(r.Append(nil, numbers{}))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := record.Parse(b, releases); err == nil && !bytes.Equal(r.Append(nil, releases), b) {
			t.Errorf("%x is read, and written as %x", b, r.Append(nil, releases))
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	r := every["answer"]
	b.ReportAllocs()
	var buffer []byte
	for b.Loop() {
		buffer = r.Append(buffer[:0], numbers{})
	}
	b.SetBytes(int64(len(buffer)))
}
