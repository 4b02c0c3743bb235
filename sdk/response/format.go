package response

import (
	"bytes"
	"strconv"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// sharedUnit returns the unit that all numeric outputs share, or "" if they differ.
func sharedUnit(outputs []sdk.Field, result value.Values) string {
	unit, numeric := "", false
	for i := range result {
		if result[i].Kind() != value.Number {
			continue
		}
		if numeric && outputs[i].Unit != unit {
			return ""
		}
		unit, numeric = outputs[i].Unit, true
	}
	return unit
}

// Format returns the unit that all numeric outputs share, or "" if they differ, and the result
// for people. The result has six significant digits and the unit. If there is more than one
// numeric output, it also has names.
func Format(outputs []sdk.Field, result value.Values) (unit, formatted string) {
	return sharedUnit(outputs, result), string(appendFormat(nil, outputs, result))
}

// appendFormatted appends Format as a JSON string. If simple is true, the names and units of
// the outputs need no escapes in it, nor do numbers.
func appendFormatted(dst []byte, outputs []sdk.Field, result value.Values, simple bool) []byte {
	dst = append(dst, '"')
	from := len(dst)
	dst = appendFormat(dst, outputs, result)
	if simple && onlyNumbers(result) {
		return append(dst, '"')
	}
	for _, c := range dst[from:] {
		if !plain[c] {
			return AppendText(dst[:from-1], string(dst[from:]))
		}
	}
	return append(dst, '"')
}

func onlyNumbers(values value.Values) bool {
	for i := range values {
		if values[i].Kind() != value.Number {
			return false
		}
	}
	return true
}

// plainNames reports whether the names and units of fields need no escapes.
func plainNames(fields []sdk.Field) bool {
	for i := range fields {
		if text := fields[i].Name + fields[i].Unit; string(AppendText(nil, text)) != `"`+text+`"` {
			return false
		}
	}
	return true
}

func appendFormat(dst []byte, outputs []sdk.Field, result value.Values) []byte {
	numeric, last := 0, 0
	for i := range result {
		if result[i].Kind() == value.Number {
			numeric, last = numeric+1, i
		}
	}
	if numeric == 1 {
		return appendQuantity(dst, result[last].Number(), outputs[last].Unit)
	}
	some := false
	for i, v := range result {
		if v.Kind() == value.Absent {
			continue
		}
		if some {
			dst = append(dst, "; "...)
		}
		some = true
		dst = append(append(dst, outputs[i].Name...), '=')
		if v.Kind() == value.Number {
			dst = appendQuantity(dst, v.Number(), outputs[i].Unit)
		} else {
			from := len(dst)
			dst = AppendValue(dst, &outputs[i], v)
			dst = append(dst[:from], bytes.Trim(dst[from:], `"`)...)
		}
	}
	return dst
}

// appendQuantity appends f for people: six significant digits and the unit.
func appendQuantity(dst []byte, f float64, unit string) []byte {
	dst = strconv.AppendFloat(dst, f, 'g', 6, 64)
	if unit == "" {
		return dst
	}
	return append(append(dst, ' '), unit...)
}
