package value

import (
	"encoding/binary"
	"math"
)

// AppendKey appends bytes that are equal for equal values and different for different
// ones.
func AppendKey(dst []byte, values []Value) []byte {
	for i := range values {
		v := &values[i]
		dst = append(dst, byte(v.kind))
		switch v.kind {
		case Number, Bool:
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v.num))
		case Text, Exact:
			dst = append(binary.AppendUvarint(dst, uint64(len(v.text))), v.text...)
		case List, Record:
			dst = AppendKey(binary.AppendUvarint(dst, uint64(len(v.Items()))), v.Items())
		}
	}
	return dst
}
