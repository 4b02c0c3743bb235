package contract

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Needs computes the largest size of an answer from the Spec. The server does not read a
// larger answer into memory.
type Needs struct {
	fields int // bytes for the outputs and inputs of one row, without unchanged inputs
	notes  int // bytes for the notes of one row, or for its rejection
}

// Largest encoded sizes of the parts of a message, in bytes.
const (
	partSize   = 8 // tag and length of any field, even if the length is padded
	numberSize = 9 + 2*partSize
	wordNeed   = 256 + partSize // of a code, an id or a name
	textNeed   = sdk.MaxText + 2*partSize
	noteNeed   = 2*textNeed + 2*wordNeed // a warning; an invalid parameter is not larger
	lists      = MaxBatch                // of lists of any length
)

// NeedsOf returns the needs of an engine with the Spec.
func NeedsOf(s *sdk.Spec) Needs {
	n := Needs{notes: sdk.MaxNotes*(noteNeed+textNeed) + 2*textNeed + 4*wordNeed}
	for _, f := range slices.Concat(s.Outputs, s.Inputs) {
		n.fields = min(n.fields+fieldNeed(&f), lists)
	}
	return n
}

func fieldNeed(f *sdk.Field) int {
	switch {
	case f.Type == sdk.TypeArray:
		return lists
	case f.Type == sdk.TypeObject:
		size := 2 * partSize
		for i := range f.Fields {
			size = min(size+fieldNeed(&f.Fields[i]), lists)
		}
		return size
	case f.Decimal, f.Type == sdk.TypeString && len(f.Enum) == 0:
		return textNeed
	case f.Type == sdk.TypeString:
		longest := 0
		for _, e := range f.Enum {
			longest = max(longest, len(e))
		}
		return longest + 2*partSize
	}
	return numberSize
}

// Call returns the largest size of the answer to a call with the inputs, in bytes.
func (n Needs) Call(in value.Values) int {
	return min(n.fields+n.notes+n.echo(in), MaxAnswer)
}

// Batch returns the largest size of the answer to the rows, in bytes.
func (n Needs) Batch(rows []value.Values) int {
	size := 0
	for _, row := range rows {
		size += n.fields + n.notes + n.echo(row)
		if size >= MaxBatch {
			return MaxBatch
		}
	}
	return size
}

// echo returns the size of inputs that are returned unchanged. It leaves out numbers, because
// n.fields includes their size.
func (n Needs) echo(in value.Values) int {
	size := 0
	for i := range in {
		if v := &in[i]; v.Kind() != value.Number {
			size += partSize + protowire.SizeBytes(sizeValue(*v))
		}
	}
	return size
}
