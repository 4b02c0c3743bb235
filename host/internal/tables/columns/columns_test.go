package columns_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/slipstick/slipstick/host/internal/tables/columns"
)

var described = []columns.Column{
	{Name: "length", Unit: "m", Kind: columns.Number},
	{Name: "count", Kind: columns.Integer},
	{Name: "wet", Kind: columns.Truth},
	{Name: "beam", Kind: columns.Text},
	{Name: "model", Kind: columns.Text, Repeats: true},
	{Name: "single", Kind: columns.Number, Form: columns.Form{Bits: 32}},
	{Name: "i8", Kind: columns.Integer, Form: columns.Form{Bits: 8}},
	{Name: "i16", Kind: columns.Integer, Form: columns.Form{Bits: 16}},
	{Name: "i32", Kind: columns.Integer, Form: columns.Form{Bits: 32}},
	{Name: "u8", Kind: columns.Integer, Form: columns.Form{Bits: 8, Unsigned: true}},
	{Name: "u16", Kind: columns.Integer, Form: columns.Form{Bits: 16, Unsigned: true}},
	{Name: "u32", Kind: columns.Integer, Form: columns.Form{Bits: 32, Unsigned: true}},
	{Name: "u64", Kind: columns.Text, Form: columns.Form{Unsigned: true}},
	{Name: "price", Kind: columns.Text, Form: columns.Form{Precision: 23, Scale: 4}},
	{Name: "long", Kind: columns.Text, Form: columns.Form{Precision: 70, Scale: 0}},
}

// block creates rows of all kinds. One cell in five is null.
func block(random *rand.Rand, rows int) *columns.Block {
	b := new(columns.Block)
	b.Reset(described, rows)
	for i := range rows {
		for k := range described {
			d := &b.Columns[k]
			d.Null[i] = random.IntN(5) == 0
			if d.Null[i] {
				continue
			}
			switch c := described[k]; {
			case c.Kind == columns.Number && c.Form.Bits == 32:
				d.Numbers[i] = float64(random.Float32())
			case c.Kind == columns.Number:
				d.Numbers[i] = math.Float64frombits(random.Uint64()&^(1<<52) | 1)
			case c.Kind == columns.Integer && c.Form.Unsigned:
				d.Integers[i] = int64(random.Uint64() >> (64 - c.Form.Bits))
			case c.Kind == columns.Integer:
				d.Integers[i] = int64(random.Uint64()) >> ((64 - c.Form.Bits) % 64)
			case c.Kind == columns.Truth:
				d.Truths[i] = random.IntN(2) == 0
			case c.Form.Unsigned:
				d.Texts[i] = fmt.Sprint(random.Uint64())
			case c.Form.Scale == 4:
				d.Texts[i] = fmt.Sprintf("%d.%04d", random.Int64()-1<<62, random.IntN(10_000))
			case c.Form.Precision == 70:
				d.Texts[i] = fmt.Sprintf("-9%068d", random.Uint64())
			default:
				d.Texts[i] = fmt.Sprint("é", random.IntN(3))
			}
		}
	}
	return b
}

// form is one of the file formats.
type form struct {
	name   string
	create func(io.Writer, []columns.Column, map[string]string) (columns.Writer, error)
	open   func([]byte) (columns.Reader, error)
}

var forms = []form{
	{"Parquet", columns.NewParquet, func(data []byte) (columns.Reader, error) {
		return columns.OpenParquet(bytes.NewReader(data), int64(len(data)), nil)
	}},
	{"Arrow", columns.NewArrow, openArrow},
	{"Arrows", columns.NewArrowStream, openArrow},
}

func openArrow(data []byte) (columns.Reader, error) {
	return columns.OpenArrow(bytes.NewReader(data), nil)
}

// A file is read as it was written: names, units, order, every bit and every null.
func TestWrittenAndRead(t *testing.T) {
	for _, form := range forms {
		random := rand.New(rand.NewPCG(5, 6))
		var file bytes.Buffer
		w, err := form.create(&file, described, map[string]string{"made by": "é"})
		if err != nil {
			t.Fatal(form.name, err)
		}
		var want []*columns.Block
		for _, rows := range []int{1, 1000, 7, 4096} {
			b := block(random, rows)
			want = append(want, b)
			if err := w.Write(b); err != nil {
				t.Fatal(form.name, err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(form.name, err)
		}
		r, err := form.open(file.Bytes())
		if err != nil {
			t.Fatal(form.name, err)
		}
		if r.Metadata("made by") != "é" || r.Metadata("made") != "" {
			t.Errorf("%s: the metadata is %q", form.name, r.Metadata("made by"))
		}
		for i, c := range r.Columns() {
			want := described[i]
			want.Type = c.Type
			if form.name != "Arrows" { // no other format has dictionary types
				want.Repeats = false
			}
			if c != want || c.Type == "" {
				t.Errorf("%s: %+v, want %+v", form.name, c, want)
			}
		}
		cells, wanted := readAll(t, r), []string(nil)
		for _, b := range want {
			wanted = append(wanted, texts(b)...)
		}
		if !reflect.DeepEqual(cells, wanted) {
			t.Errorf("%s: other cells were read", form.name)
		}
	}
}

// texts returns the rows of a block as texts.
func texts(b *columns.Block) (rows []string) {
	for i := range b.Rows {
		row := ""
		for k := range b.Columns {
			d := &b.Columns[k]
			switch {
			case d.Null[i]:
				row += "-"
			case d.Numbers != nil:
				row += fmt.Sprintf("%x", math.Float64bits(d.Numbers[i]))
			case d.Integers != nil:
				row += fmt.Sprint(d.Integers[i])
			case d.Truths != nil:
				row += fmt.Sprint(d.Truths[i])
			default:
				row += d.Texts[i]
			}
			row += "|"
		}
		rows = append(rows, row)
	}
	return rows
}

// A dictionary of ever different texts starts again, and references to the previous one still resolve.
func TestManyWords(t *testing.T) {
	list := []columns.Column{{Name: "word", Kind: columns.Text, Repeats: true}}
	for _, form := range forms {
		var file bytes.Buffer
		w, err := form.create(&file, list, nil)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for n := range 5 {
			var b columns.Block
			b.Reset(list, 2000)
			for i := range b.Rows {
				b.Columns[0].Texts[i] = fmt.Sprint("word ", n*1500+i)
				want = append(want, b.Columns[0].Texts[i]+"|")
			}
			if err := w.Write(&b); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := form.open(file.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(readAll(t, r), want) {
			t.Errorf("%s: other words were read", form.name)
		}
	}
}
