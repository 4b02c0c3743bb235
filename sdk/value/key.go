package value

import (
	"encoding/binary"
	"math"
)

// AppendKey appends bytes that are equal for equal values and different for different ones.
func AppendKey(dst []byte, values []Value) []byte {
	for i := range values {
		v := &values[i]
		kind := v.Kind()
		dst = append(dst, byte(kind))
		switch kind {
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
